import { addDays, dateIn, type LocalDate } from '#kernel/dates.js';
import { CONTRACT_SCOPES } from '#kernel/scopes.js';
import type { KeyEnvironment } from '#kernel/tenancy.js';
import { CreateApiKey, RevokeApiKey } from '#access/api-key/api-key.api.js';
import { listApiKeys } from '#access/api-key/api-key.js';
import { InviteUserAsOperator } from '#access/user/operate-users.js';
import { CreateOrganisation, SetOrganisation } from '#organisation/organisation/organisation.api.js';
import { findOrganisation, type OrganisationRow } from '#organisation/organisation/organisation.js';
import { findSandbox } from '#access/sandbox/sandbox.js';
import { listErasures } from '#people/erasure/erasure-list.js';
import { NO_ORGANISATION, operatorContext } from '../command-context.js';
import type { Installation } from '../installation.js';
import { calendarFrom, calendarOf } from './calendar.js';
import { DEMO } from './data-files.js';
import { type DemoReceiver, webhookSteps } from './demo-receiver.js';
import { atMoment } from './recorded-at.js';
import { refreshSandbox } from './refresh-sandbox.js';
import { seedErasure } from './seed-erasure.js';
import { seedOpenWork } from './seed-open-work.js';
import { createdAtOf, seedOrganisation } from './seed-organisation.js';
import { openSeeding, type Seeding } from './seeding.js';

const KEY_NAME = 'Demo key';
const ADMINISTRATOR = { email: 'administrator@northwind.example', role: 'administrator' } as const;

/** The parts of an installation that the demo needs. */
type DemoInstallation = Omit<Installation, 'database' | 'close'>;

/** The created demo, with keys that are shown only once. */
export interface SeededDemo {
  readonly organisationId: string;
  readonly apiKey: string;
  /** The key of the sandbox. */
  readonly testKey: string;
  /** The token of the link that signs in its administrator once, within minutes. */
  readonly signInToken: string;
  readonly firstPerson: FirstPerson;
}

/** The person of the first example, and a day whose state is known differently at two times. */
interface FirstPerson {
  readonly id: string;
  readonly name: string;
  /** A day, and two times of knowledge, the earlier one first: ISO 8601 in UTC. */
  readonly comparison: { readonly asOf: LocalDate; readonly knownAt: string; readonly comparedKnownAt: string };
}

/**
 * Creates a live demo organisation with made-up people and a history of five years, its sandbox, keys of both
 * with all scopes of the contract, and an administrator. The history is imported: its events have recorded
 * times of those years. Safe to repeat after an interruption: keys of an interrupted run, which were never
 * shown, are revoked.
 *
 * @param now the time at which the history ends; repeats use the day of the first run
 */
export async function seedDemo(
  installation: DemoInstallation,
  receiver: DemoReceiver,
  now = new Date(),
): Promise<SeededDemo> {
  const seeding = await openSeeding(installation, [receiver]);
  const { pool, send } = seeding;
  const demo = await findOrCreateDemo(seeding, now);
  const [erasure] = await listErasures(pool, demo.id);
  // An erased person cannot be created again.
  if (erasure === undefined) await seedOrganisation(seeding, demo, DEMO.people, webhookSteps(receiver));
  await seedErasure(seeding, demo, erasure);
  await seedOpenWork(seeding, demo);
  if ((await findSandbox(pool, demo.id)) === null) await refreshSandbox(seeding, operatorContext(demo));
  for (const key of await listApiKeys(pool, demo.id)) {
    if (key.name === KEY_NAME) await send(new RevokeApiKey(operatorContext(demo), key.key_id, false));
  }
  const [apiKey, testKey] = [await makeKey(seeding, demo, 'live'), await makeKey(seeding, demo, 'sandbox')];
  const { link } = await send(new InviteUserAsOperator(operatorContext(demo), ADMINISTRATOR));
  return {
    organisationId: demo.id,
    apiKey,
    testKey,
    signInToken: link.token,
    firstPerson: await firstPersonOf(seeding, demo),
  };
}

async function findOrCreateDemo({ pool, send }: Seeding, now: Date): Promise<OrganisationRow> {
  const found = await findOrganisation(pool, DEMO.organisation.subdomain);
  const createdAt =
    found?.created_at ?? new Date(createdAtOf(calendarOf(dateIn(DEMO.organisation.time_zone, now)).firstDay));
  return atMoment(createdAt.toISOString(), async () => {
    const demo = found ?? (await send(new CreateOrganisation(operatorContext(NO_ORGANISATION), DEMO.organisation)));
    return send(new SetOrganisation(operatorContext(demo), DEMO.looks));
  });
}

/** The day is one on which a promotion was in force, which is known only since its correction. */
async function firstPersonOf({ pool }: Seeding, demo: OrganisationRow): Promise<FirstPerson> {
  const { today, lastMonth } = calendarFrom(dateIn(demo.time_zone, demo.created_at));
  const { rows } = await pool.query<{ person_id: string }>(
    'select person_id from people where organisation_id = $1 and first_name = $2 and last_name = $3',
    [demo.id, ...DEMO.firstToLookAt],
  );
  return {
    id: rows[0]!.person_id,
    name: DEMO.firstToLookAt.join(' '),
    comparison: {
      asOf: addDays(lastMonth, -15),
      knownAt: `${addDays(lastMonth, 10)}T12:00:00Z`,
      comparedKnownAt: `${today}T00:00:00Z`,
    },
  };
}

async function makeKey({ send }: Seeding, demo: OrganisationRow, environment: KeyEnvironment): Promise<string> {
  const requested = { name: KEY_NAME, environment, scopes: CONTRACT_SCOPES, expiresAt: null };
  // A random context never repeats a request, so the response always has the key.
  return (await send(new CreateApiKey(operatorContext(demo), requested))).apiKey!;
}
