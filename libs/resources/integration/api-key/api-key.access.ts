import type { CommandServices } from '#commands/services.js';
import type { Outcome, UnitContext } from '#commands/unit-of-work.js';
import { generateApiKey } from '#http/keys/api-key.js';
import { conflict, found, invalid, RejectedError } from '#kernel/rejection.js';
import { findOrganisation } from '../../organisation/organisation/organisation.queries.js';
import { type Manager, refuseScopesBeyond } from '../access/grants.js';
import { findSandbox } from '../sandbox/sandbox.queries.js';
import { isRevocationRecorded, type NewApiKey, type RevokedApiKey, stageApiKey, stageRevocation } from './api-key.commands.js';
import { type ApiKeyRow, findApiKey, listKeysMadeBy } from './api-key.queries.js';

/** A key that somebody of the organisation asks for. */
export type WantedApiKey = Pick<NewApiKey, 'name' | 'environment' | 'scopes' | 'expiresAt' | 'now'>;

/** A key, and the key's own text; null where an earlier attempt of the same request made it, because it is shown only once. */
export interface IssuedApiKey {
  readonly row: ApiKeyRow;
  readonly apiKey: string | null;
}

/**
 * Makes a key for the caller's organisation, within a unit of work. Throws {@link RejectedError}: scopes that the caller lacks, an expiry later than that of the key that
 * makes it, a test key where the organisation has no sandbox, data that no key may have.
 */
export async function issueApiKey(
  services: CommandServices,
  context: UnitContext,
  wanted: WantedApiKey,
  manager: Manager,
): Promise<Outcome<IssuedApiKey>> {
  refuseScopesBeyond(manager, wanted.scopes, 'scopes');
  refuseLongerLife(wanted, manager);
  const owner = found(await findOrganisation(services.executor, context.organisationId));
  if (wanted.environment === 'sandbox' && (await findSandbox(services.executor, owner.id)) === null) {
    const issue = 'the organisation has no sandbox yet: the operator makes it with workforce sandbox refresh';
    throw new RejectedError(conflict('environment', issue));
  }
  const { apiKey, ...secret } = generateApiKey(wanted.environment);
  const created = await stageApiKey(services, context, owner, { ...wanted, ...secret });
  return async (written) => {
    const { row, outcome } = await created(written);
    return { row, apiKey: outcome === 'appended' ? apiKey : null };
  };
}

/** Without this rule, a key that is about to expire could make itself a successor for ever. */
function refuseLongerLife({ expiresAt }: WantedApiKey, { keyExpiresAt }: Manager): void {
  if (keyExpiresAt === null || (expiresAt !== null && expiresAt <= keyExpiresAt)) return;
  const issue = `must be ${keyExpiresAt.toISOString()} or earlier, when the key that makes it expires`;
  throw new RejectedError(invalid('expires_at', issue));
}

/**
 * Revokes, within a unit of work, a key of the caller's organisation and, where `withMade`, the keys that it made, except the caller and what the
 * caller made: a key that replaces its maker revokes it. Throws {@link RejectedError}: an unknown key, the caller's own, scopes that the caller
 * lacks.
 */
export async function revokeKeyOfOrganisation(
  services: CommandServices,
  context: UnitContext,
  { keyId, withMade, manager }: { readonly keyId: string; readonly withMade: boolean; readonly manager: Manager },
): Promise<Outcome<RevokedApiKey>> {
  const { organisationId } = context;
  const isRepeat = await isRevocationRecorded(services, context, keyId);
  const key = await findApiKey(services.executor, keyId);
  const { scopes } = found(key?.organisation_id === organisationId ? key : null);
  if (!isRepeat && keyId === manager.id) throw new RejectedError(conflict('api_key', 'a key cannot revoke itself'));
  if (!isRepeat) refuseScopesBeyond(manager, scopes, 'api_key');
  const made = withMade ? await listKeysMadeBy(services.executor, organisationId, { type: 'api_key', id: keyId }, manager.id) : [];
  return stageRevocation(services, context, keyId, made);
}
