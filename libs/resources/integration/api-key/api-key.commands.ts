import type { CommandContext } from '#commands/command-context.js';
import type { KeyEnvironment } from '#kernel/tenancy.js';
import { notFound, RejectedError } from '#kernel/rejection.js';
import type { Scope } from '#kernel/scopes.js';
import { isRecorded, handleCommand } from '#commands/handle-command.js';
import type { CommandServices } from '#commands/services.js';
import type { Outcome, UnitContext } from '#commands/unit-of-work.js';
import { normaliseName } from '../../naming/name-key.js';
import type { OrganisationRow } from '../../organisation/organisation/organisation.queries.js';
import { apiKeyAggregate, type ApiKeyCommand, type ApiKeyEvent, type ApiKeyState, decideApiKey } from './api-key.decider.js';
import { type ApiKeyRow, findApiKey } from './api-key.queries.js';

/** The data of a new API key. The key itself is never passed to a command. */
export interface NewApiKey {
  readonly name: string;
  readonly environment: KeyEnvironment;
  readonly scopes: readonly Scope[];
  /** SHA-256 of the whole key. */
  readonly secretHash: Buffer;
  readonly prefix: string;
  readonly lastFour: string;
  readonly expiresAt: Date | null;
  readonly now: Date;
}

/** A key's row, and whether this command recorded it or an earlier attempt of the same request, whose secret is another one. */
export interface RecordedApiKey {
  readonly row: ApiKeyRow;
  readonly outcome: 'appended' | 'unchanged' | 'repeated';
}

/**
 * Records a key of an organisation within a unit of work; a sandbox key acts for the sandbox organisation. Its id
 * derives from the request, so that a repeat makes no second key. Throws {@link RejectedError}.
 */
export function stageApiKey(
  services: CommandServices,
  context: UnitContext,
  owner: Pick<OrganisationRow, 'id' | 'is_sandbox'>,
  wanted: NewApiKey,
): Promise<Outcome<RecordedApiKey>> {
  const keyId = services.mint.prefixed('apiKey', owner.id, ...context.seed);
  return stage(services, context, owner.id, keyId, {
    type: 'create',
    ownerIsSandbox: owner.is_sandbox,
    now: wanted.now.toISOString(),
    details: {
      name: normaliseName(wanted.name),
      environment: wanted.environment,
      scopes: wanted.scopes,
      secret_hash: wanted.secretHash.toString('hex'),
      prefix: wanted.prefix,
      last_four: wanted.lastFour,
      expires_at: wanted.expiresAt?.toISOString() ?? null,
    },
  });
}

/** Whether an earlier attempt of the same request revoked this key. */
export function isRevocationRecorded(services: CommandServices, context: CommandContext, keyId: string): Promise<boolean> {
  return isRecorded(services.store, context, { stream: apiKeyAggregate.streamOf(context.organisationId, keyId), part: 'revoke' });
}

/** A key that was revoked, and the keys that were revoked with it. */
export interface RevokedApiKey {
  readonly row: ApiKeyRow;
  readonly withIt: readonly ApiKeyRow[];
}

/**
 * Revokes a key permanently within a unit of work, and others with it; a revoked key stays revoked. Throws {@link
 * RejectedError} where there is no such key.
 */
export async function stageRevocation(
  services: CommandServices,
  context: UnitContext,
  keyId: string,
  others: readonly ApiKeyRow[],
): Promise<Outcome<RevokedApiKey>> {
  const key = await findApiKey(services.executor, keyId);
  if (key === null) throw new RejectedError(notFound('key_id', 'there is no such key'));
  const revoked = await stage(services, context, key.organisation_id, keyId, { type: 'revoke' });
  const revokedOthers = await stageRevocations(services, context, others);
  return async (written) => ({ row: (await revoked(written)).row, withIt: await revokedOthers(written) });
}

/** Revokes these keys within a unit of work. The outcome is those that were not revoked before this request. */
export async function stageRevocations(
  services: CommandServices,
  context: UnitContext,
  keys: readonly ApiKeyRow[],
): Promise<Outcome<readonly ApiKeyRow[]>> {
  const outcomes: Outcome<RecordedApiKey>[] = [];
  for (const { organisation_id: organisationId, key_id: keyId } of keys) {
    outcomes.push(await stage(services, context, organisationId, keyId, { type: 'revoke' }));
  }
  return async (written) => {
    const revoked: ApiKeyRow[] = [];
    for (const outcomeOf of outcomes) {
      const { row, outcome } = await outcomeOf(written);
      if (outcome !== 'unchanged') revoked.push(row);
    }
    return revoked;
  };
}

async function stage(
  services: CommandServices,
  context: UnitContext,
  organisationId: string,
  keyId: string,
  command: ApiKeyCommand,
): Promise<Outcome<RecordedApiKey>> {
  const { state, outcome } = await handleCommand<ApiKeyState, ApiKeyEvent>(services.store, context, {
    ...apiKeyAggregate,
    stream: apiKeyAggregate.streamOf(organisationId, keyId),
    decide: (state) => decideApiKey(command, state),
    onConflict: 'decide_again',
    part: command.type,
  });
  return async ({ executor }) => {
    const row = await findApiKey(executor, keyId);
    if (row === null) throw new Error(`key ${keyId} was recorded and its row is missing`);
    // As of the command: a repeat shows what its first attempt showed.
    return { row: { ...row, revoked_at: state.status === 'revoked' ? row.revoked_at : null }, outcome };
  };
}
