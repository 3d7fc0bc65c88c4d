import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { installationPorts, startNode } from '../../test/support/processes.js';
import { temporaryDirectory } from '../../test/support/test-server.js';

const ROOT = resolve(__dirname, '..', '..');
const NEST = join('node_modules', '@nestjs', 'cli', 'bin', 'nest.js');

interface Project {
  readonly sourceRoot: string;
  readonly entryFile: string;
}

const configuration = JSON.parse(readFileSync(join(ROOT, 'nest-cli.json'), 'utf8')) as Project & {
  readonly projects: Readonly<Record<string, Project>>;
};

describe('the Nest CLI', () => {
  let directory: string;

  beforeAll(async () => {
    directory = await temporaryDirectory();
  });

  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('has an entry file for everything that it can start', () => {
    expect(Object.keys(configuration.projects)).toEqual(['api', 'worker']);
    for (const { sourceRoot, entryFile } of [configuration, ...Object.values(configuration.projects)])
      expect([entryFile, existsSync(join(ROOT, sourceRoot, `${entryFile}.ts`))]).toEqual([entryFile, true]);
  });

  it('builds and starts an API that answers, and stops it in order', async () => {
    const { api, settings } = await installationPorts();
    const running = startNode([NEST, 'start', 'api'], { WORKFORCE_DATA_DIR: join(directory, 'data'), ...settings });
    const answer = await running.untilAnswers(`http://127.0.0.1:${api}/api/v1/people`);
    expect(answer.status).toBe(401);
    expect(await running.end('SIGTERM')).toBe(0);
  });

  it('knows the version of each Nest package', async () => {
    const running = startNode([NEST, 'info']);
    expect(await running.exited).toBe(0);
    expect(running.stdout()).toMatch(/platform-fastify version *: \d/);
  });
});
