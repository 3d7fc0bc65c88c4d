import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordedEvents } from '../../test/support/event-store.js';
import { createTestDatabase, type TestDatabase } from '../../test/support/postgres.js';
import { programOver, words } from '../../test/support/program.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const { workforce, json } = programOver(() => database);

interface Displayed {
  readonly organisation_id: string;
  readonly opened_on: string;
  readonly tenant: string;
  readonly people: readonly {
    readonly staff_id: string;
    readonly work_email: string;
    readonly id: string;
    readonly example: string;
  }[];
  readonly resources: Readonly<Record<string, readonly { readonly id: string; readonly name: string }[]>>;
}

const ofAcme = ['--organisation', 'acme'];
const show = (): Promise<Displayed> => json<Displayed>('sandbox', 'show', ...ofAcme);

it('workforce sandbox makes a sandbox, shows who is in it, and puts it back into its first state with the same ids', async () => {
  await json(
    'organisations',
    'create',
    '--name',
    'Acme Ltd',
    ...words('--subdomain acme --country GB --plan standard --time-zone UTC'),
  );
  const none = await workforce('sandbox', 'show', ...ofAcme);
  expect(none).toEqual({
    code: 4,
    stdout: '',
    stderr: 'Acme Ltd has no sandbox yet: workforce sandbox refresh --organisation acme makes it.\n',
  });

  const made = await json<Displayed>('sandbox', 'refresh', ...ofAcme);
  expect(await show()).toEqual(made);
  expect(made).toMatchObject({
    organisation_id: expect.stringMatching(/^org_/),
    opened_on: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    tenant: expect.stringMatching(/^sandbox-[0-9a-f]{30}$/),
  });
  const { tenant, ...refreshed } = await json<Displayed>('sandbox', 'refresh', ...ofAcme);
  expect({ ...refreshed, tenant: made.tenant }).toEqual(made);
  expect(tenant).not.toBe(made.tenant);
  expect((await recordedEvents(database.pool)).filter(({ type }) => type === 'SandboxOpened')).toHaveLength(2);

  const text = (await workforce('sandbox', 'show', ...ofAcme)).stdout;
  for (const { staff_id, work_email, id } of made.people)
    expect(text).toMatch(new RegExp(`^${staff_id} +${work_email} +${id} `, 'm'));
  expect((await workforce('sandbox', 'refresh', ...ofAcme)).stdout).toMatch(
    /^The sandbox of Acme Ltd is in its first state, as of \d{4}-\d\d-\d\d: 26 people\./,
  );
  expect((await workforce('sandbox', 'refresh', '--organisation', tenant)).stderr).toMatch(
    /^There is no organisation |is itself a sandbox/,
  );
});

it('docs/reference/sandbox.md has the very ids', async () => {
  const page = readFileSync(join(__dirname, '..', '..', 'docs', 'reference', 'sandbox.md'), 'utf8');
  const { organisation_id: organisationId, people, resources } = await show();
  expect(page).toContain(organisationId);
  const rows = [...page.matchAll(/^\| `(SBX-\d{4})` \| `([0-9a-z]{12})` \| `([a-z]+\.sandbox)` \| (.+) \|$/gm)].map(
    ([, staffId, id, handle, example]) => [staffId, id, `${handle!}@example.com`, example],
  );
  expect(rows).toEqual(people.map(({ staff_id, id, work_email, example }) => [staff_id, id, work_email, example]));
  for (const { id } of Object.values(resources).flat()) expect(page).toContain(`\`${id}\``);
});
