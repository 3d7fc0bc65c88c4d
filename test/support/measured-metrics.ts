import { type MetricObject, Registry } from 'prom-client';
import { createPool } from '#database/pool.js';
import { StoreMeasurements } from '#event-store/measure-store.js';
import { MemoryEventStore } from './memory-event-store.js';
import { RequestMeasurements } from '#http/pipeline/observe-request.js';
import { DeliveryMeasurements } from '#webhooks/deliver/measurements.js';
import { processMetrics } from '#worker/operations/metrics.js';

/**
 * Returns each metric that some process measures. No database is queried, because all metrics are registered
 * at the start.
 */
export async function measuredMetrics(): Promise<readonly MetricObject[]> {
  const registry = new Registry();
  new RequestMeasurements(registry);
  new StoreMeasurements(registry);
  new DeliveryMeasurements(registry);
  const pool = createPool('postgres://127.0.0.1:1/none', { applicationName: 'test', maximum: 1 });
  const registries = [registry, processMetrics({ pool, eventStore: new MemoryEventStore() })];
  await pool.end();
  return registries.flatMap((one) => one.getMetricsAsArray());
}
