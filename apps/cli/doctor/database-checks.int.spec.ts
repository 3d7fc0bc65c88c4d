import type { Pool } from 'pg';
import { createPool } from '#database/pool.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.js';
import { checkRoomForConnections } from './database-checks.js';

describe('the finding of doctor about the connections that processes may open', () => {
  let database: TestDatabase;
  let listener: Pool;
  beforeAll(async () => {
    database = await createTestDatabase({ migrated: false });
    listener = createPool(database.url, { applicationName: 'workforce api listener', maximum: 1 });
    await listener.query('select');
  });
  afterAll(async () => {
    await listener.end();
    await database.drop();
  });

  it('is empty if PostgreSQL accepts all of them', async () => {
    expect(await checkRoomForConnections(database.pool, 4)).toEqual([]);
  });

  it('is a warning otherwise, with the required number', async () => {
    const [finding, ...others] = await checkRoomForConnections(database.pool, 10_000);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      name: 'connections',
      status: 'warning',
      message: expect.stringMatching(/may open \d{5,} connections; PostgreSQL accepts \d+/),
    });
    expect(finding!.advice).toContain('DATABASE_CONNECTIONS');
  });
});
