import type { Pool, PoolClient } from 'pg';
import { commandServices, NO_ORGANISATION, operatorContext } from '#cli/command-context.js';
import { type InstallationKeys, loadInstallationKeys } from '#database/installation-keys.js';
import { migrate } from '#database/migrations.js';
import { createPool } from '#database/pool.js';
import { inTransaction } from '#database/transaction.js';
import type { CommandContext } from '#commands/command-context.js';
import type { EventStore } from '#event-store/event-store.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { generateApiKey } from '#http/keys/api-key.js';
import { type IdMint } from '#identifiers/id-mint.js';
import type { LocalDate } from '#kernel/dates.js';
import { SCOPES } from '#kernel/scopes.js';
import { advanceCheckpoints } from '#projections/checkpoints.js';
import { copiedColumns, RowCopy } from '#projections/rebuild/copy-rows.js';
import type { CommandServices } from '#commands/execute.js';
import { createApiKey } from '#resources/integration/api-key/api-key.commands.js';
import { MIGRATIONS } from '#resources/migrations.js';
import { PROJECTIONS } from '#resources/registry.js';
import { findOrCreateOrgUnits } from '#resources/organisation/org-unit/org-unit.commands.js';
import { createOrganisation } from '#resources/organisation/organisation/organisation.commands.js';
import { WORK_PLACES, WORK_TYPES } from '#resources/organisation/dictionary/dictionaries.js';
import { type Lengths, type MadePerson, makePerson, type PlacedEvent, type Surroundings } from './history.js';
import { type MadeCategories, makeTimeOff } from './time-off-history.js';

/** An installation's database with one organisation. */
export interface Fixture {
  readonly url: string;
  readonly pool: Pool;
  readonly keys: InstallationKeys;
  readonly mint: IdMint;
  readonly surroundings: Surroundings;
  readonly subdomain: string;
  readonly apiKey: string;
  readonly services: CommandServices;
  /** Of one command of the operator's. */
  newContext(): CommandContext;
  close(): Promise<void>;
}

const ORGANISATION = {
  name: 'Bench',
  country_code: 'GB',
  plan: 'standard',
  time_zone: 'Europe/London',
  approveWrites: true,
} as const;
const SUBDOMAIN = 'bench';
const DEPARTMENTS = ['Engineering', 'Product', 'Design', 'Customer Success', 'Finance', 'People', 'Legal', 'Operations'];

/**
 * Migrates the database and makes the organisation, a key with all scopes, and what people refer to. Events are stored in the database where
 * no other event store is opened.
 */
export async function openFixture(
  url: string,
  openStore: (pool: Pool) => EventStore = (pool) => new PostgresEventStore(pool),
): Promise<Fixture> {
  const pool = createPool(url, { applicationName: 'bench', maximum: 8, statementTimeout: 0 });
  await migrate(pool, MIGRATIONS);
  const keys = await loadInstallationKeys(pool);
  const eventStore = openStore(pool);
  const services = commandServices({ pool, eventStore, keys });
  const made = await addOrganisation(services, SUBDOMAIN);
  const close = async (): Promise<void> => {
    await eventStore.close();
    await pool.end();
  };
  return {
    url,
    pool,
    keys,
    mint: services.mint,
    subdomain: SUBDOMAIN,
    services,
    ...made,
    close,
  };
}

/** An organisation with a key that has all scopes, and with what its people refer to. */
export async function addOrganisation(
  services: CommandServices,
  subdomain: string,
): Promise<Pick<Fixture, 'surroundings' | 'apiKey' | 'newContext'>> {
  const organisation = await createOrganisation(services, operatorContext(NO_ORGANISATION), { ...ORGANISATION, subdomain });
  const context = operatorContext(organisation);
  const { apiKey, ...secret } = generateApiKey('live');
  const wanted = { name: 'Bench', environment: 'live', scopes: SCOPES, ...secret, expiresAt: null, now: new Date() } as const;
  const key = await createApiKey(services, context, organisation, wanted);
  const idsOf = (found: ReadonlyMap<string, { readonly id: string }>): readonly string[] => [...found.values()].map(({ id }) => id);
  const surroundings = {
    organisationId: organisation.id,
    keyId: key.key_id,
    departmentIds: idsOf(await findOrCreateOrgUnits(services, context, DEPARTMENTS)),
    workPlaceIds: idsOf(await WORK_PLACES.findOrCreate(services, context, ['London office', 'Leeds office', 'Remote'])),
    workTypeIds: idsOf(await WORK_TYPES.findOrCreate(services, context, ['Full-time', 'Part-time'])),
  };
  return { surroundings, apiKey, newContext: () => operatorContext(organisation) };
}

const PEOPLE_PER_TRANSACTION = 5_000;
const EVENT_COLUMNS = ['stream', 'revision', 'event_id', 'type', 'data', 'metadata', 'recorded_at'];
const KEY_COLUMNS = ['organisation_id', 'person_id', 'key'];
const RESERVATION_COLUMNS = ['organisation_id', 'email_key', 'person_id', 'is_confirmed'];

/** Puts people into the event store, past the API but with everything that it would have written there. Read tables stay as they are. */
export async function recordPeople(
  fixture: Pick<Fixture, 'pool' | 'mint' | 'surroundings'>,
  count: number,
  lengthsOf: (index: number) => Lengths,
  report: (people: number) => void = () => undefined,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let first = 0; first < count; first += PEOPLE_PER_TRANSACTION) {
    const people = Array.from({ length: Math.min(PEOPLE_PER_TRANSACTION, count - first) }, (_, index) =>
      makePerson(fixture.mint, fixture.surroundings, first + index, lengthsOf(first + index)),
    );
    await copyPeople(fixture, people);
    ids.push(...people.map(({ personId }) => personId));
    report(ids.length);
  }
  return ids;
}

const CALENDARS_PER_TRANSACTION = 500;

/** Puts two years of time off of each of these people into the event store; see {@link recordPeople}. */
export async function recordTimeOff(
  { pool, mint, surroundings }: Fixture,
  categories: MadeCategories,
  ids: readonly string[],
  firstDay: LocalDate,
): Promise<void> {
  for (let first = 0; first < ids.length; first += CALENDARS_PER_TRANSACTION) {
    const calendars = ids
      .slice(first, first + CALENDARS_PER_TRANSACTION)
      .flatMap((personId, number) => makeTimeOff(mint, surroundings, categories, { personId, index: first + number, firstDay }));
    await inTransaction(pool, (connection) => copyEvents(connection, calendars));
  }
}

async function copyPeople({ pool, surroundings }: Pick<Fixture, 'pool' | 'surroundings'>, people: readonly MadePerson[]): Promise<void> {
  const { organisationId: organisation_id } = surroundings;
  await inTransaction(pool, async (connection) => {
    const keys = new RowCopy(connection, 'person_keys', await copiedColumns(connection, 'person_keys', KEY_COLUMNS));
    for (const { personId, key } of people) await keys.write({ organisation_id, person_id: personId, key: `\\x${key.toString('hex')}` });
    await keys.end();
    const reserved = await copiedColumns(connection, 'work_email_reservations', RESERVATION_COLUMNS);
    const reservations = new RowCopy(connection, 'work_email_reservations', reserved);
    for (const { personId, workEmail } of people)
      await reservations.write({ organisation_id, email_key: workEmail, person_id: personId, is_confirmed: true });
    await reservations.end();
    await copyEvents(
      connection,
      people.flatMap((person) => person.events),
    );
  });
}

async function copyEvents(connection: PoolClient, placed: readonly PlacedEvent[]): Promise<void> {
  const events = new RowCopy(connection, 'events', await copiedColumns(connection, 'events', EVENT_COLUMNS));
  for (const { stream, revision, event, recordedAt } of placed) {
    const { id: event_id, type, data } = event;
    const metadata = JSON.stringify(event.metadata);
    await events.write({ stream, revision, event_id, type, data, metadata, recorded_at: recordedAt });
  }
  await events.end();
}

/** What was recorded so far is in the read tables, and published to nobody unless `isTold`. */
export async function skipLog({ pool }: Fixture, { isTold = false } = {}): Promise<void> {
  const head = (await new PostgresEventStore(pool).head())!;
  await advanceCheckpoints(
    pool,
    PROJECTIONS.map(({ name }) => name),
    head,
  );
  if (!isTold) await pool.query('update webhook_fan_out set position = $1', [head]);
  await pool.query('vacuum analyze');
}
