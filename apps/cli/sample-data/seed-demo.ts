import { generateApiKey } from '#http/keys/api-key.js';
import { SCOPES } from '#kernel/scopes.js';
import type { KeyEnvironment } from '#kernel/tenancy.js';
import type { CommandServices } from '#commands/execute.js';
import { createApiKey, revokeApiKey } from '#resources/integration/api-key/api-key.commands.js';
import { listApiKeys } from '#resources/integration/api-key/api-key.queries.js';
import { createOrganisation, setOrganisation } from '#resources/organisation/organisation/organisation.commands.js';
import { findOrganisation, type OrganisationRow } from '#resources/organisation/organisation/organisation.queries.js';
import { findSandbox } from '#resources/integration/sandbox/sandbox.queries.js';
import { commandServices, NO_ORGANISATION, operatorContext } from '../command-context.js';
import type { Installation } from '../installation.js';
import { refreshSandbox } from './refresh-sandbox.js';
import { seedOrganisation } from './seed-organisation.js';

const DEMO = {
  name: 'Northwind Analytics',
  subdomain: 'demo',
  country_code: 'GB',
  plan: 'standard',
  time_zone: 'Europe/London',
  approveWrites: true,
} as const;
const DEMO_LOOKS = { logo_url: 'https://northwind.example/logo.svg', primary_color_light: '#1f4e79', primary_color_dark: '#9cc4e8' };
const DEMO_PEOPLE = { seed: 20_240_229, count: 42, domain: 'northwind.example' };
const KEY_NAME = 'Demo key';

/** What was made, with keys that are shown this once. */
export interface SeededDemo {
  readonly organisationId: string;
  readonly apiKey: string;
  /** Of the sandbox. */
  readonly testKey: string;
}

/**
 * Makes a live demo organisation with made-up people, their history and all that is kept of them, its sandbox, and keys of both with
 * all scopes. May be interrupted and done again: keys of an interrupted run, which were never shown, are revoked.
 */
export async function seedDemo(installation: Omit<Installation, 'database' | 'close'>): Promise<SeededDemo> {
  const services = commandServices(installation);
  const { pool } = installation;
  const demo =
    (await findOrganisation(pool, DEMO.subdomain)) ?? (await createOrganisation(services, operatorContext(NO_ORGANISATION), DEMO));
  await setOrganisation(services, operatorContext(demo), DEMO_LOOKS);
  await seedOrganisation(services, pool, demo, DEMO_PEOPLE);
  if ((await findSandbox(pool, demo.id)) === null) await refreshSandbox(services, pool, operatorContext(demo));
  for (const key of await listApiKeys(pool, demo.id)) {
    if (key.name === KEY_NAME) await revokeApiKey(services, operatorContext(demo), key.key_id);
  }
  const [apiKey, testKey] = [await makeKey(services, demo, 'live'), await makeKey(services, demo, 'sandbox')];
  return { organisationId: demo.id, apiKey, testKey };
}

async function makeKey(services: CommandServices, demo: OrganisationRow, environment: KeyEnvironment): Promise<string> {
  const { apiKey, ...secret } = generateApiKey(environment);
  const wanted = { name: KEY_NAME, environment, scopes: SCOPES, ...secret, expiresAt: null, now: new Date() };
  await createApiKey(services, operatorContext(demo), demo, wanted);
  return apiKey;
}
