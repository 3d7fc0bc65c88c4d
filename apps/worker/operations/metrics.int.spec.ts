import { createPool } from '#database/pool.js';
import { MemoryEventStore } from '../../../test/support/memory-event-store.js';
import { eventually } from '../../../test/contract/event-store.support.js';
import { freezePostgres } from '../../../test/support/faults/frozen-postgres.js';
import { startTestPostgres } from '../../../test/support/postgres.js';
import { processMetrics } from './metrics.js';

it('the gauge of an unresponsive database is 1 while PostgreSQL hangs', async () => {
  const server = await startTestPostgres();
  const pool = createPool(server.url, { applicationName: 'measured', maximum: 1, statementTimeout: 3_000 });
  const registry = processMetrics({ pool, eventStore: new MemoryEventStore() });
  const hangs = async (): Promise<number> =>
    (await registry.getSingleMetric('workforce_database_unresponsive')!.get()).values[0]!.value;
  let goOn = (): void => undefined;
  try {
    expect(await hangs()).toBe(0);
    goOn = await freezePostgres(server.pid);
    expect(await hangs()).toBe(1);
    goOn();
    await eventually(async () => ((await hangs()) === 0 ? true : null));
  } finally {
    goOn();
    await pool.end();
    await server.stop();
  }
});
