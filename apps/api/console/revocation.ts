import { randomUUID } from 'node:crypto';
import type { CommandContext } from '#commands/command-context.js';
import type { Call } from '#http/call.js';
import type { AuthenticatedKey } from '#http/keys/authenticated-key.js';
import type { Clock } from '#kernel/clock.js';
import { dateIn } from '#kernel/dates.js';
import { found } from '#kernel/rejection.js';

/**
 * The context of a revocation of access. Its endpoint is not declared with `writes`, so that access can be
 * revoked under any plan.
 */
export function revocationContext(
  { key, requestId }: Pick<Call, 'key' | 'requestId'>,
  name: string,
  clock: Clock,
): CommandContext {
  return {
    organisationId: key.organisation.id,
    actor: key.actor,
    requestId,
    idempotencyKey: null,
    fingerprint: null,
    seed: [name, randomUUID()],
    today: dateIn(key.organisation.timeZone, clock.now()),
  };
}

/** The user whose access a list shows: administrators see that of all users, which is null. */
export function listedUser({ keyId, session }: AuthenticatedKey): string | null {
  return session?.role === 'administrator' ? null : keyId;
}

/** Throws `RejectedError` (404) unless there is such an access, and the user of the call may revoke it. */
export function revocable<Access extends { readonly user_id: string }>(
  access: Access | null,
  key: AuthenticatedKey,
): Access {
  const owner = listedUser(key);
  return found(owner === null || access?.user_id === owner ? access : null);
}
