import { rm } from 'node:fs/promises';
import pg from 'pg';
import { createLogger } from '#configuration/logger.js';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '#embedded-postgres/embedded-postgres.js';
import { createPool } from '#database/pool.js';
import { openWakeSignalQueue } from '#webhooks/queue/open-wake-signal-queue.js';
import { temporaryDirectory } from '../support/test-server.js';
import { describeWakeSignalQueue } from './wake-signal-queue.contract.js';

const logger = createLogger('silent');

describeWakeSignalQueue('PostgreSQL', async () => {
  const directory = await temporaryDirectory();
  let server: EmbeddedPostgres = await startEmbeddedPostgres({ directory, durable: false });
  const { url } = server;
  const port = Number(new URL(url).port);
  return {
    open: () => openWakeSignalQueue({ redisUrl: null, databaseUrl: url, logger }),
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

describe('the tables of wake signals on PostgreSQL', () => {
  let server: EmbeddedPostgres;

  beforeAll(async () => {
    server = await startEmbeddedPostgres({ directory: await temporaryDirectory(), durable: false });
  });

  afterAll(() => server.stop());

  it('are made once by processes that start together, apart from the product’s own', async () => {
    const queues = await Promise.all([1, 2, 3, 4].map(() => openWakeSignalQueue({ redisUrl: null, databaseUrl: server.url, logger })));
    await Promise.all(queues.map((queue) => queue.close()));
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
      await expect(openWakeSignalQueue({ redisUrl: null, databaseUrl: server.url, logger })).rejects.toThrow(
        'requires BullMQ major version 99',
      );
    } finally {
      await client.query('delete from bullmq.migration where version = 9999');
      await client.end();
    }
  });
});

/** No other session reads or writes a wake signal until the returned function is called. */
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
