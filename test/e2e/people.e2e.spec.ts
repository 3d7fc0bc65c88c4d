import { type ApiAnswer, dataOf, expectError, tagOf } from '../support/api/http-client.js';
import { newEmail, PeopleActions } from '../support/api/people.js';
import { type Person } from '../support/api/shapes.js';
import { TestApi } from '../support/api/test-api.js';
import { PERSON } from '../support/contract/shapes.js';

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
    expect(Object.keys(person)).toEqual(Object.keys(PERSON));
    const { id, created_at, updated_at, ...rest } = person;
    expect(id).toMatch(/^[0-9abcdefghjkmnpqrstvwxyz]{12}$/);
    expect(updated_at >= created_at).toBe(true);
    const empty = Object.fromEntries(Object.keys(PERSON).map((field) => [field, null]));
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

  it('answers 404 and names the field for an unknown id in the body, all of them at once', async () => {
    const unknown = {
      department_id: organisation.references.department_id.replace(/.{12}$/, 'AAAAAAAAAAAA'),
      manager_id: UNKNOWN_PERSON,
    };
    const answer = await post({ work_email: newEmail(), ...unknown });
    expectError(answer, 404, 'not_found', 'department_id');
    expectError(answer, 404, 'not_found', 'manager_id');
  });
});
