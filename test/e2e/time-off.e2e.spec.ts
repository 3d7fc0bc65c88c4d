import { commandTimeOffCategory } from '#time-off/category/time-off-category.api.js';
import { expectError } from '../support/api/expect-error.js';
import { type ApiAnswer, tagOf } from '../support/api/http-client.js';
import { dataOf } from '../support/api/people.js';
import { TestApi } from '../support/api/test-api.js';
import { TIME_OFF_FIELDS, type TimeOff, TimeOffActions } from '../support/api/time-off.js';
import { testContext } from '../support/command-services.js';

const UNKNOWN = {
  timeOff: 'to_aaaaaaaa.bbbbbbbb.cccccccccccc',
  category: 'toc_aaaaaaaa.bbbbbbbb.cccccccccccc',
  person: '000000000000',
};
/** Monday to Friday, in a week without a public holiday. */
const WEEK = { start_date: '2026-03-02', end_date: '2026-03-06' };

/** Standard and to be approved; standard and approved at once. */
let category: string;
let immediate: string;

const api = TestApi.forSpec();
const organisation = api.organisationForSpec();
const timeOff = new TimeOffActions(api, organisation);

beforeAll(async () => {
  category = await timeOff.category({ label: 'Annual leave' });
  immediate = await timeOff.category({ requires_approval: false });
});

/** A pending record of somebody new. */
async function pending(body: object = {}): Promise<TimeOff> {
  return timeOff.create({ person_id: await timeOff.person(), category_id: category, ...WEEK, ...body });
}

async function expectUnchanged(record: TimeOff): Promise<void> {
  expect(await timeOff.read(record.id)).toEqual(record);
}

function issueOf(answer: ApiAnswer): string {
  return answer.json.error.details![0]!.issue;
}

describe('POST /time-off', () => {
  it('makes a pending record with exactly the fields of the contract', async () => {
    const personId = await timeOff.person({ first_name: 'Ada', last_name: 'Byron' });
    const answer = await timeOff.post({ person_id: personId, category_id: category, ...WEEK });
    const record = dataOf(201, answer);
    expect(Object.keys(record)).toEqual(TIME_OFF_FIELDS);
    expect(record).toMatchObject({
      ...WEEK,
      person: { id: personId, display_name: 'Ada Byron' },
      category: { id: category, label: 'Annual leave' },
      start_day_part: 'full',
      end_day_part: 'full',
      total_minutes: 2_250,
      total_days: 5,
      status: 'Pending',
      status_code: 'pending',
    });
    expect(record.days.map(({ date, minutes, counted, reason }) => [date, minutes, counted, reason])).toEqual(
      ['2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05', '2026-03-06'].map((date) => [
        date,
        450,
        true,
        'working_day',
      ]),
    );
    const read = await timeOff.get(record.id);
    expect([read.text, tagOf(read)]).toEqual([answer.text, tagOf(answer)]);
    expect(await timeOff.eventsOf(personId)).toEqual(['TimeOffRequested']);
  });

  it('approves at once where the category needs no approval', async () => {
    expect(await pending({ category_id: immediate })).toMatchObject({ status: 'Approved', status_code: 'approved' });
  });

  const DAY = { start_date: '2026-03-02', end_date: '2026-03-02' };
  it.each([
    ['an end before the start', { end_date: '2026-03-01' }, 'end_date', 'is before start_date'],
    [
      'a date that does not exist',
      { start_date: '2026-02-30' },
      'start_date',
      'must be a date that exists, written YYYY-MM-DD',
    ],
    ['more than a year', { end_date: '2027-03-03' }, 'end_date', 'makes it longer than 366 days: record it in parts'],
    [
      'a date far ahead',
      { start_date: '2090-01-02', end_date: '2090-01-03' },
      'end_date',
      'is more than 10 years ahead',
    ],
    [
      'a morning before more days',
      { start_day_part: 'morning' },
      'start_day_part',
      'must be full or afternoon if more days follow: time off has no gap inside',
    ],
    [
      'an afternoon after other days',
      { end_day_part: 'afternoon' },
      'end_day_part',
      'must be full or morning if other days come before: time off has no gap inside',
    ],
    [
      'two parts of one day',
      { ...DAY, start_day_part: 'morning', end_day_part: 'full' },
      'end_day_part',
      'must be the same as start_day_part for a single day',
    ],
    [
      'days that nobody works',
      { start_date: '2026-03-07', end_date: '2026-03-08' },
      'start_date',
      'none of these days counts: they are days off or public holidays',
    ],
    [
      'a part that there is not',
      { start_day_part: 'evening' },
      'start_day_part',
      'must be one of: full, morning, afternoon',
    ],
    ['a note', { note: 'flu' }, 'note', 'is not a field of this request'],
    ['a status', { status_code: 'approved' }, 'status_code', 'is not a field of this request'],
  ])('refuses %s with 400, in its own words', async (_, body, field, issue) => {
    const personId = await timeOff.person();
    const answer = await timeOff.post({ person_id: personId, category_id: category, ...WEEK, ...body });
    expectError(answer, 400, 'invalid_request', field);
    expect(answer.json.error.details!.find((detail) => detail.field === field)!.issue).toBe(issue);
    expect(await timeOff.eventsOf(personId)).toEqual([]);
  });

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

describe('overlap', () => {
  const JUNE = { start_date: '2026-06-08', end_date: '2026-06-10' };
  const request = (personId: string, body: object = {}): Promise<ApiAnswer<TimeOff>> =>
    timeOff.post({ person_id: personId, category_id: category, ...JUNE, ...body });

  it('is 409 conflict with the same body whatever the other record is', async () => {
    const bodies = new Set<string>();
    for (const body of [
      {},
      { category_id: immediate },
      { start_date: '2026-06-10', end_date: '2026-06-12' },
      { start_date: '2026-06-10', end_date: '2026-06-10', start_day_part: 'morning' },
    ]) {
      const personId = await timeOff.person();
      const standing = dataOf(201, await request(personId, body));
      const refused = await request(personId);
      expectError(refused, 409, 'conflict');
      bodies.add(refused.text.replace(/"request_id":"[^"]*"/, ''));
      for (const secret of [standing.id, standing.category.id, standing.category.label])
        expect(refused.text).not.toContain(secret);
    }
    expect(bodies.size).toBe(1);
    expect([...bodies][0]).toContain('a selected date overlaps other time off of this person');
  });
});

describe('PATCH /time-off/{timeOffId}', () => {
  it('changes what it names, counts anew and keeps the rest', async () => {
    const record = await pending();
    const changed = dataOf(200, await timeOff.patch(record.id, { end_date: '2026-03-09', end_day_part: 'morning' }));
    expect(changed).toMatchObject({
      id: record.id,
      start_date: '2026-03-02',
      end_date: '2026-03-09',
      end_day_part: 'morning',
      total_minutes: 2_490,
      status_code: 'pending',
    });
    expect(changed.created_at).toBe(record.created_at);
    expect(changed.updated_at > record.updated_at).toBe(true);
    await expectUnchanged(changed);
  });

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

  it('refuses to move it to somebody else, and what makes no sense together with what stays', async () => {
    const record = await pending();
    expectError(
      await timeOff.patch(record.id, { person_id: await timeOff.person() }),
      400,
      'invalid_request',
      'person_id',
    );
    expectError(await timeOff.patch(record.id, { start_date: '2026-03-09' }), 400, 'invalid_request', 'end_date');
    expectError(
      await timeOff.patch(record.id, { start_day_part: 'morning' }),
      400,
      'invalid_request',
      'start_day_part',
    );
    expectError(
      await timeOff.patch(record.id, { start_date: '2026-03-07', end_date: '2026-03-08' }),
      400,
      'invalid_request',
      'start_date',
    );
    expectError(await timeOff.patch(record.id, { start_date: null }), 400, 'invalid_request', 'start_date');
    expectError(await timeOff.patch(record.id, { category_id: UNKNOWN.category }), 404, 'not_found', 'category_id');
    expectError(await timeOff.patch(record.id, { start_date: '2023-12-29' }), 400, 'invalid_request', 'end_date');
    expectError(
      await timeOff.patch(record.id, { start_date: '2023-12-28', end_date: '2023-12-29' }),
      409,
      'conflict',
      'start_date',
    );
    await expectUnchanged(record);
  });
});

describe('POST /time-off/{timeOffId}/approve, /reject and /cancel', () => {
  it('are recorded with who did it', async () => {
    const record = await pending();
    await timeOff.do(record.id, 'approve');
    const stream = await api.services.store.readStream(`time-off-${timeOff.organisation.row.id}.${record.person.id}`);
    expect(stream.at(-1)).toMatchObject({
      type: 'TimeOffApproved',
      metadata: { actor: { type: 'api_key', id: timeOff.organisation.keyId } },
    });
  });
});
