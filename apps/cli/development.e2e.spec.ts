import { readFileSync, writeFileSync } from 'node:fs';
import { cp, rm, symlink } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { installationPorts, startNode } from '../../test/support/processes.js';
import { temporaryDirectory } from '../../test/support/test-server.js';

const ROOT = resolve(__dirname, '..', '..');
const NOT_COPIED = new Set(['node_modules', 'dist', 'coverage', '.git', '.workforce']);
const MESSAGE = 'A valid API key is required.';
const NEW_MESSAGE = 'A valid key of the API is required.';
/** Requests without a key have a budget. */
const POLL_MILLISECONDS = 1_000;

describe('npm run dev', () => {
  let directory: string;

  beforeAll(async () => {
    directory = await temporaryDirectory();
  });

  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('serves what a changed source says, on the same data, and stops in order', async () => {
    const project = join(directory, 'project');
    await cp(ROOT, project, {
      recursive: true,
      filter: (source) => !NOT_COPIED.has(relative(ROOT, source).split('/')[0]!),
    });
    await symlink(join(ROOT, 'node_modules'), join(project, 'node_modules'));
    const { api, settings } = await installationPorts();
    const running = startNode([join(project, 'scripts', 'dev.mjs')], {
      WORKFORCE_DATA_DIR: join(directory, 'data'),
      ...settings,
    });
    const url = `http://127.0.0.1:${api}/api/v1/people`;
    const message = async (): Promise<string> => {
      const answer = (await (await running.untilAnswers(url, { status: 401 })).json()) as {
        error: { message: string };
      };
      return answer.error.message;
    };
    expect(await message()).toBe(MESSAGE);
    const [, key] = await running.untilPrinted(/(svc_live_\w+)/);

    const source = join(project, 'libs', 'http', 'errors.ts');
    writeFileSync(source, readFileSync(source, 'utf8').replace(MESSAGE, NEW_MESSAGE));
    while ((await message()) !== NEW_MESSAGE) await wait(POLL_MILLISECONDS);
    expect((await fetch(url, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
    expect(await running.end('SIGTERM')).toBe(0);
  });
});
