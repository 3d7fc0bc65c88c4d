import { isSandboxTenant, SANDBOX_TENANT_PREFIX } from '#identifiers/sandbox-tenant.js';
import { SANDBOX_SUBDOMAIN } from './organisation.rules.js';

/** The subdomain of a sandbox tenant, under which operators may name it: a DNS label takes no capitals, so it is in hexadecimal. */
export function tenantSubdomain(tenantId: string): string {
  const random = tenantId.slice(SANDBOX_TENANT_PREFIX.length).split('.');
  return `${SANDBOX_SUBDOMAIN}-${Buffer.from(random.join(''), 'base64url').toString('hex')}`;
}

/** The subdomain that callers read: of all sandbox tenants the same. */
export function shownSubdomain(organisationId: string, subdomain: string): string {
  return isSandboxTenant(organisationId) ? SANDBOX_SUBDOMAIN : subdomain;
}
