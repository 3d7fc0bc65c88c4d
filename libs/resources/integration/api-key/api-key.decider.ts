import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import type { KeyEnvironment } from '#kernel/tenancy.js';
import { conflict, invalid, notFound, type Rejection } from '#kernel/rejection.js';
import { SCOPES, type Scope } from '#kernel/scopes.js';
import { unreachable } from '#kernel/unreachable.js';
import { nameProblem } from '../../naming/name-key.js';

/** The stored data of a key; only a hash of the secret is stored. */
export type KeyDetails = {
  readonly name: string;
  readonly environment: KeyEnvironment;
  readonly scopes: readonly Scope[];
  /** SHA-256 of the whole key, in hexadecimal. */
  readonly secret_hash: string;
  /** The prefix of every key of its environment. */
  readonly prefix: string;
  readonly last_four: string;
  /** ISO 8601 in UTC; null for a key that does not expire. */
  readonly expires_at: string | null;
};

// These names and fields are the storage format: add new ones, never rename or remove.
export type ApiKeyEvent = DomainEvent<'ApiKeyCreated', KeyDetails> | DomainEvent<'ApiKeyRevoked', Record<string, never>>;

export type ApiKeyState =
  | { readonly status: 'none' }
  | { readonly status: 'active'; readonly details: KeyDetails }
  | { readonly status: 'revoked'; readonly details: KeyDetails };

export const initialApiKey: ApiKeyState = { status: 'none' };

/** The state with one more event. */
export function evolveApiKey(state: ApiKeyState, event: ApiKeyEvent): ApiKeyState {
  switch (event.type) {
    case 'ApiKeyCreated':
      return { status: 'active', details: event.data };
    case 'ApiKeyRevoked':
      return state.status === 'none' ? state : { status: 'revoked', details: state.details };
    default:
      return unreachable(event);
  }
}

export type ApiKeyCommand =
  | {
      readonly type: 'create';
      readonly details: KeyDetails;
      /** Whether the owner is the platform's own organisation. */
      readonly ownerIsSandbox: boolean;
      /** When the command arrived, ISO 8601 in UTC. */
      readonly now: string;
    }
  | { readonly type: 'revoke' };

/** What a command records, or why it is refused. Revoking a revoked key records nothing. */
export function decideApiKey(command: ApiKeyCommand, state: ApiKeyState): Decision<ApiKeyEvent> {
  switch (command.type) {
    case 'create': {
      const { details } = command;
      const rejection = detailsRejection(details, command.now) ?? liveKeyOfSandbox(details, command.ownerIsSandbox);
      if (rejection !== null) return reject(rejection);
      if (state.status !== 'none') return reject(conflict('key_id', 'a key with this id exists already'));
      return accept({ type: 'ApiKeyCreated', data: details });
    }
    case 'revoke':
      if (state.status === 'none') return reject(notFound('key_id', 'there is no such key'));
      return state.status === 'revoked' ? accept() : accept({ type: 'ApiKeyRevoked', data: {} });
    default:
      return unreachable(command);
  }
}

function detailsRejection(details: KeyDetails, now: string): Rejection | null {
  const problem = nameProblem(details.name);
  if (problem !== null) return invalid('name', problem);
  const unknown = details.scopes.find((scope) => !SCOPES.includes(scope));
  if (unknown !== undefined) return invalid('scopes', `there is no scope ${unknown}`);
  if (details.scopes.length === 0) return invalid('scopes', 'must name at least one scope');
  if (new Set(details.scopes).size < details.scopes.length) return invalid('scopes', 'must name a scope only once');
  if (details.expires_at !== null && details.expires_at <= now) return invalid('expires_at', 'must lie in the future');
  return null;
}

/** The synthetic tenant is only reachable on the sandbox address, which accepts only test keys. */
function liveKeyOfSandbox(details: KeyDetails, ownerIsSandbox: boolean): Rejection | null {
  if (!ownerIsSandbox || details.environment === 'sandbox') return null;
  return conflict('environment', 'the sandbox organisation has sandbox keys only');
}

export const apiKeyAggregate = defineAggregate({
  category: 'api-key',
  idKind: 'apiKey',
  initial: initialApiKey,
  evolve: evolveApiKey,
});
