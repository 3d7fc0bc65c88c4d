import { expectError } from '../support/api/expect-error.js';
import { type ApiAnswer, tagOf } from '../support/api/http-client.js';
import { dataOf, newEmail, PeopleActions } from '../support/api/people.js';
import { type Person, PERSON_FIELDS } from '../support/api/shapes.js';
import { TestApi } from '../support/api/test-api.js';

const TODAY = '2026-06-15';
const UNKNOWN_PERSON = '0123456789ab';

const api = TestApi.forSpec({ clock: { now: () => new Date(`${TODAY}T12:00:00Z`) } });
const organisation = api.organisationForSpec();
const people = new PeopleActions(organisation);

const post = (body: object): Promise<ApiAnswer<Person>> => organisation.client.post<Person>('/people', body);

describe('POST /people', () => {
  it('answers 201 with the person, exactly the fields of the contract, from the e-mail address alone', async () => {
    const email = newEmail();
    const answer = await post({ work_email: email });
    const person = dataOf(201, answer);
    expect(Object.keys(person)).toEqual(PERSON_FIELDS);
    const { id, created_at, updated_at, ...rest } = person;
    expect(id).toMatch(/^[0-9abcdefghjkmnpqrstvwxyz]{12}$/);
    expect(updated_at >= created_at).toBe(true);
    const empty = Object.fromEntries(PERSON_FIELDS.map((field) => [field, null]));
    const { id: _, created_at: __, updated_at: ___, ...nulls } = empty;
    expect(rest).toEqual({ ...nulls, work_email: email, display_name: email, status: 'active' });
    const read = await organisation.client.get<Person>(`/people/${id}`);
    expect([read.text, tagOf(read)]).toEqual([answer.text, tagOf(answer)]);
  });

  it('takes every optional field and shows other resources by id and name', async () => {
    const manager = await people.create({ first_name: 'Grace', last_name: 'Hopper' });
    const { other_department_id: _, ...references } = organisation.references;
    const body = {
      work_email: newEmail(),
      first_name: 'Augusta',
      preferred_name: 'Ada',
      last_name: 'Byron',
      staff_id: 'E-1',
      job_title: 'Engineer',
      start_date: '2024-03-01',
      manager_id: manager.id,
      ...references,
      contracted_weekly_minutes: 1500,
      full_time_weekly_minutes: 2250,
    };
    expect(await people.create(body)).toMatchObject({
      display_name: 'Ada Byron',
      staff_id: 'E-1',
      job_title: 'Engineer',
      start_date: '2024-03-01',
      end_date: null,
      manager: { id: manager.id, display_name: 'Grace Hopper' },
      department: { id: references.department_id, name: 'Engineering' },
      work_place: { id: references.work_place_id, label: 'London' },
      work_type: { id: references.work_type_id, label: 'Full-time' },
      working_pattern: { id: references.working_pattern_id, label: 'Weekdays' },
      fte: 0.6667,
    });
  });

  const FORBIDDEN = [
    'salary',
    'bank_account',
    'tax_id',
    'date_of_birth',
    'home_address',
    'personal_email',
    'gender',
    'notes',
    'avatar',
    'status',
    'end_date',
    'id',
  ];
  const REFUSED: readonly (readonly [field: string, rest: object])[] = [
    ['work_email', { work_email: undefined }],
    ['work_email', { work_email: 'nobody' }],
    ['work_email', { work_email: null }],
    ['first_name', { first_name: 5 }],
    ['first_name', { first_name: 'x'.repeat(256) }],
    ['first_name', { first_name: 'a\u0000' }],
    ['start_date', { start_date: '2026-02-30' }],
    ['contracted_weekly_minutes', { contracted_weekly_minutes: 10_081 }],
    ['contracted_weekly_minutes', { contracted_weekly_minutes: -1 }],
    ['full_time_weekly_minutes', { full_time_weekly_minutes: 0 }],
    ['full_time_weekly_minutes', { full_time_weekly_minutes: 1.5 }],
    ['department_id', { department_id: 5 }],
    ...FORBIDDEN.map((field) => [field, { [field]: 'x' }] as const),
  ];

  it.each(REFUSED)('answers 400 and names %s where it is wrong or never taken (case %#)', async (field, rest) => {
    const answer = await post({ work_email: 'a@example.com', ...rest });
    expectError(answer, 400, 'invalid_request', field);
    expect(answer.json.error.details).toHaveLength(1);
  });

  it('answers 404 and names the field for an unknown id in the body, all of them at once', async () => {
    const unknown = {
      department_id: organisation.references.department_id.replace(/.{12}$/, 'AAAAAAAAAAAA'),
      manager_id: UNKNOWN_PERSON,
    };
    const answer = await post({ work_email: newEmail(), ...unknown });
    expectError(answer, 404, 'not_found', 'department_id');
    expectError(answer, 404, 'not_found', 'manager_id');
  });

  it('keeps e-mail addresses unique within the organisation, whatever their case, and not beyond it', async () => {
    const person = await people.create();
    expectError(await post({ work_email: person.work_email.toUpperCase() }), 409, 'conflict', 'work_email');
    const other = await api.organisation();
    expect((await new PeopleActions(other).create({ work_email: person.work_email })).id).not.toBe(person.id);
  });

  it('frees an e-mail address that was changed away, and that of a request that was refused', async () => {
    const person = await people.create();
    await people.identity(person.id, { work_email: newEmail() });
    expect((await people.create({ work_email: person.work_email })).work_email).toBe(person.work_email);
    const email = newEmail();
    expectError(await post({ work_email: email, manager_id: UNKNOWN_PERSON }), 404, 'not_found', 'manager_id');
    expect((await people.create({ work_email: email })).work_email).toBe(email);
  });
});

describe('PATCH /people/{personId}', () => {
  it('changes identity only, moves updated_at and the entity tag, and reads back the same', async () => {
    const person = await people.create({ first_name: 'Augusta' });
    const before = await organisation.client.get(`/people/${person.id}`);
    const changed = await organisation.client.patch<Person>(
      `/people/${person.id}`,
      { preferred_name: 'Ada', last_name: 'Byron', staff_id: 'E-7' },
      { ifMatch: tagOf(before) },
    );
    const data = dataOf(200, changed);
    expect(Object.keys(data)).toEqual(PERSON_FIELDS);
    expect(data).toEqual({
      ...person,
      preferred_name: 'Ada',
      last_name: 'Byron',
      staff_id: 'E-7',
      display_name: 'Ada Byron',
      updated_at: data.updated_at,
    });
    expect(data.updated_at > person.updated_at).toBe(true);
    expect(tagOf(changed)).not.toBe(tagOf(before));
    const read = await organisation.client.get(`/people/${person.id}`);
    expect([read.text, tagOf(read)]).toEqual([changed.text, tagOf(changed)]);
    expect(
      (await people.identity(person.id, { preferred_name: null, first_name: null, last_name: null })).display_name,
    ).toBe(person.work_email);
  });

  it.each([
    'job_title',
    'start_date',
    'department_id',
    'manager_id',
    'contracted_weekly_minutes',
    'status',
    'display_name',
  ])('refuses %s with 400', async (field) => {
    const person = await people.create();
    const answer = await organisation.client.patch(
      `/people/${person.id}`,
      { [field]: null },
      { ifMatch: await people.personTag(person.id) },
    );
    expectError(answer, 400, 'invalid_request', field);
  });

  it('answers 409 for an e-mail address that somebody else has, and lets one change the case of their own', async () => {
    const [one, other] = [await people.create(), await people.create()];
    const answer = await organisation.client.patch(
      `/people/${one.id}`,
      { work_email: other.work_email },
      { ifMatch: await people.personTag(one.id) },
    );
    expectError(answer, 409, 'conflict', 'work_email');
    const upper = one.work_email.toUpperCase();
    expect((await people.identity(one.id, { work_email: upper })).work_email).toBe(upper);
    expectError(await post({ work_email: one.work_email }), 409, 'conflict', 'work_email');
  });
});
