import type { Call } from '#http/call.js';
import { HttpError } from '#http/errors.js';
import { RejectedError } from '#kernel/rejection.js';
import type { Scope } from '#kernel/scopes.js';

/** A caller who manages keys and users of their own organisation: an API key, or a user in a session. */
export interface Manager {
  /** Of the key or the user. */
  readonly id: string;
  readonly scopes: ReadonlySet<Scope>;
  /** When the API key that manages expires; null for a session and for a key that does not expire. */
  readonly keyExpiresAt: Date | null;
}

/** Returns who calls. Throws {@link HttpError} (403) in a sandbox, whose test keys and users belong to the live organisation. */
export function managerOf({ key }: Pick<Call<unknown, unknown, unknown>, 'key'>): Manager {
  if (key.environment === 'sandbox') {
    const issue = 'API keys and users are managed on the live address';
    throw new HttpError('permission_denied', { details: [{ field: 'environment', issue }] });
  }
  const keyExpiresAt = key.session === null && key.expiresAt !== null ? new Date(key.expiresAt) : null;
  return { id: key.keyId, scopes: key.scopes, keyExpiresAt };
}

/**
 * Throws {@link RejectedError} where somebody gives, or reaches for, scopes that they lack: access to the management of access must not be a
 * way to more scopes (OWASP API5:2023).
 */
export function refuseScopesBeyond({ scopes }: Pick<Manager, 'scopes'>, wanted: readonly Scope[], field: string): void {
  const missing = wanted.filter((scope) => !scopes.has(scope));
  if (missing.length === 0) return;
  const issue = `needs scopes that the caller lacks: ${missing.join(', ')}`;
  throw new RejectedError({ kind: 'permission_denied', message: `The ${field} ${issue}.`, details: [{ field, issue }] });
}
