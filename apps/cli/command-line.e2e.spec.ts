import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { programVersion } from '#embedded-postgres/program-root.js';
import { currentUse, openDataDirectory } from '#embedded-postgres/data-directory.js';
import { MIGRATIONS } from '#composition/migrations.js';
import { runWorkforce } from '../../test/support/processes.js';
import { temporaryDirectory } from '../../test/support/test-server.js';

describe('the command line', () => {
  let directory: string;
  let environment: NodeJS.ProcessEnv;

  beforeAll(async () => {
    directory = await temporaryDirectory();
    environment = { WORKFORCE_DATA_DIR: join(directory, 'data'), PORT: '0', SANDBOX_PORT: '0', OPS_PORT: '0' };
  });

  afterAll(() => rm(directory, { recursive: true, force: true }));

  const version = MIGRATIONS.at(-1)!.version;

  it('examines a machine where nothing was started yet, and starts nothing', async () => {
    const { code, stdout } = await runWorkforce(['doctor', '--json'], environment);
    const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: { name: string; status: string }[] };
    expect({ code, ok }).toEqual({ code: 0, ok: true });
    expect(checks.map(({ name }) => name)).toEqual([
      'node',
      'rate limits',
      'ports',
      'embedded PostgreSQL',
      'data directory',
    ]);
    expect(await currentUse(environment['WORKFORCE_DATA_DIR']!)).toBeNull();
  });

  it('says in one sentence that there is no installation, and makes none', async () => {
    const path = environment['WORKFORCE_DATA_DIR']!;
    for (const command of [
      ['people', 'erasures'],
      ['organisations', 'list'],
      ['projections', 'status'],
      ['timeline', 'x'],
      ['backup', 'x'],
    ]) {
      const { code, stdout, stderr } = await runWorkforce(command, environment);
      expect([command, code, stdout, stderr]).toEqual([
        command,
        4,
        '',
        expect.stringMatching(/^There is no installation in .*: workforce start /),
      ]);
    }
    expect(existsSync(join(path, 'postgres'))).toBe(false);
  });

  it('migrates with a PostgreSQL of its own, prints one JSON document, and leaves nothing running', async () => {
    const first = await runWorkforce(['migrate', '--json'], environment);
    expect(first.code).toBe(0);
    expect(JSON.parse(first.stdout)).toEqual({ version, applied: MIGRATIONS.map(({ name }) => name) });
    expect(await currentUse(environment['WORKFORCE_DATA_DIR']!)).toBeNull();
    const second = await runWorkforce(['migrate'], environment);
    expect(second).toEqual({ code: 0, stdout: `The schema is up to date (version ${version}).\n`, stderr: '' });
  });

  it('lets commands that run at the same time share one PostgreSQL', async () => {
    const runs = await Promise.all(Array.from({ length: 3 }, () => runWorkforce(['migrate', '--json'], environment)));
    for (const { code, stdout } of runs)
      expect({ code, ...JSON.parse(stdout) }).toEqual({ code: 0, version, applied: [] });
  });

  it('says all mistakes of the configuration, a sentence each, in JSON too', async () => {
    const { code, stdout, stderr } = await runWorkforce(['migrate', '--json'], {
      ...environment,
      PORT: 'many',
      LOG_LEVEL: 'loud',
    });
    expect(code).toBe(2);
    expect(stderr.trim().split('\n')).toHaveLength(2);
    expect(JSON.parse(stdout)).toEqual({ error: { message: stderr.trim() } });
  });

  it('says that a port is in use', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const { code, stdout, stderr } = await runWorkforce(['start'], { ...environment, PORT: String(port) });
    expect({ code, stdout, stderr }).toEqual({
      code: 3,
      stdout: '',
      stderr: `Port ${port} is in use: stop the program that uses it, or set PORT to another port.\n`,
    });
    const doctor = await runWorkforce(['doctor'], { ...environment, PORT: String(port) });
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toContain(`failed   Port ${port} is in use`);
    other.close();
  });

  it('says that the data directory is in use', async () => {
    const path = environment['WORKFORCE_DATA_DIR']!;
    const held = await openDataDirectory(path);
    const { code, stderr } = await runWorkforce(['start'], environment);
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: `The data directory ${path} is in use by process ${process.pid}: stop that process, or set WORKFORCE_DATA_DIR to another directory.\n`,
    });
    await held.release();
  });

  it('says that the data is of a newer version, or of another PostgreSQL', async () => {
    const path = environment['WORKFORCE_DATA_DIR']!;
    await writeFile(join(path, 'layout'), '2\n');
    const newer = await runWorkforce(['migrate'], environment);
    expect(newer).toMatchObject({ code: 3, stdout: '' });
    expect(newer.stderr).toMatch(/^The data directory .* is from a newer version .*\.\n$/);
    await writeFile(join(path, 'layout'), '1\n');
    await writeFile(join(path, 'postgres', 'PG_VERSION'), '17\n');
    const other = await runWorkforce(['migrate'], environment);
    expect(other).toMatchObject({ code: 3, stdout: '' });
    expect(other.stderr).toMatch(
      /^The data in .* is of PostgreSQL 17 and this program includes PostgreSQL \d+: .*\.\n$/,
    );
  });

  it('explains itself and refuses commands that are not there', async () => {
    const help = await runWorkforce(['--help']);
    expect(help.code).toBe(0);
    for (const command of ['start', 'api', 'worker', 'migrate', 'doctor'])
      expect(help.stdout).toContain(`  ${command} `);
    const version = await runWorkforce(['--version']);
    expect(version).toEqual({
      code: 0,
      stdout: `Workforce HR ${programVersion()}, Node.js ${process.versions.node}\n`,
      stderr: '',
    });
    const unknown = await runWorkforce(['nonsense']);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain("unknown command 'nonsense'");
  });

  it('says that the database of DATABASE_URL does not answer', async () => {
    const { code, stderr } = await runWorkforce(['migrate'], {
      ...environment,
      DATABASE_URL: 'postgres://u:hush@127.0.0.1:1/d',
    });
    expect(code).toBe(5);
    expect(stderr).toMatch(/^The database is not reachable \(.*ECONNREFUSED.*\): check .*\.\n$/);
    expect(stderr).not.toContain('hush');
  });
});
