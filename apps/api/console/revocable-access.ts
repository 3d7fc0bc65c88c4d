import type { AuthenticatedKey } from '#http/keys/authenticated-key.js';
import { found } from '#kernel/rejection.js';

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
