import { readConfiguration } from '#configuration/configuration.js';
import { createLogger } from '#configuration/logger.js';
import { startEmbeddedPostgres } from '#database/embedded/embedded-postgres.js';
import { migrate } from '#database/migrations.js';
import { createPool } from '#database/pool.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { MIGRATIONS } from '#resources/migrations.js';
import { temporaryDirectory } from '../../../test/support/test-server.js';
import { startOperations } from './operations.js';

jest.setTimeout(60_000);

const logger = createLogger('silent');
const TOKEN = 'a-token-of-an-operator';

describe('the operations listener', () => {
  let server: Awaited<ReturnType<typeof startEmbeddedPostgres>>;
  let pool: ReturnType<typeof createPool>;
  let operations: Awaited<ReturnType<typeof startOperations>>;
  let reasons: string[];

  const start = async (environment: NodeJS.ProcessEnv = {}): Promise<void> => {
    operations = await startOperations({
      pool,
      eventStore: new PostgresEventStore(pool),
      configuration: readConfiguration(environment),
      port: 0,
      logger,
      readiness: () => reasons,
    });
  };

  const get = async (path: string, headers: Record<string, string> = {}): Promise<{ status: number; body: string }> => {
    const response = await fetch(`${operations.url}${path}`, { headers });
    return { status: response.status, body: await response.text() };
  };

  beforeAll(async () => {
    server = await startEmbeddedPostgres({ directory: await temporaryDirectory(), durable: false });
    pool = createPool(server.url, { applicationName: 'test', maximum: 4 });
    reasons = [];
  });

  afterEach(() => operations.stop());

  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  it('is live but not ready before the migrations', async () => {
    await start();
    expect(await get('/health/live')).toEqual({ status: 200, body: '{"status":"live"}' });
    const { status, body } = await get('/health/ready');
    expect(status).toBe(503);
    expect(body).toContain(`The database lacks ${MIGRATIONS.length} migrations`);
  });

  it('is ready with everything there, unless the process itself has a reason', async () => {
    await migrate(pool, MIGRATIONS);
    await start();
    expect(await get('/health/ready')).toEqual({ status: 200, body: '{"status":"ready"}' });
    reasons.push('The server is stopping.');
    expect((await get('/health/ready')).body).toContain('The server is stopping.');
    reasons.length = 0;
  });

  it('measures, and asks for the token where there is one, health aside', async () => {
    await start({ OPS_TOKEN: TOKEN });
    expect((await get('/metrics')).status).toBe(401);
    expect((await get('/metrics', { authorization: `Bearer ${TOKEN}x` })).status).toBe(401);
    const { status, body } = await get('/metrics', { authorization: `Bearer ${TOKEN}` });
    expect(status).toBe(200);
    expect(body).toContain('process_cpu_user_seconds_total');
    expect(body).toContain('workforce_database_connections{state="idle"}');
    expect(body).toContain('workforce_projection_lag_seconds{projection="');
    expect((await get('/health/live')).status).toBe(200);
  });

  it('is not ready without PostgreSQL, says so in time, and stays live', async () => {
    await start();
    await server.stop();
    const { status, body } = await get('/health/ready');
    expect(status).toBe(503);
    expect(body).toContain('PostgreSQL');
    expect(body).toContain('the event store');
    expect((await get('/metrics')).status).toBe(200);
    expect((await get('/health/live')).status).toBe(200);
  });
});
