import { randomBytes } from 'node:crypto';

/** What the id of every sandbox tenant begins with. It sorts behind the ids of other organisations. */
export const SANDBOX_TENANT_PREFIX = 'org_zSandbox.';

/** What ids of all sandbox tenants are made for, in place of the organisation. */
export const SANDBOX_SUBJECT = 'sandbox';

/**
 * Ids in a sandbox are made with this key instead of the installation's: it is public, so that the ids are
 * the same wherever a person tests. They grant nothing: what a key may reach follows from the key alone.
 */
export const SANDBOX_ID_KEY = Buffer.from('workforce sandbox: ids of synthetic people, no secret', 'utf8');

/** The id of a new sandbox tenant: an organisation of synthetic people, as one refresh makes it. Random. */
export function newSandboxTenant(): string {
  return `${SANDBOX_TENANT_PREFIX}${randomBytes(6).toString('base64url')}.${randomBytes(9).toString('base64url')}`;
}

/**
 * Whether an organisation is a sandbox tenant. Ids of other organisations are digests, and begin so by chance
 * once in 2^48.
 */
export function isSandboxTenant(organisationId: string): boolean {
  return organisationId.startsWith(SANDBOX_TENANT_PREFIX);
}
