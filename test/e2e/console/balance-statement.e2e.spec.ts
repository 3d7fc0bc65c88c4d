import { isByRelation, ROLES } from '#kernel/roles.js';
import { type Browser, signedIn } from '../../support/api/browser-session.js';
import { dataOf } from '../../support/api/http-client.js';
import { TestApi } from '../../support/api/test-api.js';
import { TimeOffActions } from '../../support/api/time-off.js';
import type { BalanceStatement, CategoryStatement } from '#time-off/balances/balance-statement.js';
import type { Schemas } from '../../support/api/shapes.js';

/** A working day of the organisation's pattern. */
const DAY = 450;
const TODAY = '2026-06-15';

const api = TestApi.forSpec({ clock: { now: () => new Date(`${TODAY}T12:00:00Z`) } });
const of = api.organisationForSpec();

let browser: Browser;
let timeOff: TimeOffActions;
let leave: string;
let person: string;

beforeAll(async () => {
  ({ browser } = await signedIn(api, of.row.id, 'hr'));
  timeOff = new TimeOffActions(api, of);
  leave = await timeOff.category({ annual_allowance_minutes: 28 * DAY });
  await timeOff.category({ annual_allowance_minutes: null });
  person = await timeOff.person({ first_name: 'Ada', last_name: 'Bird', start_date: '2026-04-16' });
});

const asked = (query: string, id = person) => browser.send('GET', `/console/people/${id}/balance-statement?${query}`);
async function statementOf(query: string): Promise<BalanceStatement> {
  const { status, json } = await asked(query);
  expect(status).toBe(200);
  return json.data as unknown as BalanceStatement;
}
async function ofLeave(asOf: string): Promise<CategoryStatement> {
  return (await statementOf(`as_of=${asOf}`)).statements.find(({ category }) => category.id === leave)!;
}
const adjust = async (body: object): Promise<string> =>
  dataOf(
    201,
    await of.client.post<Schemas['AdjustmentResponse']>(`/people/${person}/time-off-balance/adjustments`, {
      category_id: leave,
      effective_date: '2026-05-04',
      reason_code: 'grant',
      ...body,
    }),
  ).id;

it('has the balances of the API, each amount with lines of that sum', async () => {
  const booked = { person_id: person, category_id: leave };
  const week = await timeOff.create({ ...booked, start_date: '2026-05-11', end_date: '2026-05-15' });
  await timeOff.do(week.id, 'approve');
  const asking = await timeOff.create({ ...booked, start_date: '2026-11-02', end_date: '2026-11-03' });
  const wrong = await adjust({ amount_minutes: 900 });
  const reversal = await adjust({ amount_minutes: -900, reason_code: 'correction', reverses: wrong });

  const { statements, ...about } = await statementOf(`as_of=${TODAY}`);
  expect(about).toEqual({
    person: { id: person, display_name: 'Ada Bird' },
    as_of: TODAY,
    minutes_per_day: DAY,
  });
  const read = await of.client.get<Schemas['BalanceResponse']>(`/people/${person}/time-off-balance`);
  const { balances } = dataOf(200, read);
  expect(statements.map(({ category }) => category)).toEqual(balances.map(({ category }) => category));
  statements.forEach(({ amounts }, index) => {
    for (const [name, { minutes, lines }] of Object.entries(amounts)) {
      expect([name, minutes]).toEqual([name, balances[index]![name as keyof typeof amounts]]);
      expect([name, lines.reduce((sum, line) => sum + line.minutes, 0)]).toEqual([name, minutes]);
    }
  });

  const { leave_year, amounts } = statements.find(({ category }) => category.id === leave)!;
  expect(leave_year).toEqual({ first_day: '2026-04-16', last_day: '2026-12-31' });
  expect(amounts.accrued.lines).toEqual([
    {
      minutes: 8_975,
      first_day: '2026-04-16',
      last_day: '2026-12-31',
      rule: { code: 'yearly_grant', allowance_minutes: 12_600, days: 260, of_days: 365 },
      facts: [
        { kind: 'category', id: leave, applies_from: null },
        { kind: 'settings', applies_from: null },
        { kind: 'employment', first_day: '2026-04-16', final_day: null },
      ],
    },
  ]);
  expect(amounts.taken.lines).toMatchObject([
    {
      minutes: 5 * DAY,
      first_day: '2026-05-11',
      last_day: '2026-05-15',
      rule: { code: 'time_off', days: 5 },
      facts: [
        {
          kind: 'time_off',
          id: week.id,
          start_date: '2026-05-11',
          end_date: '2026-05-15',
          status_code: 'approved',
        },
      ],
    },
  ]);
  expect(amounts.pending.lines).toMatchObject([{ minutes: 2 * DAY, facts: [{ id: asking.id }] }]);
  expect(amounts.adjusted.lines.flatMap(({ facts }) => facts)).toMatchObject([
    { kind: 'adjustment', id: wrong, reason_code: 'grant', reverses: null, reversed_by: reversal },
    { kind: 'adjustment', id: reversal, reason_code: 'correction', reverses: wrong, reversed_by: null },
  ]);
});

it('as of a prior day has the lines that were known then, and before the employment none', async () => {
  expect((await ofLeave('2026-05-01')).amounts).toMatchObject({
    scheduled: { minutes: 0, lines: [] },
    taken: { minutes: 0, lines: [] },
  });
  expect(await ofLeave('2026-04-15')).toMatchObject({
    leave_year: null,
    amounts: { accrued: { minutes: 0, lines: [] } },
  });
});

it('is for sessions of every role that sees everybody, of people who exist, as of a day', async () => {
  const path = `/console/people/${person}/balance-statement`;
  const statuses = [await asked('as_of=soon'), await asked('as_of=2999-01-01'), await asked('', '000000000000')];
  expect(statuses.map(({ status }) => status)).toEqual([400, 400, 404]);
  for (const role of ROLES.filter((one) => !isByRelation(one))) {
    const { browser: user } = await signedIn(api, of.row.id, role, { email: `${role}@users.example` });
    expect([role, (await user.send('GET', path)).status]).toEqual([role, 200]);
  }
  const byKey = await fetch(`${api.url}${path}`, {
    headers: { authorization: `Bearer ${of.apiKey}` },
  });
  expect(byKey.status).toBe(401);
});
