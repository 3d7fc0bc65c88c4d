import type { Pool, PoolClient } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../test/support/postgres.js';
import { copyOut } from './copy-out.js';
import { createPool } from './pool.js';

let database: TestDatabase;
let pool: Pool;
let connection: PoolClient;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.url, { applicationName: 'copy out', maximum: 1, statementTimeout: 20_000 });
});
beforeEach(async () => {
  connection = await pool.connect();
});
afterEach(() => connection.release());
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** The number of timers that keep this process alive. */
function timers(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
}

async function textOf(select: string): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of copyOut(connection, select)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('rows that are copied to the program', () => {
  it('are complete, however many they are, and leave the connection ready', async () => {
    expect(await textOf("select 1, null, E'a\\tb'")).toBe('1\t\\N\ta\\tb\n');
    expect((await textOf('select generate_series(1, 200000)')).split('\n')).toHaveLength(200_001);
    expect((await connection.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('leave no timer of the query timeout, which would keep the process alive', async () => {
    const before = timers();
    await textOf('select 1');
    await expect(textOf('select 1 / 0')).rejects.toThrow('division by zero');
    expect(timers()).toBe(before);
  });
});
