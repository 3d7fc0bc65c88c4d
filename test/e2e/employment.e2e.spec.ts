import { randomUUID } from 'node:crypto';
import { expectError } from '../support/api/expect-error.js';
import { type ApiAnswer, tagOf } from '../support/api/http-client.js';
import { dataOf, PeopleActions } from '../support/api/people.js';
import { type Employment, EMPLOYMENT_FIELDS, type Fact, FACT_FIELDS, PERSON_FIELDS } from '../support/api/shapes.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';

const TODAY = '2026-06-15';
const UNKNOWN_PERSON = '0123456789ab';

let api: TestApi;
let organisation: TestOrganisation;
let people: PeopleActions;

beforeAll(async () => {
  api = await TestApi.start({ clock: { now: () => new Date(`${TODAY}T12:00:00Z`) } });
  organisation = await api.organisation();
  people = new PeopleActions(organisation.client);
});

afterAll(() => api.stop());

const patch = (
  id: string,
  body: object,
  ifMatch?: string,
  idempotencyKey = randomUUID(),
): Promise<ApiAnswer<Employment>> =>
  organisation.client.patch<Employment>(`/people/${id}/employment`, body, { ifMatch, idempotencyKey });
const patchNow = async (id: string, body: object): Promise<ApiAnswer<Employment>> =>
  patch(id, body, await people.employmentTag(id));
const record = (id: string, body: object, ifMatch?: string): Promise<ApiAnswer<Fact>> =>
  organisation.client.post<Fact>(
    `/people/${id}/employment-history`,
    { correction_reason: 'It was wrong.', ...body },
    { ifMatch },
  );

describe('GET /people/{personId}/employment', () => {
  it('shows exactly the fields of an employment, with the terms in force', async () => {
    const person = await people.create({
      start_date: '2024-01-01',
      job_title: 'Engineer',
      contracted_weekly_minutes: 1125,
      full_time_weekly_minutes: 2250,
    });
    const employment = await people.employment(person.id);
    expect(Object.keys(employment).sort()).toEqual([...EMPLOYMENT_FIELDS].sort());
    expect(employment).toMatchObject({
      person_id: person.id,
      job_title: 'Engineer',
      fte: 0.5,
      effective_from: '2024-01-01',
      effective_to: null,
      period_start_date: '2024-01-01',
      period_end_date: null,
      timeline_version: 1,
    });
    expect(employment.fact_id).toMatch(/^ef_[\w-]{8}\.[\w-]{8}\.[\w-]{12}$/);
  });

  it('shows somebody who has not started yet with the first terms', async () => {
    const person = await people.create({ start_date: '2027-01-01', job_title: 'Engineer' });
    expect(person).toMatchObject({ status: 'active', job_title: 'Engineer', start_date: '2027-01-01' });
    expect(await people.employment(person.id)).toMatchObject({
      job_title: 'Engineer',
      effective_from: '2027-01-01',
      period_start_date: '2027-01-01',
    });
  });

  it('shows somebody without a start date with the terms that were recorded, undated', async () => {
    const person = await people.create({ job_title: 'Engineer' });
    expect(await people.employment(person.id)).toMatchObject({
      job_title: 'Engineer',
      effective_from: null,
      effective_to: null,
      period_start_date: null,
    });
    await people.change(person.id, { start_date: '2025-05-01', job_title: 'Lead' });
    expect(await people.employment(person.id)).toMatchObject({
      job_title: 'Lead',
      effective_from: '2025-05-01',
      period_start_date: '2025-05-01',
    });
  });

  it('shows an ended person with the last terms in force, also where later facts were recorded', async () => {
    const person = await people.create({ start_date: '2024-01-01', job_title: 'Engineer' });
    await people.change(person.id, { start_date: '2026-09-01', job_title: 'Never' });
    await people.end(person.id, '2026-05-31');
    expect(await people.employment(person.id)).toMatchObject({
      job_title: 'Engineer',
      effective_to: '2026-06-01',
      period_end_date: '2026-05-31',
    });
    expect((await people.facts(person.id)).map(({ job_title }) => job_title)).toEqual(['Engineer', 'Never', undefined]);
  });
});

describe('PATCH /people/{personId}/employment', () => {
  it('carries forward what is not named, clears what is null, and raises the timeline version by one', async () => {
    const { department_id } = organisation.references;
    const person = await people.create({
      start_date: '2024-01-01',
      job_title: 'Engineer',
      department_id,
      contracted_weekly_minutes: 2250,
    });
    const answer = await patchNow(person.id, {
      start_date: '2025-01-01',
      job_title: 'Lead',
      contracted_weekly_minutes: null,
    });
    expect(dataOf(200, answer)).toMatchObject({
      job_title: 'Lead',
      department: { id: department_id, name: 'Engineering' },
      contracted_weekly_minutes: null,
      effective_from: '2025-01-01',
      period_start_date: '2024-01-01',
      timeline_version: 2,
    });
    const read = await organisation.client.get(`/people/${person.id}/employment`);
    expect([read.text, tagOf(read)]).toEqual([answer.text, tagOf(answer)]);
    expect((await people.person(person.id)).job_title).toBe('Lead');
  });

  it('needs a start_date (400), and refuses unknown fields, identity and a reason (400)', async () => {
    const person = await people.create({ start_date: '2024-01-01' });
    expectError(await patchNow(person.id, { job_title: 'Lead' }), 400, 'invalid_request', 'start_date');
    expectError(await patchNow(person.id, { start_date: null }), 400, 'invalid_request', 'start_date');
    for (const field of ['first_name', 'work_email', 'salary', 'end_date', 'correction_reason', 'department']) {
      expectError(await patchNow(person.id, { start_date: '2025-01-01', [field]: 'x' }), 400, 'invalid_request', field);
    }
  });

  it('is always recorded, also where no visible term differs, and makes the earlier entity tags stale', async () => {
    const person = await people.create({ start_date: '2024-01-01', job_title: 'Engineer' });
    const [tag, personTag] = [await people.employmentTag(person.id), await people.personTag(person.id)];
    const same = await patch(person.id, { start_date: '2024-01-01', job_title: 'Engineer' }, tag);
    expect(dataOf(200, same).timeline_version).toBe(2);
    expectError(await patch(person.id, { start_date: '2024-01-01' }, tag), 412, 'precondition_failed');
    expect(await people.personTag(person.id)).not.toBe(personTag);
  });

  it('leaves what later dated facts set to them (back-dated change)', async () => {
    const person = await people.create({ start_date: '2020-01-01', job_title: 'A', contracted_weekly_minutes: 2000 });
    await people.change(person.id, { start_date: '2024-01-01', job_title: 'C' });
    await people.change(person.id, { start_date: '2022-01-01', job_title: 'B', contracted_weekly_minutes: 1000 });
    expect(await people.employment(person.id)).toMatchObject({
      job_title: 'C',
      contracted_weekly_minutes: 1000,
      effective_from: '2024-01-01',
    });
    const { segments } = await people.timeline(person.id);
    expect(segments.map(({ effective_from, job_title }) => [effective_from, job_title])).toEqual([
      ['2020-01-01', 'A'],
      ['2022-01-01', 'B'],
      ['2024-01-01', 'C'],
    ]);
  });

  it('lets the one recorded later win on the same day, and adds what only the earlier one names', async () => {
    const person = await people.create({ start_date: '2020-01-01', job_title: 'A' });
    await people.change(person.id, { start_date: '2024-01-01', job_title: 'B', contracted_weekly_minutes: 1000 });
    const last = await people.change(person.id, { start_date: '2024-01-01', job_title: 'C' });
    expect(last).toMatchObject({ job_title: 'C', contracted_weekly_minutes: 1000 });
    const { segments } = await people.timeline(person.id);
    expect(segments.map(({ effective_from, job_title }) => [effective_from, job_title])).toEqual([
      ['2020-01-01', 'A'],
      ['2024-01-01', 'C'],
    ]);
  });

  it('does not show a change of the future before its day', async () => {
    const person = await people.create({ start_date: '2024-01-01', job_title: 'A' });
    expect(await people.change(person.id, { start_date: '2026-06-16', job_title: 'B' })).toMatchObject({
      job_title: 'A',
      effective_to: '2026-06-16',
    });
    expect(await people.change(person.id, { start_date: TODAY, job_title: 'Today' })).toMatchObject({
      job_title: 'Today',
      effective_to: '2026-06-16',
    });
  });

  it('reaches the current and the coming period, and no former one (409)', async () => {
    const person = await people.create({ start_date: '2020-01-01', job_title: 'A' });
    await people.end(person.id, '2022-12-31');
    expectError(await patchNow(person.id, { start_date: '2021-01-01', job_title: 'X' }), 409, 'conflict', 'status');
    await people.reactivate(person.id, { start_date: '2027-01-01', job_title: 'B' });
    expectError(await patchNow(person.id, { start_date: '2021-01-01', job_title: 'X' }), 409, 'conflict', 'start_date');
    expectError(await patchNow(person.id, { start_date: '2024-01-01', job_title: 'X' }), 409, 'conflict', 'start_date');
    expect(await people.change(person.id, { start_date: '2027-06-01', job_title: 'C' })).toMatchObject({
      job_title: 'B',
      effective_to: '2027-06-01',
    });
    expect((await people.correct(person.id, { start_date: '2021-01-01', job_title: 'X' })).action).toBe('correction');
  });

  it('answers 409 for a date before the start or after the final day', async () => {
    const person = await people.create({ start_date: '2024-01-01' });
    expectError(await patchNow(person.id, { start_date: '2023-12-31' }), 409, 'conflict', 'start_date');
    await people.end(person.id, TODAY);
    expectError(await patchNow(person.id, { start_date: '2026-06-16' }), 409, 'conflict', 'start_date');
    expect((await patchNow(person.id, { start_date: TODAY, job_title: 'Last day' })).status).toBe(200);
  });

  it('answers 404 for the person, then 404 for ids of the body, then 428, then 412, then 409', async () => {
    const person = await people.create({ start_date: '2024-01-01' });
    expectError(
      await patch(UNKNOWN_PERSON, { start_date: '2025-01-01', manager_id: UNKNOWN_PERSON }),
      404,
      'not_found',
    );
    const missing = await patch(person.id, { start_date: '2025-01-01', manager_id: UNKNOWN_PERSON });
    expectError(missing, 404, 'not_found', 'manager_id');
    expectError(await patch(person.id, { start_date: '2020-01-01' }), 428, 'precondition_required');
    expectError(await patch(person.id, { start_date: '2020-01-01' }, '"t9.xxxxxxxx"'), 412, 'precondition_failed');
    expectError(await patchNow(person.id, { start_date: '2020-01-01' }), 409, 'conflict', 'start_date');
  });

  it('replays the first answer byte for byte, whatever If-Match says', async () => {
    const person = await people.create({ start_date: '2024-01-01' });
    const [key, tag, body] = [
      randomUUID(),
      await people.employmentTag(person.id),
      { start_date: '2025-01-01', job_title: 'B' },
    ];
    const first = await patch(person.id, body, tag, key);
    await people.change(person.id, { start_date: '2025-01-01', job_title: 'C' });
    const again = await patch(person.id, body, undefined, key);
    expect([again.status, again.text, tagOf(again), again.headers['idempotent-replayed']]).toEqual([
      200,
      first.text,
      tagOf(first),
      'true',
    ]);
    expect((await people.employment(person.id)).timeline_version).toBe(3);
    expectError(await patch(person.id, { ...body, job_title: 'D' }, tag, key), 409, 'idempotency_conflict');
  });
});

describe('managers', () => {
  it('may not be the person (409), nor make a cycle on any day (409)', async () => {
    const [one, two, three] = [
      await people.create({ start_date: '2020-01-01' }),
      await people.create({ start_date: '2020-01-01' }),
      await people.create({ start_date: '2020-01-01' }),
    ];
    expectError(
      await patchNow(one.id, { start_date: '2021-01-01', manager_id: one.id }),
      409,
      'conflict',
      'manager_id',
    );
    await people.change(one.id, { start_date: '2021-01-01', manager_id: two.id });
    await people.change(two.id, { start_date: '2021-01-01', manager_id: three.id });
    expectError(
      await patchNow(three.id, { start_date: '2022-01-01', manager_id: one.id }),
      409,
      'conflict',
      'manager_id',
    );
    expectError(
      await record(three.id, { start_date: '2020-06-01', manager_id: one.id }),
      409,
      'conflict',
      'manager_id',
    );
    await people.change(two.id, { start_date: '2023-01-01', manager_id: null });
    expect((await patchNow(three.id, { start_date: '2023-01-01', manager_id: one.id })).status).toBe(200);
  });
});

describe('POST /people/{personId}/end', () => {
  const end = async (id: string, body: object, ifMatch?: string): Promise<ApiAnswer> =>
    organisation.client.post(`/people/${id}/end`, body, { ifMatch });

  it('records the inclusive final day, today or in the future too, and makes the record ended', async () => {
    for (const day of ['2025-12-31', TODAY, '2027-01-31']) {
      const person = await people.create({ start_date: '2024-01-01', job_title: 'Engineer' });
      const ended = await people.end(person.id, day);
      expect(Object.keys(ended)).toEqual(PERSON_FIELDS);
      expect(ended).toMatchObject({ status: 'ended', end_date: day, start_date: '2024-01-01', job_title: 'Engineer' });
      expect(await people.timeline(person.id, { as_of: day })).toMatchObject({
        employed: true,
        segment: { job_title: 'Engineer' },
      });
    }
  });

  it('answers 409 a second time and before the start, 428 without and 412 with a stale If-Match, 400 without end_date', async () => {
    const person = await people.create({ start_date: '2024-01-01' });
    const tag = await people.personTag(person.id);
    expectError(await end(person.id, {}, tag), 400, 'invalid_request', 'end_date');
    expectError(await end(person.id, { end_date: '2025-01-01' }), 428, 'precondition_required');
    expectError(await end(person.id, { end_date: '2025-01-01' }, '"p0.e9.x"'), 412, 'precondition_failed');
    expectError(await end(person.id, { end_date: '2023-12-31' }, tag), 409, 'conflict', 'end_date');
    expect((await end(person.id, { end_date: '2024-01-01' }, tag)).status).toBe(200);
    expectError(
      await end(person.id, { end_date: '2025-01-01' }, await people.personTag(person.id)),
      409,
      'conflict',
      'status',
    );
    expectError(await end(UNKNOWN_PERSON, { end_date: '2025-01-01' }, tag), 404, 'not_found');
  });
});

describe('POST /people/{personId}/reactivate', () => {
  const reactivate = async (id: string, body: object): Promise<ApiAnswer> =>
    organisation.client.post(`/people/${id}/reactivate`, body, { ifMatch: await people.personTag(id) });

  it('begins a new period that inherits nothing, and leaves a gap', async () => {
    const { department_id } = organisation.references;
    const person = await people.create({
      start_date: '2020-01-01',
      job_title: 'A',
      department_id,
      contracted_weekly_minutes: 2250,
    });
    await people.end(person.id, '2022-12-31');
    const back = await people.reactivate(person.id, { start_date: '2024-01-01', job_title: 'B' });
    expect(back).toMatchObject({
      status: 'active',
      start_date: '2024-01-01',
      end_date: null,
      job_title: 'B',
      department: null,
      contracted_weekly_minutes: null,
    });
    const { segments } = await people.timeline(person.id);
    expect(
      segments.map(({ effective_from, effective_to, employed, job_title }) => [
        effective_from,
        effective_to,
        employed,
        job_title,
      ]),
    ).toEqual([
      ['2020-01-01', '2023-01-01', true, 'A'],
      ['2023-01-01', '2024-01-01', false, null],
      ['2024-01-01', null, true, 'B'],
    ]);
  });

  it('may begin on the day after the final day, and no earlier (409); of an active person it is 409', async () => {
    const person = await people.create({ start_date: '2020-01-01' });
    expectError(await reactivate(person.id, { start_date: '2023-01-01' }), 409, 'conflict', 'status');
    await people.end(person.id, '2022-12-31');
    expectError(await reactivate(person.id, { start_date: '2022-12-31' }), 409, 'conflict', 'start_date');
    expectError(await reactivate(person.id, {}), 400, 'invalid_request', 'start_date');
    expect((await reactivate(person.id, { start_date: '2023-01-01' })).status).toBe(200);
    expect((await people.timeline(person.id)).segments.map(({ employed }) => employed)).toEqual([true, true]);
  });
});

describe('fields of facts', () => {
  it('are exactly those of a fact and the terms it names', async () => {
    const person = await people.create({ start_date: '2024-01-01', job_title: 'A' });
    const fact = await people.correct(person.id, {
      start_date: '2024-06-01',
      contracted_weekly_minutes: 100,
      department_id: null,
    });
    expect(Object.keys(fact).sort()).toEqual([...FACT_FIELDS, 'contracted_weekly_minutes', 'department'].sort());
    expect(fact).toMatchObject({
      action: 'correction',
      effective_from: '2024-06-01',
      contracted_weekly_minutes: 100,
      department: null,
      corrects: null,
      corrected_by: null,
      timeline_version: 2,
    });
  });
});
