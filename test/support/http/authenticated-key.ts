import type { AuthenticatedKey } from '#http/keys/authenticated-key.js';
import { type Scope, SCOPES } from '#kernel/scopes.js';

/**
 * Returns a key of an organisation that may write, and lets AI clients run these operations directly, as the
 * pipeline passes it on.
 */
export function authenticatedKey(
  scopes: readonly Scope[] = SCOPES,
  directOperations: readonly string[] = [],
): AuthenticatedKey {
  return {
    keyId: 'key_test',
    actor: { type: 'api_key', id: 'key_test' },
    session: null,
    environment: 'live',
    scopes: new Set(scopes),
    organisation: {
      id: 'org_test',
      plan: 'standard',
      writesApproved: true,
      timeZone: 'UTC',
      directOperations: new Set(directOperations),
    },
    ownerOrganisationId: 'org_test',
    expiresAt: null,
  };
}
