import type { Pool } from 'pg';
import { rowsRead } from '../../../test/support/rows-read.js';
import { testContext, testServices } from '../../../test/support/command-services.js';
import { createPerson, newOrganisation, recordFact, worldForSpec } from '../../../test/support/people/world.js';
import { commandOrgUnit, findOrCreateOrgUnits } from '#organisation/org-unit/org-unit.api.js';
import type { TimelineQuery } from './employment-shapes.js';
import type { TimelineServices } from './known-at.js';
import { type ReadTimeline, readTimeline } from './read-timeline.js';

const world = worldForSpec();
let organisationId: string;
let departmentId: string;
let personId: string;

beforeAll(async () => {
  organisationId = await newOrganisation(world);
  const services = testServices(world.database);
  const departments = await findOrCreateOrgUnits(services, testContext(organisationId), ['Sales', 'Care']);
  const [sales, care] = ['sales', 'care'].map((name) => departments.get(name)!.id);
  departmentId = care!;
  const [first, second] = [await createPerson(world, organisationId), await createPerson(world, organisationId)];
  personId = await createPerson(world, organisationId, {
    startDate: '2024-01-01',
    terms: { job_title: 'A', department_id: sales!, manager_id: first, work_place_id: 'wp_gone' },
  });
  const change = (startDate: string, terms: object): Promise<unknown> =>
    recordFact(world, organisationId, personId, { type: 'change', startDate, terms, today: '2026-01-01' });
  await change('2024-06-01', { department_id: departmentId, manager_id: second });
  await change('2025-01-01', { manager_id: null, department_id: sales! });
});

function read(query: TimelineQuery, more: Partial<TimelineServices> = {}): Promise<ReadTimeline> {
  const services = { executor: world.pool, store: world.eventStore, projector: world.projector, ...more };
  return readTimeline(services, { organisationId, personId }, query);
}

const QUERIES: readonly TimelineQuery[] = [
  {},
  { as_of: '2023-01-01' },
  { as_of: '2024-05-31' },
  { as_of: '2024-06-01' },
  { as_of: '2026-01-01' },
  { known_at: '2020-01-01T00:00:00.000Z' },
  { known_at: '2020-01-01T00:00:00.000Z', as_of: '2024-07-01' },
];

describe('a timeline', () => {
  it('shows the names of today, also after one of them changed, and so does its tag', async () => {
    const readAll = (): Promise<readonly ReadTimeline[]> => Promise.all(QUERIES.map((query) => read(query)));
    const before = await readAll();
    expect(before[3]!.timeline.segment).toMatchObject({
      department: { name: 'Care' },
      work_place: { id: 'wp_gone', label: 'wp_gone' },
    });
    await commandOrgUnit(testServices(world.database), testContext(organisationId), departmentId, {
      type: 'change',
      changes: { name: 'Support' },
    });
    const after = await readAll();
    expect(after[3]!.timeline.segment).toMatchObject({ department: { name: 'Support' } });
    expect(after[3]!.entityTag).not.toBe(before[3]!.entityTag);
    expect(after[4]).toEqual(before[4]);
  });

  it('of a day takes one statement, which reads no more rows where there are more people', async () => {
    let statements = 0;
    const query = (...parameters: Parameters<Pool['query']>): unknown => {
      statements += 1;
      return (world.pool.query as (...all: unknown[]) => unknown)(...parameters);
    };
    await read({ as_of: '2025-06-01' }, { executor: { query } as unknown as Pool });
    expect(statements).toBe(1);
    const count = (): Promise<number> =>
      rowsRead(world.pool, (executor) => read({ as_of: '2025-06-01' }, { executor }));
    await world.pool.query('analyze');
    const before = await count();
    await world.pool.query(`
      insert into employment_beliefs select b.organisation_id, b.person_id || number, b.known_from, b.valid_from, b.valid, b.known, b.employed, b.fact_id
        from employment_beliefs b, generate_series(1, 2000) number where b.person_id = '${personId}'`);
    await world.pool.query('analyze');
    expect(await count()).toBeLessThanOrEqual(before);
  });
});
