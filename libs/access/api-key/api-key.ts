import type { Migration } from '#database/migrations.js';
import { prepared, raw, sql } from '#database/sql.js';
import { bumpAuthorisationVersion, FORGET_AUTHORISATIONS } from '#database/authorisation-version.js';
import type { CreationCursor } from '#http/pages.js';
import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import { nameProblem } from '#kernel/names.js';
import { conflict, invalid, notFound, type Rejection } from '#kernel/rejection.js';
import { type Scope, SCOPES } from '#kernel/scopes.js';
import type { KeyEnvironment } from '#kernel/tenancy.js';
import { unreachable } from '#kernel/unreachable.js';
import { oneRowProjection, type RowKeys } from '#projections/one-row-table.js';
import type { Executor, Stream } from '#projections/projection.js';

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
export type ApiKeyEvent =
  DomainEvent<'ApiKeyCreated', KeyDetails> | DomainEvent<'ApiKeyRevoked', Record<string, never>>;

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
      /** The time at which the command arrived, ISO 8601 in UTC. */
      readonly now: string;
    }
  | { readonly type: 'revoke' };

/** The events of a command, or the reason for its refusal. Revoking a revoked key records nothing. */
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

/** The read table of API keys; it contains only the SHA-256 of the secret. */
export const API_KEYS_SCHEMA = `
create table api_keys (
  key_id text collate "C" primary key,
  organisation_id text collate "C" not null,
  revision bigint not null,
  environment text not null check (environment in ('live', 'sandbox')),
  name text not null,
  scopes text[] not null,
  secret_hash bytea not null unique,
  prefix text not null,
  last_four text not null,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index api_keys_of_organisation on api_keys (organisation_id, created_at, key_id);
${bumpAuthorisationVersion('api_keys')}
`;

/**
 * Sets the creators of a table's rows from the first event of each stream, or from its row of `activity` if
 * the events are not in PostgreSQL.
 */
const madeBy = (table: string, category: string, id: string): string => `
alter table ${table} add column made_by_type text, add column made_by_id text;
update ${table} made set (made_by_type, made_by_id) = (
  select coalesce(e.metadata -> 'actor' ->> 'type', a.actor_type), coalesce(e.metadata -> 'actor' ->> 'id', a.actor_id)
    from (values ('${category}-' || made.organisation_id || '.' || made.${id})) as of(stream)
    left join events e on e.stream = of.stream and e.revision = 0
    left join activity a on a.organisation_id = made.organisation_id and a.stream = of.stream and a.revision = 0);
create index ${table}_by_maker on ${table} (organisation_id, made_by_type, made_by_id);
`;

/**
 * The creator of each key and each user: the actor of its first event. Null in rows that an earlier release
 * writes during an upgrade.
 */
export const MAKERS_MIGRATION: Migration = {
  version: 28,
  name: 'makers of keys and users',
  sql: madeBy('api_keys', 'api-key', 'key_id') + madeBy('users', 'user', 'id'),
};

const KEYS: RowKeys = {
  primaryKey: ['key_id'],
  others: ['organisation_id'],
  values: (organisationId, entityId) => ({ key_id: entityId, organisation_id: organisationId }),
  streamKey: `organisation_id || '.' || key_id`,
};

/** API keys, including revoked and expired ones. */
export const apiKeyProjection = oneRowProjection(apiKeyAggregate, {
  afterRebuild: FORGET_AUTHORISATIONS,
  table: 'api_keys',
  keys: KEYS,
  isUniqueTwice: true,
  columns: [
    'environment',
    'name',
    'scopes',
    'secret_hash',
    'prefix',
    'last_four',
    'expires_at',
    'revoked_at',
    'made_by_type',
    'made_by_id',
  ],
  row: (state, stream) => {
    const { type, id } = stream[0]!.metadata.actor;
    const creator = { made_by_type: type, made_by_id: id };
    return {
      ...state.details,
      ...creator,
      secret_hash: `\\x${state.details.secret_hash}`,
      revoked_at: revokedAt(stream),
    };
  },
});

function revokedAt(stream: Stream): string | null {
  return stream.find((event) => event.type === 'ApiKeyRevoked')?.recordedAt ?? null;
}

/** A row of `api_keys`, without the hash of the secret. */
export interface ApiKeyRow {
  readonly key_id: string;
  readonly organisation_id: string;
  readonly environment: KeyEnvironment;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly prefix: string;
  readonly last_four: string;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly created_at: Date;
  /** The creator of the key; null in a row that an earlier release wrote. */
  readonly made_by_type: 'api_key' | 'user' | 'operator' | 'system' | null;
  /** Id of the key or the user, or the login name of the operator. */
  readonly made_by_id: string | null;
  /** The name of the key or the e-mail address of the user; null for others. */
  readonly made_by_name: string | null;
}

const COLUMNS = `key_id, organisation_id, environment, name, scopes, prefix, last_four, expires_at, revoked_at, created_at,
  made_by_type, made_by_id,
  case made_by_type
    when 'api_key' then (select m.name from api_keys m
                          where m.organisation_id = k.organisation_id and m.key_id = k.made_by_id)
    when 'user' then (select u.email from users u where u.organisation_id = k.organisation_id and u.id = k.made_by_id)
  end as made_by_name`;

/** The key with this id, of any organisation; null if there is none. */
export async function findApiKey(executor: Executor, keyId: string): Promise<ApiKeyRow | null> {
  const { rows } = await executor.query<ApiKeyRow>({
    text: `select ${COLUMNS} from api_keys k where key_id = $1`,
    values: [keyId],
  });
  return rows[0] ?? null;
}

/**
 * The keys of an organisation, or of all organisations if it is null, oldest first, revoked and expired
 * ones included.
 */
export async function listApiKeys(executor: Executor, organisationId: string | null): Promise<readonly ApiKeyRow[]> {
  const { rows } = await executor.query<ApiKeyRow>({
    text: `select ${COLUMNS} from api_keys k where $1::text is null or organisation_id = $1
      order by organisation_id, created_at, key_id`,
    values: [organisationId],
  });
  return rows;
}

/** A page of an organisation's keys, in the order of creation, revoked and expired ones included. */
export async function listApiKeyPage(
  executor: Executor,
  {
    organisationId,
    after,
    count,
  }: { readonly organisationId: string; readonly after: CreationCursor | null; readonly count: number },
): Promise<readonly ApiKeyRow[]> {
  const isLater = after === null ? sql`` : sql` and (created_at, key_id) > (${after.createdAt}, ${after.id})`;
  const { rows } = await executor.query<ApiKeyRow>(
    prepared(
      sql`select ${raw(COLUMNS)} from api_keys k where organisation_id = ${organisationId}${isLater}
        order by created_at, key_id limit ${count}`,
    ),
  );
  return rows;
}

/**
 * The keys of an organisation that a key or a user created, those that these created, and so on, including
 * revoked and expired ones, oldest first.
 * @param except - a key that is excluded, with those that it created
 */
export async function listKeysMadeBy(
  executor: Executor,
  organisationId: string,
  { type, id }: { readonly type: 'api_key' | 'user'; readonly id: string },
  except: string | null = null,
): Promise<readonly ApiKeyRow[]> {
  const { rows } = await executor.query<ApiKeyRow>({
    text: `with recursive made as (
             select key_id from api_keys
              where organisation_id = $1 and made_by_type = $2 and made_by_id = $3 and key_id is distinct from $4
             union
             select k.key_id from made m
               join api_keys k on k.organisation_id = $1 and k.made_by_type = 'api_key' and k.made_by_id = m.key_id
                 and k.key_id is distinct from $4)
           select ${COLUMNS} from api_keys k where key_id in (select key_id from made) order by created_at, key_id`,
    values: [organisationId, type, id, except],
  });
  return rows;
}
