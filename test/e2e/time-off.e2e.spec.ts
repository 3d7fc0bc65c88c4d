import { type ApiAnswer, expectError } from '../support/api/http-client.js';
import { TestApi } from '../support/api/test-api.js';
import { TimeOffActions } from '../support/api/time-off.js';

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
});
