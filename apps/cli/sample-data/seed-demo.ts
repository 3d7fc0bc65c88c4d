import type { Pool } from 'pg';
import { generateApiKey } from '#http/keys/api-key.js';
import { dateIn } from '#kernel/dates.js';
import { CONTRACT_SCOPES } from '#kernel/scopes.js';
import type { KeyEnvironment } from '#kernel/tenancy.js';
import type { CommandServices } from '#commands/services.js';
import { createApiKey, revokeApiKey } from '#resources/integration/api-key/api-key.commands.js';
import { listApiKeys } from '#resources/integration/api-key/api-key.queries.js';
import { inviteWithLink } from '#resources/integration/user/user.commands.js';
import { createOrganisation, setOrganisation } from '#resources/organisation/organisation/organisation.commands.js';
import { findOrganisation, type OrganisationRow } from '#resources/organisation/organisation/organisation.queries.js';
import { findSandbox } from '#resources/integration/sandbox/sandbox.queries.js';
import { commandServices, NO_ORGANISATION, operatorContext } from '../command-context.js';
import type { Installation } from '../installation.js';
import { calendarFrom, calendarOf } from './calendar.js';
import { generateDemoPeople } from './demo-people.js';
import type { DemoReceiver } from './demo-receiver.js';
import { DEMO_SUBDOMAIN, webhookSteps } from './demo-webhooks.js';
import { personIdsOf } from './life-steps.js';
import { recordedAt } from './recorded-at.js';
import { refreshSandbox } from './refresh-sandbox.js';
import { seedContexts } from './seed-context.js';
import { creationMoment, seedOrganisation } from './seed-organisation.js';
import { type Comparison, comparisonOf, FIRST_TO_LOOK_AT } from './story.js';

const DEMO = {
  name: 'Northwind Analytics',
  subdomain: DEMO_SUBDOMAIN,
  country_code: 'GB',
  plan: 'standard',
  time_zone: 'Europe/London',
  approveWrites: true,
} as const;
const DEMO_LOOKS = { logo_url: 'https://northwind.example/logo.svg', primary_color_light: '#1f4e79', primary_color_dark: '#9cc4e8' };
const DEMO_PEOPLE = { seed: 20_240_229, count: 120, domain: 'northwind.example' };
const KEY_NAME = 'Demo key';
const ADMINISTRATOR = { email: 'administrator@northwind.example', role: 'administrator' } as const;

/** The parts of an installation that the demo needs. */
type DemoInstallation = Omit<Installation, 'database' | 'close'>;

/** What was made, with keys that are shown this once. */
export interface SeededDemo {
  readonly organisationId: string;
  readonly apiKey: string;
  /** Of the sandbox. */
  readonly testKey: string;
  /** Signs in its administrator, once and soon. */
  readonly signInToken: string;
  readonly firstPerson: FirstPerson;
}

/** The person to look at first. */
export interface FirstPerson {
  readonly id: string;
  readonly name: string;
  readonly comparison: Comparison;
}

/**
 * Makes a live demo organisation with made-up people and a history of five years, its sandbox, keys of both with all scopes of the contract, and an administrator. The
 * history is imported: its events have recorded times of those years. May be interrupted and done again: keys of an interrupted run, which
 * were never shown, are revoked.
 *
 * @param now the moment at which the history ends; the day of the first run decides.
 */
export async function seedDemo(installation: DemoInstallation, receiver: DemoReceiver, now = new Date()): Promise<SeededDemo> {
  const services = commandServices(installation);
  const { pool, keys } = installation;
  const demo = await findOrCreateDemo(services, pool, now);
  await seedOrganisation(services, pool, demo, DEMO_PEOPLE, webhookSteps(keys.webhookSecrets, receiver));
  if ((await findSandbox(pool, demo.id)) === null) await refreshSandbox(services, pool, operatorContext(demo));
  for (const key of await listApiKeys(pool, demo.id)) {
    if (key.name === KEY_NAME) await revokeApiKey(services, operatorContext(demo), key.key_id);
  }
  const [apiKey, testKey] = [await makeKey(services, demo, 'live'), await makeKey(services, demo, 'sandbox')];
  const signInToken = await inviteAdministrator(services, demo);
  return { organisationId: demo.id, apiKey, testKey, signInToken, firstPerson: firstPersonOf(services, demo) };
}

async function findOrCreateDemo(services: CommandServices, pool: Pool, now: Date): Promise<OrganisationRow> {
  const found = await findOrganisation(pool, DEMO.subdomain);
  const createdAt = found?.created_at ?? new Date(creationMoment(calendarOf(dateIn(DEMO.time_zone, now)).firstDay));
  const past = { ...services, store: recordedAt(services.store, createdAt.toISOString()) };
  const demo = found ?? (await createOrganisation(past, operatorContext(NO_ORGANISATION), DEMO));
  return setOrganisation(past, operatorContext(demo), DEMO_LOOKS);
}

function firstPersonOf({ mint }: CommandServices, demo: OrganisationRow): FirstPerson {
  const calendar = calendarFrom(dateIn(demo.time_zone, demo.created_at));
  const people = generateDemoPeople(DEMO_PEOPLE, calendar);
  const { firstName, lastName } = FIRST_TO_LOOK_AT;
  const number = people.findIndex((person) => person.firstName === firstName && person.lastName === lastName);
  const id = personIdsOf(mint, seedContexts(demo.id, calendar.today), people)[number]!;
  return { id, name: `${firstName} ${lastName}`, comparison: comparisonOf(calendar) };
}

async function inviteAdministrator(services: CommandServices, demo: OrganisationRow): Promise<string> {
  return (await inviteWithLink(services, operatorContext(demo), ADMINISTRATOR, new Date())).link.token;
}

async function makeKey(services: CommandServices, demo: OrganisationRow, environment: KeyEnvironment): Promise<string> {
  const { apiKey, ...secret } = generateApiKey(environment);
  const wanted = { name: KEY_NAME, environment, scopes: CONTRACT_SCOPES, ...secret, expiresAt: null, now: new Date() };
  await createApiKey(services, operatorContext(demo), demo, wanted);
  return apiKey;
}
