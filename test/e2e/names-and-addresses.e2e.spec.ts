import { randomUUID } from 'node:crypto';
import { dataOf, expectError } from '../support/api/http-client.js';
import { newEmail, PeopleActions } from '../support/api/people.js';
import type { Person } from '../support/api/shapes.js';
import { TestApi } from '../support/api/test-api.js';

const api = TestApi.forSpec();
const organisation = api.organisationForSpec();
const people = new PeopleActions(organisation);

describe('e-mail addresses', () => {
  const create = (work_email: string) => organisation.client.post<Person>('/people', { work_email });

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
