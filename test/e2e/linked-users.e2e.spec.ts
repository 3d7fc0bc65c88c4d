import { signedIn } from '../support/api/browser-session.js';
import { dataOf, expectError } from '../support/api/http-client.js';
import { PeopleActions } from '../support/api/people.js';
import { TestApi } from '../support/api/test-api.js';
import { testContext } from '../support/command-services.js';
import { recordedEvents } from '../support/event-store.js';
import { erasePerson } from '../support/people/erase-person.js';

interface User {
  readonly id: string;
  readonly person_id: string | null;
}

const api = TestApi.forSpec();
const own = api.organisationForSpec();
const people = new PeopleActions(own);

const link = (userId: string, person_id: string) => own.client.post<User>(`/users/${userId}/link`, { person_id });
const unlink = (userId: string) => own.client.send<User>('POST', `/users/${userId}/unlink`);

it('links a user with one person, and a person with one user', async () => {
  const { user } = await signedIn(api, own.row.id, 'employee', { email: 'one@users.example' });
  const { user: other } = await signedIn(api, own.row.id, 'manager', { email: 'two@users.example' });
  const [ada, bob] = [await people.create(), await people.create()];
  expect(dataOf(200, await link(user.id, ada.id)).person_id).toBe(ada.id);
  expect(dataOf(200, await link(user.id, ada.id)).person_id).toBe(ada.id);
  expectError(await link(user.id, bob.id), 409, 'conflict', 'user');
  expectError(await link(other.id, ada.id), 409, 'conflict', 'person_id');
  expect(dataOf(200, await unlink(user.id)).person_id).toBeNull();
  expect(dataOf(200, await link(other.id, ada.id)).person_id).toBe(ada.id);
  const listed = dataOf(200, await own.client.get<readonly User[]>('/users'));
  expect(listed.map(({ id, person_id }) => [id, person_id])).toEqual(
    expect.arrayContaining([
      [user.id, null],
      [other.id, ada.id],
    ]),
  );
  const types = (await recordedEvents(api.database.pool)).map(({ type }) => type);
  expect(types.filter((type) => type.startsWith('UserPerson'))).toEqual([
    'UserPersonLinked',
    'UserPersonUnlinked',
    'UserPersonLinked',
  ]);
});

it('refuses people of another organisation, erased ones, and callers who lack scopes of the role', async () => {
  const { user } = await signedIn(api, own.row.id, 'employee', { email: 'three@users.example' });
  const foreign = await new PeopleActions(await api.organisation()).create();
  expectError(await link(user.id, foreign.id), 404, 'not_found', 'person_id');
  expectError(await link(user.id, 'zzzzzzzzzzzz'), 404, 'not_found', 'person_id');
  const gone = await people.create();
  await erasePerson(api.services, testContext(own.row.id), { person_id: gone.id, reason: null });
  expectError(await link(user.id, gone.id), 409, 'conflict');
  const { apiKey } = await api.key(own.row, { scopes: ['access:manage'] });
  const { id } = await people.create();
  const answer = await api.client(apiKey).post(`/users/${user.id}/link`, { person_id: id });
  expectError(answer, 403, 'permission_denied', 'user');
});

it('ends sessions with the link: when it is withdrawn, and when the person is erased', async () => {
  for (const end of ['unlink', 'erasure'] as const) {
    const { id } = await people.create({ start_date: '2020-01-01' });
    const { user } = await signedIn(api, own.row.id, 'employee', { email: `${end}@users.example` });
    dataOf(200, await link(user.id, id));
    const { browser } = await signedIn(api, own.row.id, 'employee', { email: `${end}@users.example` });
    expect((await browser.send('GET', `/api/v1/people/${id}`)).status).toBe(200);
    if (end === 'unlink') dataOf(200, await unlink(user.id));
    else {
      await people.end(id, '2020-12-31');
      await erasePerson(api.services, testContext(own.row.id), { person_id: id, reason: null });
    }
    const isSignedOut = async (): Promise<boolean> => (await browser.send('GET', '/console/session')).status === 401;
    const deadline = Date.now() + 60_000;
    while (!(await isSignedOut())) if (Date.now() > deadline) throw new Error('the session goes on');
    const [row] = dataOf(200, await own.client.get<readonly User[]>('/users', { limit: 100 })).filter(
      (one) => one.id === user.id,
    );
    expect(row).toMatchObject({ person_id: null });
  }
});
