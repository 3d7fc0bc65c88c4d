import { randomUUID } from 'node:crypto';
import { expectError } from '../support/api/expect-error.js';
import { dataOf, newEmail, PeopleActions } from '../support/api/people.js';
import type { Person } from '../support/api/shapes.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';

let api: TestApi;
let organisation: TestOrganisation;
let people: PeopleActions;

beforeAll(async () => {
  api = await TestApi.start();
  organisation = await api.organisation();
  people = new PeopleActions(organisation.client);
});

afterAll(() => api.stop());

describe('names', () => {
  it('of people are trimmed, runs of blanks are one, and a blank one is null', async () => {
    const person = await people.create({
      first_name: '  Ada \u00a0 Augusta ',
      last_name: '',
      staff_id: ' E-1 ',
      job_title: ' Staff   Engineer ',
    });
    expect(person).toMatchObject({
      first_name: 'Ada Augusta',
      last_name: null,
      staff_id: 'E-1',
      job_title: 'Staff Engineer',
    });
    expect(await people.identity(person.id, { first_name: '   ', last_name: ' King ' })).toMatchObject({
      first_name: null,
      last_name: 'King',
    });
    expect(await people.change(person.id, { start_date: '2026-01-01', job_title: '' })).toMatchObject({
      job_title: null,
    });
    // What is the same once it is tidied changes nothing.
    const { updated_at } = await people.person(person.id);
    expect(await people.identity(person.id, { last_name: 'King  ' })).toMatchObject({ updated_at });
  });

  it('of units, categories and addresses as well', async () => {
    const { client } = organisation;
    expect(
      dataOf(201, await client.post('/org-units', { name: ' Research  and Development ', code: '' })),
    ).toMatchObject({
      name: 'Research and Development',
      code: null,
    });
    expect(
      dataOf(201, await client.post('/time-off/categories', { label: ' Study   leave ', code: ' ' })),
    ).toMatchObject({
      label: 'Study leave',
      code: null,
    });
  });
});

describe('e-mail addresses', () => {
  const create = (work_email: string) => organisation.client.post<Person>('/people', { work_email });

  it('have at most 64 characters before the at sign', async () => {
    expect((await create(`${'a'.repeat(64)}@example.com`)).status).toBe(201);
    expectError(await create(`${'a'.repeat(65)}@example.com`), 400, 'invalid_request', 'work_email');
  });

  it('of internationalised domains are stored as given, and are the same address in either form and case', async () => {
    const local = randomUUID();
    const given = `${local}@Bücher.example`;
    const person = dataOf(201, await create(given));
    expect(person.work_email).toBe(given);
    for (const same of [`${local}@bücher.EXAMPLE`, `${local}@xn--bcher-kva.example`]) {
      expectError(await create(same), 409, 'conflict', 'work_email');
      const { id } = await people.create();
      const taken = await organisation.client.patch(
        `/people/${id}`,
        { work_email: same },
        { ifMatch: await people.personTag(id) },
      );
      expectError(taken, 409, 'conflict', 'work_email');
      expect((await people.all<Person>('/people', { work_email: same })).map(({ id }) => id)).toEqual([person.id]);
    }
    // The person themselves may write it in the other form, and leaves the address with another one.
    const ascii = `${local}@xn--bcher-kva.example`;
    expect(await people.identity(person.id, { work_email: ascii })).toMatchObject({ work_email: ascii });
    await people.identity(person.id, { work_email: newEmail() });
    expect((await create(given)).status).toBe(201);
  });
});

describe('a body with two members of one name', () => {
  const send = (path: string, text: string) =>
    fetch(`${organisation.client.url}/api/v1${path}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${organisation.apiKey}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': randomUUID(),
      },
      body: text,
    });

  it('is refused, naming the member', async () => {
    const answer = await send('/people', `{"work_email":"${newEmail()}","first_name":"Ada","first_name":"Grace"}`);
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: { code: 'invalid_request', details: [{ field: 'first_name', issue: 'is given twice' }] } },
    ]);
  });
});
