import { rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { createLogger } from '#configuration/logger.js';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '#embedded-postgres/embedded-postgres.js';
import { createPool } from '#database/pool.js';
import { type JobEngine, openJobEngine } from '#jobs/job-engine.js';
import { untilAccepted } from '../support/jobs.js';
import { temporaryDirectory } from '../support/test-server.js';
import { describeJobEngine } from './job-engine.contract.js';

const logger = createLogger('silent');

describeJobEngine('PostgreSQL', async () => {
  const directory = await temporaryDirectory();
  let server: EmbeddedPostgres = await startEmbeddedPostgres({ directory, durable: false });
  const { url } = server;
  const port = Number(new URL(url).port);
  return {
    open: () => openOn(url),
    kill: async () => {
      process.kill(server.pid, 'SIGKILL');
      await server.ended;
    },
    restart: async () => {
      server = await startEmbeddedPostgres({ directory, port, durable: false });
    },
    disturb: () => disturb(url),
    hang: () => lockTables(url),
    stop: async () => {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
});

describe('the tables of jobs on PostgreSQL', () => {
  let server: EmbeddedPostgres;

  beforeAll(async () => {
    server = await startEmbeddedPostgres({ directory: await temporaryDirectory(), durable: false });
  });

  afterAll(() => server.stop());

  it('are made once by processes that start together, apart from the product’s own', async () => {
    const engines = [1, 2, 3, 4].map(() => openOn(server.url));
    await Promise.all(engines.map((engine) => engine.open()));
    await Promise.all(engines.map((engine) => engine.close()));
    const pool = createPool(server.url, { applicationName: 'test', maximum: 1 });
    try {
      const { rows } = await pool.query<{ schema: string; tables: number }>(
        "select schemaname as schema, count(*)::int as tables from pg_tables where schemaname not in ('pg_catalog', 'information_schema') group by 1",
      );
      expect(rows.map(({ schema }) => schema)).toEqual(['bullmq']);
    } finally {
      await pool.end();
    }
  });

  it('of a later major version are refused', async () => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    try {
      await client.query("insert into bullmq.migration (version, name, min_client_version) values (9999, 'later', 99)");
      await expect(openOn(server.url).open()).rejects.toThrow('requires BullMQ major version 99');
    } finally {
      await client.query('delete from bullmq.migration where version = 9999');
      await client.end();
    }
  });
});

it('a worker pauses between attempts while the database ends every connection', async () => {
  const server = await startEmbeddedPostgres({ directory: await temporaryDirectory(), durable: false });
  const passage = await openPassage(Number(new URL(server.url).port));
  const url = new URL(server.url);
  url.port = String(passage.port);
  const errors: unknown[] = [];
  const engine = openJobEngine({ redisUrl: null, databaseUrl: url.href }, { warn: (error) => errors.push(error) });
  try {
    await engine.worker('work', async () => undefined).whenReady();
    passage.refuse();
    const began = performance.now();
    while (passage.refused < 6) await wait(5);
    expect(performance.now() - began).toBeGreaterThan(2_000);
    expect(errors).not.toEqual([]);
  } finally {
    await engine.close();
    passage.close();
    await server.stop();
  }
});

it('a worker whose first connection fails works once the database answers', async () => {
  const server = await startEmbeddedPostgres({ directory: await temporaryDirectory(), durable: false });
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  const errors: unknown[] = [];
  const engine = openJobEngine({ redisUrl: null, databaseUrl: server.url }, { warn: (error) => errors.push(error) });
  try {
    await engine.open();
    await client.query('alter table bullmq.migration rename to migration_away');
    const done: unknown[] = [];
    const worker = engine.worker('work', async ({ data }) => done.push(data));
    // BullMQ reads the ledger of migrations before a worker is ready, and keeps a failure for good.
    while (errors.length === 0) await wait(5);
    await client.query('alter table bullmq.migration_away rename to migration');
    await worker.whenReady();
    await untilAccepted(() =>
      engine.queue('work').add([{ name: 'one', data: { number: 1 }, opts: { jobId: 'only' } }]),
    );
    while (done.length === 0) await wait(5);
    expect(done).toEqual([{ number: 1 }]);
  } finally {
    await engine.close();
    await client.end();
    await server.stop();
  }
});

/** A passage to a local port that can end every connection, new ones too. */
async function openPassage(
  target: number,
): Promise<{ readonly port: number; readonly refused: number; refuse(): void; close(): void }> {
  const sockets = new Set<Socket>();
  let isRefusing = false;
  let refused = 0;
  const listener = createServer((socket) => {
    socket.on('error', () => undefined);
    if (isRefusing) {
      refused += 1;
      socket.destroy();
      return;
    }
    const onward = connect(target, '127.0.0.1').on('error', () => undefined);
    sockets.add(socket).add(onward);
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const end = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    port: (listener.address() as AddressInfo).port,
    get refused() {
      return refused;
    },
    refuse: () => {
      isRefusing = true;
      end();
    },
    close: () => {
      end();
      listener.close();
    },
  };
}

const openOn = (databaseUrl: string): JobEngine => openJobEngine({ redisUrl: null, databaseUrl }, logger);

/** No other session reads or writes a job until the returned function is called. */
async function lockTables(url: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('begin');
  await client.query('lock table bullmq.job in access exclusive mode');
  return async () => {
    await client.query('rollback');
    await client.end();
  };
}

async function disturb(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('delete from bullmq.job');
    await client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
    );
  } finally {
    await client.end();
  }
}
