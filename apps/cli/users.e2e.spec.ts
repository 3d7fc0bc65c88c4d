import { recordedEvents, testEventStore } from '../../test/support/event-store.js';
import { createPerson, worldOver } from '../../test/support/people/world.js';
import { createTestDatabase, type TestDatabase } from '../../test/support/postgres.js';
import { programOver } from '../../test/support/program.js';

let database: TestDatabase;
let organisationId: string;
beforeAll(async () => {
  database = await createTestDatabase();
  const parameters = ['--subdomain', 'acme', '--country', 'GB', '--plan', 'standard', '--time-zone', 'UTC'];
  organisationId = (await json<{ id: string }>('organisations', 'create', '--name', 'Acme Ltd', ...parameters)).id;
});
afterAll(() => database.drop());

const { workforce, json } = programOver(() => database);
const users = (command: string, ...parameters: readonly string[]) => [
  'users',
  command,
  ...parameters,
  '--organisation',
  'acme',
];

interface User {
  readonly id: string;
  readonly link: string;
}

it('invites, lists, changes, deactivates, reactivates, signs out and erases', async () => {
  const lee = { email: 'Lee@acme.example', role: 'hr', status: 'invited', issuer: null };
  const first = (await json(...users('invite', 'Lee@acme.example', '--role', 'hr'))) as User;
  expect(first).toMatchObject({
    ...lee,
    link: expect.stringMatching(/^http:\/\/127\.0\.0\.1:3000\/console\/sign-in#[\w-]{43}$/),
  });
  const again = (await json(...users('invite', 'lee@acme.example', '--role', 'hr'))) as User;
  expect([again.id, again.link === first.link]).toEqual([first.id, false]);
  expect(await json(...users('list'))).toMatchObject({ users: [{ ...lee, id: first.id, sessions: 0 }] });
  expect(await json(...users('set-role', 'LEE@acme.example', '--role', 'auditor'))).toMatchObject({ role: 'auditor' });
  expect(await json(...users('deactivate', first.id))).toMatchObject({ status: 'deactivated' });
  expect(await workforce(...users('invite', 'lee@acme.example', '--role', 'auditor'))).toMatchObject({
    stderr: 'The user is deactivated: reactivate them first.\n',
  });
  expect(await json(...users('reactivate', first.id))).toMatchObject({ status: 'invited', role: 'auditor' });
  expect(await json(...users('sign-out', first.id))).toEqual({ id: first.id, sessions_ended: 0 });
  expect(await workforce(...users('erase', first.id))).toMatchObject({
    stderr: 'An erasure cannot be undone: confirm it with --yes.\n',
  });
  expect(await json(...users('erase', first.id, '--yes'))).toEqual({
    id: first.id,
    status: 'erased',
    revoked_keys: [],
  });
  expect(await json(...users('list'))).toMatchObject({
    users: [{ id: first.id, email: '[erased]', status: 'erased' }],
  });
  // A crash may have left the key: the command is run again.
  expect(await json(...users('erase', first.id, '--yes'))).toEqual({
    id: first.id,
    status: 'erased',
    revoked_keys: [],
  });
  expect((await workforce(...users('reactivate', first.id))).stderr).toBe('There is no such user.\n');
  const events = (await recordedEvents(database.pool)).filter(({ stream }) => stream.startsWith('user-'));
  expect(events.map(({ type }) => type)).toEqual([
    'UserInvited',
    'UserRoleChanged',
    'UserDeactivated',
    'UserReactivated',
    'UserErased',
  ]);
  expect(new Set(events.map(({ metadata }) => metadata.actor.type))).toEqual(new Set(['operator']));
});

it('links a user with a person, by any name of both, and unlinks them', async () => {
  const world = worldOver(database, { eventStore: testEventStore(database.pool), pool: database.pool });
  const person_id = await createPerson(world, organisationId, { email: 'ada@acme.example' });
  const kim = (await json(...users('invite', 'eva@acme.example', '--role', 'employee'))) as User;
  const linked = await json(...users('link', 'eva@acme.example', 'ada@acme.example'));
  expect(linked).toMatchObject({ id: kim.id, person_id });
  expect(await workforce(...users('link', kim.id, 'nobody@acme.example'))).toMatchObject({
    stderr: 'There is no person nobody@acme.example.\n',
  });
  expect(await json(...users('unlink', kim.id))).toMatchObject({ person_id: null });
});

it('says what is wrong', async () => {
  expect(await workforce(...users('deactivate', 'nobody@acme.example'))).toMatchObject({
    stderr: 'Acme Ltd has no user nobody@acme.example: workforce users list shows all.\n',
  });
  expect(await workforce(...users('invite', 'nobody', '--role', 'hr'))).toMatchObject({
    stderr: 'The e-mail address is not valid.\n',
  });
  expect((await workforce(...users('invite', 'nobody@acme.example', '--role', 'owner'))).code).toBe(2);
  await json(...users('invite', 'kim@acme.example', '--role', 'hr'));
  expect(await workforce(...users('invite', 'kim@acme.example', '--role', 'viewer'))).toMatchObject({
    stderr: 'The user has the role hr: change it with users set-role.\n',
  });
});
