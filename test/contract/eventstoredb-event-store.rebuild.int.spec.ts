import type pg from 'pg';
import { createPool } from '#database/pool.js';
import { EventStoreDbEventStore } from '#event-store/eventstoredb/eventstoredb-event-store.js';
import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import { forwardCalls } from '#event-store/forward-calls.js';
import { rebuild } from '#projections/rebuild/rebuild.js';
import { peopleProjection } from '#people/record/people.js';
import { ChildServer } from '../support/eventstoredb/child-server.js';
import { describeOnTestServer } from '../support/eventstoredb/outside-server.js';
import { PATIENCE } from '../support/eventstoredb/patience.js';
import { EventStoreDbTestServer } from '../support/eventstoredb/test-server.js';
import { contentByPerson } from '../support/people/tables.js';
import { createPerson, createWorld, newOrganisation, recordFact, type World } from '../support/people/world.js';
import { freshStream, newEvents } from './event-store.support.js';

const PEOPLE = 12;

async function collect(batches: AsyncIterable<readonly RecordedEvent[]>): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const batch of batches) events.push(...batch);
  return events;
}

describe('a rebuild from EventStoreDB', () => {
  let world: World;
  let pool: pg.Pool;
  let organisationId: string;

  beforeEach(async () => {
    world = await createWorld();
    organisationId = await newOrganisation(world);
    pool = createPool(world.database.url, { applicationName: 'rebuild', maximum: 8, statementTimeout: 0 });
    const people = [];
    for (let count = 0; count < PEOPLE; count += 1) people.push(await createPerson(world, organisationId));
    // Later events of the first people, so that no stream's events are next to each other in the log.
    for (const person of people)
      await recordFact(world, organisationId, person, {
        type: 'change',
        startDate: '2026-03-01',
        terms: { job_title: 'Engineer' },
        today: '2026-03-01',
      });
  });

  afterEach(async () => {
    await pool.end();
    await world.database.drop();
  });

  /** Scans give an event at a time and call `between` before each. */
  function scanned(between: (events: number) => void): EventStore {
    let events = 0;
    const { scanEntities } = world.eventStore.capabilities;
    async function* inSteps(...[categories, upTo, scan]: Parameters<NonNullable<typeof scanEntities>>) {
      for await (const batch of scanEntities!(categories, upTo, { ...scan, batchSize: 1 })) {
        between((events += 1));
        yield batch;
      }
    }
    return { ...forwardCalls(world.eventStore), capabilities: { scanEntities: inSteps } };
  }

  it('that was interrupted begins again, and gives the tables that were there', async () => {
    const parts = { pool, clock: world.clock };
    const before = await contentByPerson(world.pool, [organisationId]);
    const breaking = scanned((events) => {
      if (events === PEOPLE) throw new Error('broken off');
    });
    await expect(rebuild({ ...parts, eventStore: breaking }, peopleProjection)).rejects.toThrow('broken off');
    let read = 0;
    const again = await rebuild({ ...parts, eventStore: scanned(() => (read += 1)) }, peopleProjection);
    expect(again.differences).toBe(0);
    expect(read).toBe(again.events);
    expect(await contentByPerson(world.pool, [organisationId])).toEqual(before);
  });
});

describeOnTestServer('a scan of EventStoreDB', 'be killed', () => {
  const open = (connectionString: string): EventStoreDbEventStore =>
    new EventStoreDbEventStore({ connectionString, ...PATIENCE });

  it('gives all categories together, entity by entity', async () => {
    const server = await EventStoreDbTestServer.start();
    const store = open(server.connectionString);
    const keys = ['org_b.2', 'org_a.1', 'org_a.10', 'org_a.1-'];
    for (const key of keys)
      for (const category of ['one', 'two']) await store.append(`${category}-${key}`, 'none', newEvents(2));
    await store.append(freshStream(), 'none', newEvents(2));
    const { position } = await store.append(`one-${keys[0]!}`, 1, newEvents(1));
    await store.append(`two-${keys[0]!}`, 1, newEvents(1));
    const events = await collect(store.capabilities.scanEntities!(['two', 'one'], position, { batchSize: 3 }));
    expect(events.map(({ stream, revision }) => `${stream}@${revision}`)).toEqual(
      [...keys]
        .sort()
        .flatMap((key) => [
          ...(key === keys[0] ? [0, 1, 2] : [0, 1]).map((revision) => `one-${key}@${revision}`),
          ...[0, 1].map((revision) => `two-${key}@${revision}`),
        ]),
    );
    expect(events.slice(0, 2)).toEqual(await store.readStream('one-org_a.1'));
    await store.close();
    await server.stop();
  });

  it('goes on where it was when the server is killed in the middle, with nothing missing and nothing twice', async () => {
    const server = await ChildServer.start();
    const store = open(server.connectionString);
    try {
      const streams = Array.from({ length: 12 }, (_, number) => `kind-org_a.${String(number).padStart(2, '0')}`);
      let head = '';
      for (const stream of streams) ({ position: head } = await store.append(stream, 'none', newEvents(1_000)));
      const scanning = collect(store.capabilities.scanEntities!(['kind'], head));
      await server.kill();
      await server.restart();
      expect((await scanning).map(({ stream, revision }) => `${stream}@${revision}`)).toEqual(
        streams.flatMap((stream) => Array.from({ length: 1_000 }, (_, revision) => `${stream}@${revision}`)),
      );
    } finally {
      await store.close();
      await server.stop();
    }
  });
});
