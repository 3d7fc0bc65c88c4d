import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Registry } from 'prom-client';
import { createPool } from '#database/pool.js';
import { StoreMeasurements } from '#event-store/measure-store.js';
import { MemoryEventStore } from '#event-store/memory/memory-event-store.js';
import { RequestMeasurements } from '#http/pipeline/request-measurements.js';
import { DeliveryMeasurements } from '#webhooks/deliver/measurements.js';
import { processMetrics } from '#worker/operations/metrics.js';

const PAGE = readFileSync(resolve(__dirname, '..', '..', 'docs', 'reference', 'metrics.md'), 'utf8');

it('the page of metrics has each that is measured, and no other', async () => {
  const registry = new Registry();
  new RequestMeasurements(registry);
  new StoreMeasurements(registry);
  new DeliveryMeasurements(registry);
  // Nothing is asked of it: what is registered is known without a look.
  const pool = createPool('postgres://127.0.0.1:1/none', { applicationName: 'test', maximum: 1 });
  const registries = [registry, processMetrics({ pool, eventStore: new MemoryEventStore() })];
  const names = registries.flatMap((one) => one.getMetricsAsArray().map(({ name }) => name));
  await pool.end();
  const rows = [...PAGE.matchAll(/^\| `(workforce_\w+)` \|(?:[^|]*\|){3}$/gm)];
  expect(rows.map(([, name]) => name).sort()).toEqual(names.filter((name) => name.startsWith('workforce_')).sort());
});
