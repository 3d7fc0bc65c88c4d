import { randomUUID } from 'node:crypto';
import { expectError } from '../support/api/expect-error.js';
import { type ApiAnswer, tagOf } from '../support/api/http-client.js';
import { dataOf, PeopleActions } from '../support/api/people.js';
import { type Employment, EMPLOYMENT_FIELDS, FACT_FIELDS, PERSON_FIELDS } from '../support/api/shapes.js';
import { TestApi } from '../support/api/test-api.js';

const TODAY = '2026-06-15';
const UNKNOWN_PERSON = '0123456789ab';

const api = TestApi.forSpec({ clock: { now: () => new Date(`${TODAY}T12:00:00Z`) } });
const organisation = api.organisationForSpec();
const people = new PeopleActions(organisation);

const patch = (
  id: string,
  body: object,
  ifMatch?: string,
  idempotencyKey = randomUUID(),
): Promise<ApiAnswer<Employment>> =>
  organisation.client.patch<Employment>(`/people/${id}/employment`, body, { ifMatch, idempotencyKey });
const patchNow = async (id: string, body: object): Promise<ApiAnswer<Employment>> =>
  patch(id, body, await people.employmentTag(id));

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
});

describe('POST /people/{personId}/end', () => {
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
