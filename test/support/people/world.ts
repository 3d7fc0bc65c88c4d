import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import type { EventStore } from '#event-store/event-store.js';
import { IdMint } from '#identifiers/id-mint.js';
import { dateIn, type LocalDate } from '#kernel/dates.js';
import { Projector } from '#projections/projector.js';
import { createOrganisation } from '#organisation/organisation/organisation.api.js';
import { type EmploymentRequest, type NewPerson, PeopleWriter } from '#people/record/people-writer.js';
import { PROJECTIONS } from '#composition/registry.js';
import { testEventStore } from '../event-store.js';
import { createTestDatabase, type TestDatabase } from '../postgres.js';

const ID_KEY = Buffer.alloc(32, 7);

/** The system's time, or a time set by a test. */
export class TestClock {
  private set: Date | null = null;

  now(): Date {
    return this.set ?? new Date();
  }

  /** Stops the clock at this instant, ISO 8601. */
  standAt(instant: string): void {
    this.set = new Date(instant);
  }

  /** Follows the system's time again. */
  go(): void {
    this.set = null;
  }
}

/** The services that write and project people in a test, over one database. */
export interface World {
  readonly database: TestDatabase;
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly clock: TestClock;
  readonly projector: Projector;
  readonly mint: IdMint;
  readonly writer: PeopleWriter;
}

/** Creates a database with everything that writes people. */
export async function createWorld(): Promise<World> {
  const database = await createTestDatabase();
  return worldOver(database, { eventStore: testEventStore(database.pool), pool: database.pool });
}

/** Creates a world before the tests of a spec file, and drops it after them, as `databaseForSpec` does. */
export function worldForSpec(): World {
  const world = {} as World;
  beforeAll(async () => void Object.assign(world, await createWorld()));
  afterAll(() => world.database.drop());
  return world;
}

/** Returns another set of services over the same database, like another process. */
export function worldOver(
  database: TestDatabase,
  parts: { readonly eventStore: EventStore; readonly pool: Pool; readonly clock?: TestClock },
): World {
  const clock = parts.clock ?? new TestClock();
  const projector = new Projector(PROJECTIONS, clock);
  const mint = new IdMint(ID_KEY);
  const { pool, eventStore } = parts;
  return {
    database,
    pool,
    eventStore,
    clock,
    projector,
    mint,
    writer: new PeopleWriter({ pool, eventStore, projector, mint }),
  };
}

/** Creates an organisation in this time zone and returns its id. */
export async function newOrganisation(world: World, timeZone = 'UTC'): Promise<string> {
  const services = { store: world.eventStore, executor: world.pool, projector: world.projector, mint: world.mint };
  const subdomain = `o${randomBytes(6).toString('hex')}`;
  const requested = {
    name: 'Example',
    subdomain,
    country_code: 'GB',
    plan: 'standard',
    time_zone: timeZone,
    approveWrites: true,
  } as const;
  const { id } = await createOrganisation(services, contextOf('', { today: '2026-01-01' }), requested);
  return id;
}

/** Returns the context of a request with a new idempotency key; the same `seed` repeats a request. */
export function contextOf(
  organisationId: string,
  { today, seed }: { readonly today: LocalDate; readonly seed?: string },
): CommandContext {
  const key = seed ?? randomBytes(16).toString('hex');
  return {
    organisationId,
    actor: { type: 'api_key', id: 'key_1' },
    requestId: `req_${key}`,
    idempotencyKey: key,
    fingerprint: 'f'.repeat(64),
    seed: [organisationId, 'key_1', key],
    today,
  };
}

/** Returns a new person with the minimum of data and a unique address. */
export function newPerson(person: Partial<NewPerson> & { readonly email?: string } = {}): NewPerson {
  const { email = `${randomBytes(6).toString('hex')}@example.com`, startDate = '2026-01-01', terms = {} } = person;
  const identity = {
    work_email: email,
    first_name: 'Ada',
    preferred_name: null,
    last_name: 'Lovelace',
    staff_id: null,
  };
  return { identity: person.identity ?? identity, startDate, terms };
}

/** Returns the current date of a world's clock in a time zone. */
export function todayOf(world: World, timeZone = 'UTC'): LocalDate {
  return dateIn(timeZone, world.clock.now());
}

/** Creates a person and returns the id. */
export async function createPerson(
  world: World,
  organisationId: string,
  person: Parameters<typeof newPerson>[0] = {},
  today = todayOf(world),
): Promise<string> {
  return world.writer.create(contextOf(organisationId, { today }), newPerson(person), new Map());
}

/** Records a fact of a person's employment, also with concurrent writers. */
export async function recordFact(
  world: World,
  organisationId: string,
  personId: string,
  request: EmploymentRequest,
  today = todayOf(world),
): Promise<void> {
  await world.writer.recordFact(contextOf(organisationId, { today }), personId, request, new Map(), null);
}
