import { randomUUID } from 'node:crypto';
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

let api: TestApi;
let timeOff: TimeOffActions;
/** Standard and to be approved; standard and approved at once; neither standard nor to be approved. */
let category: string;
let immediate: string;
let beside: string;

beforeAll(async () => {
  api = await TestApi.start();
  timeOff = new TimeOffActions(api, await api.organisation());
  category = await timeOff.category({ label: 'Annual leave' });
  immediate = await timeOff.category({ requires_approval: false });
  beside = await timeOff.category({ requires_approval: false, is_standard: false });
});

afterAll(() => api.stop());

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

  it('lists days off and public holidays without counting them, and counts halves as halves', async () => {
    const record = await pending({
      start_date: '2026-04-02',
      end_date: '2026-04-07',
      start_day_part: 'afternoon',
      end_day_part: 'morning',
    });
    expect(record.days.map(({ date, day_part, minutes, reason }) => [date, day_part, minutes, reason])).toEqual([
      ['2026-04-02', 'afternoon', 210, 'working_day'],
      ['2026-04-03', 'full', 0, 'public_holiday'],
      ['2026-04-04', 'full', 0, 'not_a_working_day'],
      ['2026-04-05', 'full', 0, 'not_a_working_day'],
      ['2026-04-06', 'full', 0, 'public_holiday'],
      ['2026-04-07', 'morning', 240, 'working_day'],
    ]);
    expect(record).toMatchObject({ total_minutes: 450, total_days: 1 });
  });

  it('counts each day by the pattern that is in force on it', async () => {
    const mornings = await timeOff.organisation.client.post<{ id: string }>('/working-patterns', {
      label: 'Mornings',
      cycle_weeks: 1,
      anchor_date: '2026-01-05',
      days: [1, 2, 3, 4, 5].map((weekday) => ({ week: 1, weekday, morning_minutes: 180, afternoon_minutes: 0 })),
    });
    const personId = await timeOff.person();
    await timeOff.people.change(personId, { start_date: '2026-03-04', working_pattern_id: dataOf(201, mornings).id });
    const record = await timeOff.create({ person_id: personId, category_id: category, ...WEEK });
    expect(record.days.map(({ minutes }) => minutes)).toEqual([450, 450, 180, 180, 180]);
    expect(record.total_days).toBe(5);
  });

  it('takes a person without a pattern to work from Monday to Friday, a fifth of the contracted week', async () => {
    const personId = await timeOff.person({ working_pattern_id: null, contracted_weekly_minutes: 1_500 });
    const record = await timeOff.create({
      person_id: personId,
      category_id: category,
      start_date: '2026-03-06',
      end_date: '2026-03-09',
    });
    expect(record.days.map(({ minutes }) => minutes)).toEqual([300, 0, 0, 300]);
  });

  it('takes a person whose start nobody dated as employed', async () => {
    const person = await timeOff.people.create();
    expect((await timeOff.post({ person_id: person.id, category_id: category, ...WEEK })).status).toBe(201);
  });

  it('takes one part of a single day for both', async () => {
    const day = { start_date: '2026-03-02', end_date: '2026-03-02' };
    expect(await pending({ ...day, start_day_part: 'morning' })).toMatchObject({
      end_day_part: 'morning',
      total_minutes: 240,
      total_days: 0.5333,
    });
    expect(await pending({ ...day, end_day_part: 'afternoon' })).toMatchObject({
      start_day_part: 'afternoon',
      total_minutes: 210,
      total_days: 0.4667,
    });
  });

  it('is the same record when it is sent again', async () => {
    const body = { person_id: await timeOff.person(), category_id: category, ...WEEK };
    const idempotencyKey = randomUUID();
    const [first, second] = [
      await timeOff.post(body, { idempotencyKey }),
      await timeOff.post(body, { idempotencyKey }),
    ];
    expect([second.status, second.text, second.headers['idempotent-replayed']]).toEqual([201, first.text, 'true']);
    expectError(
      await timeOff.post({ ...body, end_date: '2026-03-05' }, { idempotencyKey }),
      409,
      'idempotency_conflict',
    );
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

  it('refuses a person and a category that are unknown, malformed or foreign with 404, all alike', async () => {
    const other = new TimeOffActions(api, await api.organisation());
    const [theirs, theirCategory] = [await other.person(), await other.category()];
    const person_id = await timeOff.person();
    for (const id of [UNKNOWN.person, theirs, 'x', 'x\u0000']) {
      const answer = await timeOff.post({ person_id: id, category_id: category, ...WEEK });
      expectError(answer, 404, 'not_found', 'person_id');
    }
    for (const id of [UNKNOWN.category, theirCategory, 'x', 'x\u0000']) {
      expectError(await timeOff.post({ person_id, category_id: id, ...WEEK }), 404, 'not_found', 'category_id');
    }
    expect(await timeOff.eventsOf(person_id)).toEqual([]);
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

  it('is none between the morning and the afternoon of one day', async () => {
    const personId = await timeOff.person();
    expect((await request(personId, { end_day_part: 'morning' })).status).toBe(201);
    expect(
      (await request(personId, { start_date: '2026-06-10', end_date: '2026-06-11', start_day_part: 'afternoon' }))
        .status,
    ).toBe(201);
    expectError(
      await request(personId, { start_date: '2026-06-10', end_date: '2026-06-10', start_day_part: 'afternoon' }),
      409,
      'conflict',
    );
    expectError(await request(personId, { start_date: '2026-06-10', end_date: '2026-06-10' }), 409, 'conflict');
  });

  it('is one where only a day that counts for nothing is shared', async () => {
    const personId = await timeOff.person();
    expect((await request(personId, { start_date: '2026-06-12', end_date: '2026-06-13' })).status).toBe(201);
    expectError(await request(personId, { start_date: '2026-06-13', end_date: '2026-06-15' }), 409, 'conflict');
  });

  it('is none with what is rejected, cancelled, not standard, or of somebody else', async () => {
    const personId = await timeOff.person();
    for (const step of ['reject', 'cancel'] as const) await timeOff.do(dataOf(201, await request(personId)).id, step);
    expect((await request(personId, { category_id: beside })).status).toBe(201);
    expect((await request(personId, { category_id: beside })).status).toBe(201);
    expect((await request(personId)).status).toBe(201);
    expect((await request(personId, { category_id: beside })).status).toBe(201);
    expect((await request(await timeOff.person())).status).toBe(201);
  });

  it('holds for changes of dates and of the category, and a record never stands in its own way', async () => {
    const personId = await timeOff.person();
    const standing = dataOf(201, await request(personId));
    const next = dataOf(201, await request(personId, { start_date: '2026-06-11', end_date: '2026-06-12' }));
    const other = dataOf(201, await request(personId, { category_id: beside }));
    expectError(await timeOff.patch(next.id, { start_date: '2026-06-10' }), 409, 'conflict');
    expectError(await timeOff.patch(other.id, { category_id: immediate }), 409, 'conflict');
    await expectUnchanged(next);
    expect(dataOf(200, await timeOff.patch(standing.id, { start_date: '2026-06-09' }))).toMatchObject({
      total_days: 2,
    });
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

  it('makes an approved record pending again, unless its category needs no approval', async () => {
    const record = await pending();
    await timeOff.do(record.id, 'approve');
    expect(dataOf(200, await timeOff.patch(record.id, { end_date: '2026-03-05' }))).toMatchObject({
      status_code: 'pending',
    });
    const other = await pending({ category_id: immediate });
    expect(dataOf(200, await timeOff.patch(other.id, { end_date: '2026-03-05' }))).toMatchObject({
      status_code: 'approved',
    });
    expect(dataOf(200, await timeOff.patch(other.id, { category_id: category }))).toMatchObject({
      status_code: 'pending',
      category: { id: category },
    });
  });

  it('records nothing where nothing changes, not even of an approved record', async () => {
    const record = await pending();
    const approved = await timeOff.do(record.id, 'approve');
    for (const body of [{}, { ...WEEK, start_day_part: 'full', category_id: category }]) {
      expect(dataOf(200, await timeOff.patch(record.id, body))).toEqual(approved);
    }
    expect(await timeOff.eventsOf(record.person.id)).toEqual(['TimeOffRequested', 'TimeOffApproved']);
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
  it.each([
    ['pending', [], { approve: 'approved', reject: 'rejected', cancel: 'cancelled' }],
    ['approved', ['approve'], { approve: 409, reject: 409, cancel: 'cancelled' }],
    ['rejected', ['reject'], { approve: 409, reject: 409, cancel: 409 }],
    ['cancelled', ['cancel'], { approve: 409, reject: 409, cancel: 409 }],
  ] as const)('lead from %s only where they may', async (_, steps, outcomes) => {
    for (const step of ['approve', 'reject', 'cancel'] as const) {
      let record = await pending();
      for (const before of steps) record = await timeOff.do(record.id, before);
      const outcome = outcomes[step];
      const answer = await timeOff.step(record.id, step);
      if (outcome === 409) {
        expectError(answer, 409, 'conflict', 'status_code');
        await expectUnchanged(record);
      } else {
        const label = outcome.charAt(0).toUpperCase() + outcome.slice(1);
        expect(dataOf(200, answer)).toEqual({
          ...record,
          status_code: outcome,
          status: label,
          updated_at: answer.json.data.updated_at,
        });
      }
    }
  });

  it('leave nothing to change of what is final', async () => {
    for (const step of ['reject', 'cancel'] as const) {
      const record = await pending();
      const final = await timeOff.do(record.id, step);
      expectError(await timeOff.patch(record.id, { end_date: '2026-03-05' }), 409, 'conflict', 'status_code');
      await expectUnchanged(final);
    }
  });

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

describe('an id of time off that is unknown, malformed or foreign', () => {
  it('is 404 on every route, all alike', async () => {
    const other = new TimeOffActions(api, await api.organisation());
    const theirs = await other.create({
      person_id: await other.person(),
      category_id: await other.category(),
      ...WEEK,
    });
    const bodies = new Set<string>();
    for (const id of [UNKNOWN.timeOff, theirs.id, 'x']) {
      expectError(await timeOff.get(id), 404, 'not_found');
      expectError(await timeOff.patch(id, { end_date: '2026-03-05' }), 404, 'not_found');
      for (const step of ['approve', 'reject', 'cancel'] as const) {
        const answer = await timeOff.step(id, step);
        expectError(answer, 404, 'not_found');
        if (id !== 'x') bodies.add(answer.text.replace(/"request_id":"[^"]*"/, ''));
      }
    }
    expect(bodies.size).toBe(1);
    expect(dataOf(200, await other.get(theirs.id))).toEqual(theirs);
  });
});
