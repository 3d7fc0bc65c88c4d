import { PeopleActions } from '../support/api/people.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import type { Schemas } from '../support/api/shapes.js';

const PATH = '/payroll-changes-export';

type Change = Schemas['PayrollChangeResponse'];

let organisation: TestOrganisation;
let people: PeopleActions;

const api = TestApi.forSpec();
beforeEach(async () => {
  organisation = await api.organisation();
  people = new PeopleActions(organisation);
});

const changes = (from: string, to: string, limit = 200): Promise<readonly Change[]> =>
  people.all<Change>(PATH, { from, to, limit });
/** Windows long ago or far ahead, so that nothing counts as recorded in them. */
const PAST = ['2024-03-01', '2024-03-31'] as const;

describe('GET /payroll-changes-export', () => {
  it('shows everything that was answered before a run began, once, and ends, whoever writes meanwhile', async () => {
    const before: string[] = [];
    for (let index = 0; index < 12; index += 1) before.push((await people.create({ start_date: '2024-03-01' })).id);
    let isRunning = true;
    const writers = [1, 2, 3].map(async () => {
      while (isRunning) await people.create({ start_date: '2024-03-02' });
    });
    const run = await changes(...PAST, 1).finally(() => (isRunning = false));
    await Promise.all(writers);
    expect(run.slice(0, 12).map(({ person }) => person.id)).toEqual(before);
    expect(new Set(run.map(({ fact_id }) => fact_id)).size).toBe(run.length);
    const again = await changes(...PAST);
    const shown = new Set(run.map(({ fact_id }) => fact_id));
    expect(again.filter(({ fact_id }) => shown.has(fact_id))).toEqual(run);
  });
});
