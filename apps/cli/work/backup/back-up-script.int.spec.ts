import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { programOver } from '../../../../test/support/program.js';
import { temporaryDirectory } from '../../../../test/support/test-server.js';

const ROOT = resolve(__dirname, '..', '..', '..', '..');
const run = promisify(execFile);
const DAY_MILLISECONDS = 86_400_000;

let directory: string;
let folder: string;
let database: TestDatabase;
let empty: TestDatabase;

beforeAll(async () => {
  directory = await temporaryDirectory();
  folder = join(directory, 'backups');
  await mkdir(folder);
  const program = join(directory, 'workforce');
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${ROOT}/dist/apps/cli/main.js' "$@"\n`);
  await chmod(program, 0o755);
  database = await createTestDatabase();
  empty = await createTestDatabase({ migrated: false });
  const { json } = programOver(() => database);
  const own = ['--name', 'Acme', '--subdomain', 'acme', '--country', 'GB', '--plan', 'standard'];
  await json('organisations', 'create', ...own, '--time-zone', 'Europe/London');
});

afterAll(async () => {
  await database.drop();
  await empty.drop();
  await rm(directory, { recursive: true, force: true });
});

const backUp = (url: string): Promise<unknown> =>
  run('sh', [join(ROOT, 'deploy', 'back-up.sh'), folder, '14'], {
    env: { PATH: `${directory}:${process.env['PATH']}`, DATABASE_URL: url },
  });

/** Creates files with these names and ages in days. */
async function age(files: Readonly<Record<string, number>>): Promise<void> {
  for (const [name, days] of Object.entries(files)) {
    const at = new Date(Date.now() - days * DAY_MILLISECONDS);
    await writeFile(join(folder, name), '');
    await utimes(join(folder, name), at, at);
  }
}

it('the script of the schedule deletes old backups, and nothing else, once a new one is written', async () => {
  await age({ 'workforce-old.backup': 16, 'workforce-kept.backup': 13, 'by-hand.backup': 400 });
  const before = await readdir(folder);
  await expect(backUp('postgres://hr:x@127.0.0.1:1/none')).rejects.toThrow();
  expect(await readdir(folder)).toEqual(before);

  await backUp(database.url);
  expect((await readdir(folder)).sort()).toEqual([
    'by-hand.backup',
    'erasures.ndjson',
    expect.stringMatching(/^workforce-\d{8}T\d{6}Z\.backup$/),
    'workforce-kept.backup',
  ]);
});

it('its backup is restored', async () => {
  const made = (await readdir(folder)).find((name) => /^workforce-\d/.test(name))!;
  const restored = programOver(() => empty);
  const list = join(folder, 'erasures.ndjson');
  expect(await restored.json('restore', join(folder, made), '--erasures', list)).toMatchObject({ differences: 0 });
  expect(await restored.json('organisations', 'list')).toMatchObject({ organisations: [{ subdomain: 'acme' }] });
});
