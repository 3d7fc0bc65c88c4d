import { commandTimeOffCategory } from '#time-off/category/time-off-category.api.js';
import { type ApiAnswer, dataOf, expectError, tagOf } from '../support/api/http-client.js';
import { TestApi } from '../support/api/test-api.js';
import { TimeOffActions } from '../support/api/time-off.js';
import { testContext } from '../support/command-services.js';
import type { TimeOff } from '../support/api/shapes.js';

/** Monday to Friday, in a week without a public holiday. */
const WEEK = { start_date: '2026-03-02', end_date: '2026-03-06' };

/** Standard, and to be approved. */
let category: string;

const api = TestApi.forSpec();
const organisation = api.organisationForSpec();
const timeOff = new TimeOffActions(api, organisation);

beforeAll(async () => {
  category = await timeOff.category({ label: 'Annual leave' });
});

/** A pending record of somebody new. */
async function pending(body: object = {}): Promise<TimeOff> {
  return timeOff.create({ person_id: await timeOff.person(), category_id: category, ...WEEK, ...body });
}

function issueOf(answer: ApiAnswer): string {
  return answer.json.error.details![0]!.issue;
}

describe('POST /time-off', () => {
  it('refuses days before the start and behind the final day with 409, naming the day', async () => {
    const personId = await timeOff.person({ start_date: '2026-03-03' });
    const before = await timeOff.post({ person_id: personId, category_id: category, ...WEEK });
    expectError(before, 409, 'conflict', 'start_date');
    expect(issueOf(before)).toBe('the person is not employed on 2026-03-02');
    await timeOff.people.end(personId, '2026-03-05');
    const behind = await timeOff.post({
      person_id: personId,
      category_id: category,
      start_date: '2026-03-04',
      end_date: '2026-03-06',
    });
    expectError(behind, 409, 'conflict', 'end_date');
    expect(issueOf(behind)).toBe('the person is not employed on 2026-03-06: 2026-03-05 was their final day');
    expect(
      (
        await timeOff.post({
          person_id: personId,
          category_id: category,
          start_date: '2026-03-03',
          end_date: '2026-03-05',
        })
      ).status,
    ).toBe(201);
  });

  it('refuses an archived category with 409, also as a change, while its records go on', async () => {
    const old = await timeOff.category();
    const record = await pending({ category_id: old });
    await commandTimeOffCategory(api.services, testContext(timeOff.organisation.row.id), old, { type: 'archive' });
    expectError(
      await timeOff.post({
        person_id: record.person.id,
        category_id: old,
        start_date: '2026-05-11',
        end_date: '2026-05-12',
      }),
      409,
      'conflict',
      'category_id',
    );
    const other = await pending();
    expectError(await timeOff.patch(other.id, { category_id: old }), 409, 'conflict', 'category_id');
    expect(dataOf(200, await timeOff.patch(record.id, { end_date: '2026-03-05' }))).toMatchObject({ total_days: 4 });
    expect(await timeOff.do(record.id, 'approve')).toMatchObject({ status_code: 'approved' });
  });
});

describe('PATCH /time-off/{timeOffId}', () => {
  it('refuses a stale If-Match with 412 and takes the current one, whatever happened to other records', async () => {
    const answer = await timeOff.post({ person_id: await timeOff.person(), category_id: category, ...WEEK });
    const record = dataOf(201, answer);
    await timeOff.create({
      person_id: record.person.id,
      category_id: category,
      start_date: '2026-07-01',
      end_date: '2026-07-01',
    });
    const changed = await timeOff.patch(record.id, { end_date: '2026-03-05' }, { ifMatch: tagOf(answer) });
    expect(changed.status).toBe(200);
    expect(tagOf(changed)).not.toBe(tagOf(answer));
    expectError(
      await timeOff.patch(record.id, { end_date: '2026-03-04' }, { ifMatch: tagOf(answer) }),
      412,
      'precondition_failed',
    );
    expectError(await timeOff.step(record.id, 'approve', { ifMatch: tagOf(answer) }), 412, 'precondition_failed');
    expect((await timeOff.step(record.id, 'approve', { ifMatch: tagOf(changed) })).status).toBe(200);
  });
});
