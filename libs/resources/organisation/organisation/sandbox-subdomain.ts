import { isSandboxTenant, SANDBOX_TENANT_PREFIX } from '#identifiers/sandbox-tenant.js';
import { SANDBOX_SUBDOMAIN } from './organisation.rules.js';

/**
 * The subdomain of a sandbox tenant, under which operators may name it: it is in hexadecimal, because a DNS label does not distinguish
 * capitals.
 */
export function tenantSubdomain(tenantId: string): string {
  const random = tenantId.slice(SANDBOX_TENANT_PREFIX.length).split('.');
  return `${SANDBOX_SUBDOMAIN}-${Buffer.from(random.join(''), 'base64url').toString('hex')}`;
}

/** The subdomain that responses show; it is the same for all sandbox tenants. */
export function shownSubdomain(organisationId: string, subdomain: string): string {
  return isSandboxTenant(organisationId) ? SANDBOX_SUBDOMAIN : subdomain;
}
