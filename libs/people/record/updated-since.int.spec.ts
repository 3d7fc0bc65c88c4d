import type pg from 'pg';
import { createPool } from '#database/pool.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import {
  createPerson,
  createWorld,
  newOrganisation,
  recordFact,
  type World,
  worldOver,
} from '../../../test/support/people/world.js';
import { presentPerson } from './present-people.js';
import { findPerson, listPeople, type PeoplePage } from './read-people.js';
import { testSize } from '../../../test/support/test-size.js';

const WRITERS = 16;
const CHANGES = testSize('SYNCED_CHANGES', { usual: 1_000, long: 5_000 });
/**
 * Fewer would leave few changes between two of them. Writers go on until there were as many, however slowly
 * the machine reads.
 */
const SYNCS = 11;
const PAGE = 7;

let world: World;
let organisationId: string;
let readers: pg.Pool;

beforeAll(async () => {
  world = await createWorld();
  organisationId = await newOrganisation(world);
  readers = createPool(world.database.url, { applicationName: 'reader', maximum: 2 });
});
afterAll(async () => {
  await readers.end();
  await world.database.drop();
});

/** A person as the client received them. */
type Seen = ReturnType<typeof presentPerson>;

/**
 * One sync as a client makes it: pages from its last `updated_at` on, until there are no more. Returns the
 * largest time that it saw.
 */
async function sync(since: string | null, see: (person: Seen) => void): Promise<string | null> {
  let maximum = since;
  let page: PeoplePage = { organisationId, order: 'change', since, horizon: null, after: null, count: PAGE };
  for (;;) {
    const rows = await listPeople(readers, page);
    for (const row of rows) {
      const person = presentPerson(row.person);
      see(person);
      if (maximum === null || person.updated_at > maximum) maximum = person.updated_at;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return maximum;
    const horizon = page.horizon ?? last.horizon!.toISOString();
    page = { ...page, horizon, after: { time: last.time.toISOString(), id: last.id } };
  }
}

describe('a client that feeds back the largest updated_at it saw', () => {
  it(`misses none of at least ${CHANGES} changes by ${WRITERS} concurrent writers, page by page`, async () => {
    const people = await Promise.all(Array.from({ length: 200 }, () => createPerson(world, organisationId)));
    const processes = Array.from({ length: 4 }, () => {
      const pool = createPool(world.database.url, { applicationName: 'writer', maximum: 4 });
      return { pool, world: worldOver(world.database, { eventStore: new PostgresEventStore(pool), pool }) };
    });
    let left = CHANGES;
    let syncs = 0;
    const isGoingOn = (): boolean => left > 0 || syncs < SYNCS;
    const seen = new Map<string, Seen>();
    const write = async (writer: number): Promise<void> => {
      const { world: own } = processes[writer % processes.length]!;
      for (let turn = 0; isGoingOn(); turn += 1) {
        left -= 1;
        if (turn % 50 === 49) {
          people.push(await createPerson(own, organisationId));
          continue;
        }
        // Each writer uses few people, so that histories stay short and several writers sometimes write to
        // the same person.
        const personId = people[(writer * 31 + turn * 7) % people.length]!;
        await recordFact(own, organisationId, personId, {
          type: 'change',
          startDate: '2026-01-02',
          terms: { job_title: `${writer} ${turn}` },
          today: '2026-01-02',
        });
      }
    };
    let since: string | null = null;
    const see = (person: Seen): void => void seen.set(person.id, person);
    const read = async (): Promise<void> => {
      while (isGoingOn()) {
        since = await sync(since, see);
        syncs += 1;
      }
    };
    await Promise.all([...Array.from({ length: WRITERS }, (_, writer) => write(writer)), read()]);
    await sync(since, see);
    await Promise.all(processes.map(({ pool }) => pool.end()));
    expect(syncs).toBeGreaterThan(10);
    expect(seen.size).toBe(people.length);
    for (const [personId, person] of seen)
      expect(person).toEqual(presentPerson((await findPerson(world.pool, organisationId, personId))!));
  });

  it('sees what was recorded before its last sync and projected after it', async () => {
    const early = await createPerson(world, organisationId);
    const streams = await world.eventStore.readStreams([
      `person-${organisationId}.${early}`,
      `employment-${organisationId}.${early}`,
    ]);
    const deleted = `where organisation_id = $1 and person_id = $2`;
    for (const table of ['people', 'employment_facts', 'employment_beliefs'])
      await world.pool.query(`delete from ${table} ${deleted}`, [organisationId, early]);
    const late = await createPerson(world, organisationId);
    const seen: string[] = [];
    const since = await sync(null, (person) => seen.push(person.id));
    expect(seen).toContain(late);
    expect(seen).not.toContain(early);
    await world.projector.project(world.pool, streams);
    const next: string[] = [];
    await sync(since, (person) => next.push(person.id));
    expect(next).toContain(early);
  });

  it('ends a sync while writes go on', async () => {
    const pages: string[] = [];
    let page: PeoplePage = { organisationId, order: 'change', since: null, horizon: null, after: null, count: 1 };
    for (let turn = 0; turn < 1_000; turn += 1) {
      const [row] = await listPeople(readers, page);
      if (row === undefined) break;
      pages.push(row.id);
      await recordFact(world, organisationId, row.id, {
        type: 'change',
        startDate: '2026-01-02',
        terms: {},
        today: '2026-01-02',
      });
      page = {
        ...page,
        horizon: page.horizon ?? row.horizon!.toISOString(),
        after: { time: row.time.toISOString(), id: row.id },
      };
    }
    expect(pages.length).toBeLessThan(1_000);
    expect(new Set(pages).size).toBe(pages.length);
  });
});
