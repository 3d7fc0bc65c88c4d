import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { currentUse } from '#embedded-postgres/data-directory.js';
import { exists } from '#embedded-postgres/process-identity.js';
import { eventually } from '../../../test/contract/event-store.support.js';
import { createTestDatabase } from '../../../test/support/postgres.js';
import {
  installationPorts,
  runWorkforce,
  startWorkforce,
  type RunningProcess,
} from '../../../test/support/processes.js';
import { temporaryDirectory } from '../../../test/support/test-server.js';

describe('a server started with nothing set', () => {
  let directory: string;
  let environment: NodeJS.ProcessEnv;
  let api: string;
  let operations: string;
  let running: RunningProcess[];

  const start = (...parameters: string[]): RunningProcess => {
    const server = startWorkforce(['start', ...parameters], environment);
    running.push(server);
    return server;
  };

  const postmaster = async (): Promise<number> => {
    const file = join(environment['WORKFORCE_DATA_DIR']!, 'postgres', 'postmaster.pid');
    return Number((await readFile(file, 'utf8')).split('\n')[0]);
  };

  beforeAll(async () => {
    directory = await temporaryDirectory();
    const ports = await installationPorts();
    environment = { WORKFORCE_DATA_DIR: join(directory, 'data'), ...ports.settings };
    api = `http://127.0.0.1:${ports.api}/api/v1/me`;
    operations = `http://127.0.0.1:${ports.operations}`;
  });

  beforeEach(() => {
    running = [];
  });

  afterEach(() => Promise.all(running.map((server) => server.end('SIGKILL'))));

  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('makes no demo data, and prints no key, with NODE_ENV=production', async () => {
    const server = startWorkforce(['start', '--json'], { ...environment, NODE_ENV: 'production' });
    running.push(server);
    await server.untilPrinted(/\n/);
    expect(JSON.parse(server.stdout())).toMatchObject({ api: api.replace('/me', ''), demo: null });
    const keys = await runWorkforce(['keys', 'list', '--json'], environment);
    expect(JSON.parse(keys.stdout)).toEqual({ keys: [] });
    expect(await server.end('SIGTERM')).toBe(0);
  });

  it('makes demo data and its key on the first start, prints it once, and the printed request works', async () => {
    const first = start();
    const [, key] = await first.untilPrinted(/^ {2}(svc_live_\S+)$/m);
    const [, url] = await first.untilPrinted(/^ {2}curl -H 'Authorization: Bearer \S+' '(\S+)'$/m);
    const answer = await fetch(url!, { headers: { authorization: `Bearer ${key}` } });
    expect(answer.status).toBe(200);
    expect(((await answer.json()) as { data: unknown[] }).data).toHaveLength(5);
    const [, comparison] = await first.untilPrinted(/'(\S+&compare_known_at=\S+)'$/m);
    const compared = await fetch(comparison!, { headers: { authorization: `Bearer ${key}` } });
    expect(await compared.json()).toMatchObject({
      data: {
        segment: { job_title: 'Software Engineer' },
        changes: [{ field: 'job_title', before: 'Software Engineer', after: 'Senior Software Engineer' }],
      },
    });
    expect(await first.end('SIGTERM')).toBe(0);

    const second = start('--json');
    await second.untilPrinted(/\n/);
    expect(JSON.parse(second.stdout())).toMatchObject({ api: api.replace('/me', ''), demo: null });
    expect(await second.end('SIGTERM')).toBe(0);
  });

  it('answers, and stops in order with all that belongs to it', async () => {
    const server = start('--no-demo');
    expect((await server.untilAnswers(api)).status).toBe(401);
    await server.untilAnswers(`${operations}/health/ready`, { status: 200 });
    const database = await postmaster();
    // The exit code is 0 only if every part stopped within the 10 s of a stop.
    expect(await server.end('SIGINT')).toBe(0);
    expect(exists(database)).toBe(false);
    expect(await currentUse(environment['WORKFORCE_DATA_DIR']!)).toBeNull();
  });

  it('lets commands work beside it, and refuses a second server', async () => {
    const server = start('--no-demo');
    await server.untilAnswers(api);
    const database = await postmaster();
    const doctor = await runWorkforce(['doctor', '--json'], environment);
    expect({ code: doctor.code, ...JSON.parse(doctor.stdout) }).toMatchObject({ code: 0, ok: true });
    const second = await runWorkforce(['start'], environment);
    expect({ code: second.code, sentence: second.stderr }).toEqual({
      code: 3,
      sentence: expect.stringMatching(
        new RegExp(`^The data directory \\S+ is in use by process ${server.pid}: .*\\.\\n$`),
      ),
    });
    expect(await postmaster()).toBe(database);
    expect(await server.end('SIGTERM')).toBe(0);
  });

  it('ends at SIGTERM while it waits for another process that migrates its database', async () => {
    const database = await createTestDatabase({ migrated: false });
    const migrating = await database.pool.connect();
    await migrating.query('select pg_advisory_lock(7230914420)');
    const waiting = startWorkforce(['api'], { ...environment, DATABASE_URL: database.url });
    running.push(waiting);
    await eventually(async () => {
      const { rowCount } = await database.pool.query(
        "select from pg_locks l join pg_database d on d.oid = l.database where d.datname = current_database() and l.locktype = 'advisory' and not l.granted",
      );
      return rowCount === 1;
    });
    expect(await waiting.end('SIGTERM')).toBe(0);
    migrating.release(true);
    await database.drop();
  });

  it('is put right by the next start after kill -9 of the server, of PostgreSQL, and of both', async () => {
    for (const victims of [['server'], ['server', 'database'], ['database']]) {
      const server = start('--no-demo');
      await server.untilAnswers(`${operations}/health/ready`, { status: 200 });
      if (victims.includes('database')) process.kill(await postmaster(), 'SIGKILL');
      if (victims.includes('server')) await server.end('SIGKILL');
      else await server.untilAnswers(`${operations}/health/ready`, { status: 200 });
      if (!victims.includes('server')) expect(await server.end('SIGTERM')).toBe(0);
    }
    const last = start('--no-demo');
    await last.untilAnswers(`${operations}/health/ready`, { status: 200 });
    const database = await postmaster();
    expect(await last.end('SIGTERM')).toBe(0);
    expect(exists(database)).toBe(false);
  });
});
