import { randomBytes } from 'node:crypto';

/** The prefix of every sandbox tenant's id. It sorts after the ids of other organisations. */
export const SANDBOX_TENANT_PREFIX = 'org_zSandbox.';

/** Takes the place of the organisation in ids of all sandbox tenants. */
export const SANDBOX_SUBJECT = 'sandbox';

/**
 * Ids in a sandbox are created with this key instead of the installation's: it is public, so that the ids are
 * the same in every installation. They grant nothing: the reach of a key follows from the key alone.
 */
export const SANDBOX_ID_KEY = Buffer.from('workforce sandbox: ids of synthetic people, no secret', 'utf8');

/** The id of a new sandbox tenant: an organisation of synthetic people, created by a refresh. Random. */
export function newSandboxTenant(): string {
  return `${SANDBOX_TENANT_PREFIX}${randomBytes(6).toString('base64url')}.${randomBytes(9).toString('base64url')}`;
}

/**
 * Whether an organisation is a sandbox tenant. Ids of other organisations are digests, and begin the same way
 * by chance once in 2^48.
 */
export function isSandboxTenant(organisationId: string): boolean {
  return organisationId.startsWith(SANDBOX_TENANT_PREFIX);
}
