import type { Pool } from 'pg';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { EventStore } from '#event-store/event-store.js';
import { measureLag } from '#projections/catch-up.js';
import { Projector } from '#projections/projector.js';
import { PROJECTIONS } from '#resources/registry.js';

/** What is measured at each look. */
export interface Measured {
  readonly pool: Pool;
  readonly eventStore: EventStore;
}

/** The process's own measurements, those of its database pool, and how far the projections are. */
export function processMetrics({ pool, eventStore }: Measured): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'workforce_database_connections',
    help: 'Connections of this process to PostgreSQL, and statements that wait for one',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'idle' }, pool.idleCount);
      this.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
      this.set({ state: 'waiting' }, pool.waitingCount);
    },
  });
  const projector = new Projector(PROJECTIONS, { now: () => new Date() });
  new Gauge({
    name: 'workforce_projection_lag_seconds',
    help: 'Age of the oldest event that a projection has not handled yet; absent while the store does not answer',
    labelNames: ['projection'],
    registers: [registry],
    async collect() {
      this.reset();
      // A scrape must also work while PostgreSQL is away, when the other measurements are wanted most.
      const lags = await measureLag({ pool, eventStore, projector }, new Date()).catch(() => []);
      for (const { name, seconds } of lags) this.set({ projection: name }, seconds);
    },
  });
  return registry;
}
