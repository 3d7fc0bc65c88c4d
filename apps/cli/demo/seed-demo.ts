import { generateApiKey } from '#http/api-key.js';
import { SCOPES } from '#kernel/scopes.js';
import { createApiKey, revokeApiKey } from '#resources/api-key/api-key.commands.js';
import { listApiKeys } from '#resources/api-key/api-key.queries.js';
import { createOrganisation, ensureSandboxOrganisation } from '#resources/organisation/organisation.commands.js';
import { findOrganisation } from '#resources/organisation/organisation.queries.js';
import { commandServices, NO_ORGANISATION, operatorContext } from '../command-context.js';
import type { Installation } from '../installation.js';
import { seedOrganisation } from './seed-organisation.js';

const DEMO = { name: 'Northwind Analytics', subdomain: 'demo', country_code: 'GB', plan: 'standard', time_zone: 'Europe/London', approveWrites: true } as const;
const DEMO_CAST = { seed: 20_240_229, count: 42, domain: 'northwind.example' };
const SANDBOX_CAST = { seed: 7, count: 12, domain: 'sandbox.example' };
const KEY_NAME = 'Demo key';

/**
 * Makes a live demo organisation with people and history, the sandbox with synthetic people, and a key of the demo
 * organisation with all scopes. May be interrupted and done again: the key of an earlier run that nobody saw is revoked.
 */
export async function seedDemo(installation: Omit<Installation, 'database' | 'close'>): Promise<{ organisationId: string; apiKey: string }> {
  const services = commandServices(installation);
  const demo = (await findOrganisation(installation.pool, DEMO.subdomain)) ?? (await createOrganisation(services, operatorContext(NO_ORGANISATION), DEMO));
  const sandbox = await ensureSandboxOrganisation(services, operatorContext(NO_ORGANISATION));
  await seedOrganisation(services, installation.pool, demo, DEMO_CAST);
  await seedOrganisation(services, installation.pool, sandbox, SANDBOX_CAST);
  for (const key of await listApiKeys(installation.pool, demo.id)) {
    if (key.name === KEY_NAME) await revokeApiKey(services, operatorContext(demo), key.key_id);
  }
  const { apiKey, ...secret } = generateApiKey('live');
  const wanted = { name: KEY_NAME, environment: 'live', scopes: SCOPES, ...secret, expiresAt: null, now: new Date() } as const;
  await createApiKey(services, operatorContext(demo), demo, wanted);
  return { organisationId: demo.id, apiKey };
}
