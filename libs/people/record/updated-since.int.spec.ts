import type pg from 'pg';
import { createPool } from '#database/pool.js';
import {
  createPerson,
  createWorld,
  newOrganisation,
  recordFact,
  type World,
} from '../../../test/support/people/world.js';
import { presentPerson } from './present-people.js';
import { listPeople, type PeoplePage } from './read-people.js';

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

/** A person in the client's response. */
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
  it('receives an event recorded before its last sync and projected after it', async () => {
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
