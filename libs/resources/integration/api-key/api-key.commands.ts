import type { CommandContext } from '#commands/command-context.js';
import type { KeyEnvironment } from '#kernel/tenancy.js';
import { notFound, RejectedError } from '#kernel/rejection.js';
import type { Scope } from '#kernel/scopes.js';
import { isRecorded } from '#commands/handle-command.js';
import { type CommandServices, runCommand } from '#commands/execute.js';
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

/** Records a key of an organisation; a sandbox key acts for the sandbox organisation. Throws {@link RejectedError}. */
export async function createApiKey(
  services: CommandServices,
  context: CommandContext,
  owner: Pick<OrganisationRow, 'id' | 'is_sandbox'>,
  wanted: NewApiKey,
): Promise<ApiKeyRow> {
  return (await createApiKeyOnce(services, context, owner, wanted)).row;
}

/** A key's row, and whether this command recorded it or an earlier attempt of the same request, whose secret is another one. */
export interface RecordedApiKey {
  readonly row: ApiKeyRow;
  readonly outcome: 'appended' | 'unchanged' | 'repeated';
}

/** As {@link createApiKey}, for a request that may be repeated: its id derives from the request, so that a repeat makes no second key. */
export async function createApiKeyOnce(
  services: CommandServices,
  context: CommandContext,
  owner: Pick<OrganisationRow, 'id' | 'is_sandbox'>,
  wanted: NewApiKey,
): Promise<RecordedApiKey> {
  const keyId = services.mint.prefixed('apiKey', owner.id, ...context.seed);
  return run(services, context, owner.id, keyId, {
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

/** Revokes a key permanently; a revoked key stays revoked. Throws {@link RejectedError} where there is no such key. */
export async function revokeApiKey(services: CommandServices, context: CommandContext, keyId: string): Promise<ApiKeyRow> {
  const key = await findApiKey(services.executor, keyId);
  if (key === null) throw new RejectedError(notFound('key_id', 'there is no such key'));
  return (await run(services, context, key.organisation_id, keyId, { type: 'revoke' })).row;
}

/** Revokes these keys of an organisation, and returns those that were not revoked before this request. */
export async function revokeApiKeys(
  services: CommandServices,
  context: CommandContext,
  keys: readonly ApiKeyRow[],
): Promise<readonly ApiKeyRow[]> {
  const revoked: ApiKeyRow[] = [];
  for (const { organisation_id: organisationId, key_id: keyId } of keys) {
    const { row, outcome } = await run(services, context, organisationId, keyId, { type: 'revoke' });
    if (outcome !== 'unchanged') revoked.push(row);
  }
  return revoked;
}

async function run(
  services: CommandServices,
  context: CommandContext,
  organisationId: string,
  keyId: string,
  command: ApiKeyCommand,
): Promise<RecordedApiKey> {
  const { state, outcome } = await runCommand<ApiKeyState, ApiKeyEvent>(services, context, {
    ...apiKeyAggregate,
    stream: apiKeyAggregate.streamOf(organisationId, keyId),
    decide: (state) => decideApiKey(command, state),
    onConflict: 'decide_again',
    part: command.type,
  });
  const row = await findApiKey(services.executor, keyId);
  if (row === null) throw new Error(`key ${keyId} was recorded and its row is missing`);
  // As of the command: a repeat shows what its first attempt showed.
  return { row: { ...row, revoked_at: state.status === 'revoked' ? row.revoked_at : null }, outcome };
}
