import { spawnSync } from 'node:child_process';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { temporaryDirectory } from '../support/test-server.js';

const RUN_JEST = pathToFileURL(resolve('scripts/testing/run-jest.mjs')).href;
const PROGRAM = `import { runJest } from ${JSON.stringify(RUN_JEST)};
const { passed, failed } = runJest({ lane: 'groups', configuration: 'jest.config.cjs', inGroups: true });
console.log(JSON.stringify({ passed, failed }));`;
const CONFIGURATION = `module.exports = { testMatch: ['<rootDir>/specs/**/*.spec.ts'], testPathIgnorePatterns: [], transform: {} };`;

describe('specs that run in groups', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await temporaryDirectory();
    await mkdir(join(directory, 'node_modules'));
    await mkdir(join(directory, 'specs'));
    await symlink(resolve('node_modules/jest'), join(directory, 'node_modules', 'jest'));
    await writeFile(join(directory, 'package.json'), '{}');
    await writeFile(join(directory, 'jest.config.cjs'), CONFIGURATION);
  });
  afterEach(() => rm(directory, { recursive: true }));

  const spec = (name: string, text: string): Promise<void> => writeFile(join(directory, 'specs', `${name}.spec.ts`), text);

  /** Runs the specs in a process of its own; gives its lines, and the counts that it printed last. */
  function run(): { lines: readonly string[]; counts: unknown } {
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', PROGRAM], { cwd: directory, encoding: 'utf8' });
    const lines = stdout.trim().split('\n');
    return { lines, counts: JSON.parse(lines.at(-1)!) };
  }

  it('keep their hooks to themselves, and count what passes, fails and is skipped', async () => {
    await spec(
      'hooks',
      `beforeAll(() => (globalThis.mark = 1)); afterAll(() => delete globalThis.mark); it('has it', () => expect(mark).toBe(1));`,
    );
    await spec('earlier', `it('has none', () => expect(globalThis.mark).toBeUndefined());`);
    await spec(
      'later',
      `it('has none', () => expect(globalThis.mark).toBeUndefined()); it('fails', () => expect(1).toBe(2)); it.skip('waits', () => {});`,
    );
    expect(run().counts).toEqual({ passed: 3, failed: 2 });
  });

  it('count as failed, and are named, where no test of theirs ran', async () => {
    await spec('empty', '');
    await spec('full', `it('passes', () => {});`);
    const { lines, counts } = run();
    expect(counts).toEqual({ passed: 1, failed: 1 });
    expect(lines.join('\n')).toContain('no test ran of specs/empty.spec.ts');
  });

  it('count each as failed where one of them cannot be loaded', async () => {
    await spec('broken', 'throw new Error("not loaded");');
    await spec('full', `it('passes', () => {});`);
    expect(run().counts).toEqual({ passed: 0, failed: 2 });
  });

  it('run alone where they reach beyond themselves', async () => {
    await spec('environment', `process.env.REACHES = '1'; it('passes', () => {});`);
    await spec('other', `it('does not see it', () => expect(process.env['REACHES']).toBeUndefined());`);
    await spec('third', `globalThis.seen = true; it('passes', () => {});`);
    await spec('fourth', `it('shares its process with the third alone', () => expect(globalThis.seen).toBe(true));`);
    expect(run().counts).toEqual({ passed: 4, failed: 0 });
  });
});
