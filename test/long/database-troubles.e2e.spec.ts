import { execFile } from 'node:child_process';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { eventually } from '../contract/event-store.support.js';
import { AnswerCheck, type OpenApiDocument } from '../support/api/answer-check.js';
import { newKey, newOrganisation, servicesOf } from '../support/api/test-api.js';
import { Installation } from '../support/faults/installation.js';
import { expectKept, expectTablesAsRebuilt } from '../support/faults/oracle.js';
import { Writers } from '../support/faults/writers.js';
import { runWorkforce } from '../support/processes.js';
import { temporaryDirectory } from '../support/test-server.js';

const run = promisify(execFile);
const WRITERS = 4;
const MEBIBYTE = 1024 * 1024;
const DISK_MEBIBYTES = 400;

/** A disk so small that it can be filled. */
let disk: string;
let installation: Installation;
let writers: Writers;

beforeAll(async () => {
  disk = join(await temporaryDirectory(), 'disk');
  await mkdir(disk);
  await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MEBIBYTES}m,mode=711`, 'tmpfs', disk]).catch(
    (error: unknown) => {
      throw new Error(
        'this test fills a small file system, and may not mount one: run it as root, or under "unshare --user --map-root-user --mount"',
        { cause: error },
      );
    },
  );
  installation = await Installation.start({ directory: disk });
  const services = await servicesOf({ url: installation.url, pool: installation.pool, drop: () => Promise.resolve() });
  const { apiKey } = await newKey(services, await newOrganisation(services));
  await installation.launch('api 1');
  await installation.launch('worker 1', { LOG_LEVEL: 'error' });
  installation.superviseFromNowOn();
  await installation.untilReady('api 1');
  const address = installation.addressOf('api 1');
  const document = (await (await fetch(`${address}/api/v1/openapi.json`)).json()) as OpenApiDocument;
  writers = new Writers({ addresses: () => [address], apiKey, check: new AnswerCheck(document), count: WRITERS });
});

afterAll(async () => {
  writers?.close();
  await installation?.stop();
  await run('umount', ['-l', disk]).catch(() => undefined);
  await rm(join(disk, '..'), { recursive: true, force: true });
});

/** Callers write before, during and after the trouble; `during` is done once some of them were told 503. */
async function amidWrites(trouble: () => Promise<() => Promise<void>>, during: () => Promise<void>): Promise<void> {
  const processes = installation.names.map((name) => installation.processOf(name).pid);
  writers.begin();
  await writers.untilAcknowledged(WRITERS * 2);
  const unavailable = writers.told.unavailable;
  const mend = await trouble();
  try {
    await eventually(() => writers.told.unavailable >= unavailable + WRITERS);
    await during();
  } finally {
    await mend();
  }
  const mended = performance.now();
  await writers.untilAcknowledged(WRITERS * 2);
  process.stdout.write(
    `${expect.getState().currentTestName}: ${Math.round(performance.now() - mended)} ms until ${WRITERS * 2} writes were acknowledged again\n`,
  );
  await writers.finish();
  await expectKept(installation.pool, writers);
  await expectTablesAsRebuilt(installation.pool);
  // By itself: nobody was started again.
  expect(installation.names.map((name) => installation.processOf(name).pid)).toEqual(processes);
}

/** What the doctor says of one part; null where it says nothing, or that all is well. */
async function doctorOn(name: string): Promise<{ status: string; message: string; advice: string | null } | null> {
  const { stdout } = await runWorkforce(['doctor', '--json'], installation.environment);
  const { checks } = JSON.parse(stdout) as {
    checks: readonly { name: string; status: string; message: string; advice: string | null }[];
  };
  return checks.find((check) => check.name === name && check.status !== 'ok') ?? null;
}

async function health(): Promise<{ status: string; reasons?: readonly string[]; warnings?: readonly string[] }> {
  return (await (await fetch(`${installation.operationsOf('api 1')}/health/ready`)).json()) as {
    status: string;
    reasons?: readonly string[];
    warnings?: readonly string[];
  };
}

async function fill(file: string): Promise<void> {
  const ballast = await open(file, 'w');
  try {
    for (const chunk of [Buffer.alloc(MEBIBYTE), Buffer.alloc(4096)]) {
      for (let isFull = false; !isFull;)
        isFull = await ballast.write(chunk).then(
          ({ bytesWritten }) => bytesWritten < chunk.length,
          (error: NodeJS.ErrnoException) => {
            if (error.code !== 'ENOSPC') throw error;
            return true;
          },
        );
    }
  } finally {
    await ballast.close();
  }
}

async function operator(name: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: installation.url, application_name: name });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

describe('callers are told 503 while PostgreSQL cannot go on, lose nothing, and are answered again by themselves,', () => {
  it('where its disk is full', async () => {
    const ballast = join(disk, 'ballast');
    // So that the log has room for a while, and it is the tables that have none.
    await installation.pool.query('select pg_switch_wal()');
    await amidWrites(
      async () => {
        await fill(ballast);
        return () => rm(ballast);
      },
      async () => {
        expect(await doctorOn('disk')).toMatchObject({
          status: 'failed',
          message: expect.stringContaining('disk is full: free space'),
        });
        expect(await health()).toMatchObject({
          warnings: expect.arrayContaining([expect.stringContaining('disk is full')]),
        });
      },
    );
    expect(await doctorOn('disk')).toBeNull();
  });

  it('where others have all its connections', async () => {
    const others: pg.Client[] = [];
    await amidWrites(
      async () => {
        const take = async (): Promise<boolean> =>
          operator('others').then(
            (client) => others.push(client) > 0,
            () => false,
          );
        let isOver = false;
        // On and on: a place that becomes free is taken before the program asks again, or the program loses
        // what it got.
        const taking = (async () => {
          while (!isOver) {
            while (!isOver && (await take()));
            await others[0]!.query(
              `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'workforce api'`,
            );
            await wait(20);
          }
        })();
        return async () => {
          isOver = true;
          await taking;
          await Promise.all(others.map((client) => client.end()));
        };
      },
      async () => {
        await eventually(
          async () => (await doctorOn('database'))?.message.includes('no connection left: end programs') === true,
        );
        await eventually(async () => (await health()).reasons?.some((reason) => reason.includes('no connection left')));
      },
    );
    expect(await doctorOn('database')).toBeNull();
  });

  it('where somebody holds a lock that statements wait for', async () => {
    let pid = 0;
    const named = (): unknown =>
      expect.stringMatching(
        new RegExp(
          `^Session ${pid} of PostgreSQL \\(a careless operator\\) .* \\(idle in transaction\\) and keeps \\d+ sessions? waiting for a lock`,
        ),
      );
    await amidWrites(
      async () => {
        const holder = await operator('a careless operator');
        await holder.query(
          'set idle_in_transaction_session_timeout = 0; begin; lock table people in access exclusive mode',
        );
        pid = (await holder.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid;
        return () => holder.end();
      },
      async () => {
        expect(await eventually(() => doctorOn('sessions'))).toMatchObject({
          status: 'warning',
          message: named(),
          advice: `If that is not intended, end it: select pg_terminate_backend(${pid}).`,
        });
        await eventually(async () =>
          (await health()).warnings?.some((warning) => warning.startsWith(`Session ${pid} `)),
        );
        expect((await health()).warnings).toContain(
          'A statement waited too long for a lock: "workforce doctor" names the session that holds it.',
        );
      },
    );
  });
});

it('a transaction that was left idle holds up the readers of events, nobody else, and is named by the alarm, the doctor and the health check', async () => {
  const holder = await operator('a forgotten window');
  await holder.query('set idle_in_transaction_session_timeout = 0; begin; create temporary table forgotten ()');
  const { pid } = (await holder.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!;
  writers.begin();
  const sentence = `Session ${pid} of PostgreSQL (a forgotten window) has been in a transaction for `;
  await eventually(async () =>
    (await health()).warnings?.some(
      (warning) => warning.startsWith(sentence) && warning.includes('blocks the readers of events'),
    ),
  );
  expect((await health()).status).toBe('ready');
  expect(await doctorOn('sessions')).toMatchObject({ status: 'warning', message: expect.stringContaining(sentence) });
  await eventually(() => installation.processOf('worker 1').stderr().includes(sentence));
  await writers.untilAcknowledged(WRITERS * 2);
  await writers.finish();
  const unread = async (): Promise<number | null> =>
    (
      await installation.pool.query(
        'select from events where transaction_id >= pg_snapshot_xmin(pg_current_snapshot())',
      )
    ).rowCount;
  expect(await unread()).toBeGreaterThan(0);
  await holder.end();
  await eventually(async () => (await unread()) === 0);
  await expectKept(installation.pool, writers);
  await expectTablesAsRebuilt(installation.pool);
});
