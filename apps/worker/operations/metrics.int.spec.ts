import { isUnavailable } from '#database/errors.js';
import { GuardedPool } from '#database/sessions/guarded-pool.js';
import { MemoryEventStore } from '../../../test/support/memory-event-store.js';
import { eventually } from '../../../test/contract/event-store.support.js';
import { freezePostgres } from '../../../test/support/faults/frozen-postgres.js';
import { startTestPostgres } from '../../../test/support/postgres.js';
import { processMetrics } from './metrics.js';

/** So that the heartbeat is lost after a second instead of three. */
const TICK_MILLISECONDS = 80;

it('the gauge of the heartbeat is 1 while a statement waits for a PostgreSQL that hangs', async () => {
  const server = await startTestPostgres();
  const pool = new GuardedPool(server.url, { applicationName: 'measured', maximum: 1 }, TICK_MILLISECONDS);
  const registry = processMetrics({ pool, eventStore: new MemoryEventStore() });
  const hangs = async (): Promise<number> => (await registry.getSingleMetric('workforce_database_unresponsive')!.get()).values[0]!.value;
  let goOn = (): void => undefined;
  try {
    await pool.query('select');
    expect(await hangs()).toBe(0);
    goOn = await freezePostgres(server.pid);
    const statement = pool.query('select').catch((error: unknown) => error);
    await eventually(async () => ((await hangs()) === 1 ? true : null));
    expect(isUnavailable(await statement)).toBe(true);
    goOn();
    await eventually(async () => ((await hangs()) === 0 ? true : null));
  } finally {
    goOn();
    await pool.end();
    await server.stop();
  }
});
