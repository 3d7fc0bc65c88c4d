import type { Pool } from 'pg';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { EventStore } from '#event-store/event-store.js';
import type { Clock } from '#kernel/clock.js';
import { measureLag } from '#projections/catch-up.js';
import { MIGRATIONS } from '#composition/migrations.js';
import { PROJECTIONS } from '#composition/registry.js';
import { measureDeliveries, type MeasuredDeliveries } from '#webhooks/deliver/measurements.js';
import { type DatabaseStatus, readDatabaseStatus } from './database-status.js';
import { within } from './readiness.js';

/**
 * Node.js adds this to every lag of the event loop that it reports. Each sample wakes the process: at 50 ms
 * the samples were a quarter of the cost of an idle process.
 */
const EVENT_LOOP_SAMPLING_MILLISECONDS = 500;
const MILLISECONDS = 1_000;

/** The sources of each scrape. */
export interface Measured {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  /** The system clock by default. */
  readonly clock?: Clock;
}

/** Registers the metrics of the process, of its database pool, and of the lag of projections. */
export function processMetrics({ pool, eventStore, clock = { now: () => new Date() } }: Measured): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLING_MILLISECONDS });
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
  registerResponse(registry, pool);
  new Gauge({
    name: 'workforce_projection_lag_seconds',
    help:
      'Age of the oldest event that a projection has not handled yet, since the end of its import if imported; ' +
      'absent while the store does not answer',
    labelNames: ['projection'],
    registers: [registry],
    async collect() {
      this.reset();
      // A scrape must also work while PostgreSQL is unavailable, when the other metrics matter most.
      const lags = await measureLag({ pool, eventStore, projections: PROJECTIONS }, clock.now()).catch(() => []);
      for (const { name, seconds } of lags) this.set({ projection: name }, seconds);
    },
  });
  registerWebhooks(registry, pool);
  registerDatabase(registry, pool);
  registerProcess(registry, pool);
  return registry;
}

function registerResponse(registry: Registry, pool: Pool): void {
  new Gauge({
    name: 'workforce_database_unresponsive',
    help: '1 while PostgreSQL does not answer this process within two seconds, else 0',
    registers: [registry],
    async collect() {
      this.set((await within('PostgreSQL', () => pool.query('select').then(() => null))) === null ? 0 : 1);
    },
  });
}

function registerProcess(registry: Registry, pool: Pool): void {
  new Counter({
    name: 'workforce_event_loop_active_seconds_total',
    help: 'Seconds that the event loop of this process was busy; the rate is the share of time, from 0 to 1',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(performance.eventLoopUtilization().active / MILLISECONDS);
    },
  });
  new Gauge({
    name: 'workforce_database_connections_limit',
    help: 'Maximum number of connections of this process to PostgreSQL',
    registers: [registry],
  }).set(pool.options.max);
  new Gauge({
    name: 'workforce_build_info',
    help: 'Always 1; the labels show the version of the program',
    labelNames: ['schema', 'node'],
    registers: [registry],
  }).set({ schema: String(MIGRATIONS.at(-1)!.version), node: process.version }, 1);
}

/** The state of the database over all processes: gauges of one query, each of which may be read first. */
function registerDatabase(registry: Registry, pool: Pool): void {
  const databaseStatus = shared(() => readDatabaseStatus(pool));
  const gauge = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    set: (gauge: Gauge<Label>, found: DatabaseStatus) => void,
  ): Gauge<Label> =>
    new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      async collect() {
        const found = await databaseStatus();
        this.reset();
        // After the reset, a metric with labels is absent, and one without labels is 0.
        if (found !== null) set(this, found);
        else if (labelNames.length === 0) this.remove();
      },
    });
  gauge(
    'workforce_event_log_oldest_write_seconds',
    'Age of the oldest open transaction that writes: readers of events wait for it',
    [],
    (own, { oldestWriteSeconds }) => own.set(oldestWriteSeconds),
  );
  gauge(
    'workforce_leaders',
    '1 if a process does the work that one process at a time does, else 0',
    ['work'],
    (own, { isLed }) => {
      for (const [work, led] of Object.entries(isLed)) own.set({ work }, led ? 1 : 0);
    },
  );
  gauge(
    'workforce_rebuild_progress_ratio',
    'Filled part of a rebuild in progress or interrupted, from 0 to 1; absent without one',
    ['projection'],
    (own, { rebuilds }) => {
      for (const { projection, phase, rows, expectedRows } of rebuilds)
        own.set({ projection }, phase === 'completing' ? 1 : expectedRows === 0 ? 0 : Math.min(1, rows / expectedRows));
    },
  );
  gauge(
    'workforce_rebuild_idle_seconds',
    'Time since an unfinished rebuild last made progress',
    ['projection'],
    (own, { rebuilds }) => {
      for (const { projection, updatedAt } of rebuilds)
        own.set({ projection }, Math.max(0, (Date.now() - updatedAt.getTime()) / 1_000));
    },
  );
}

/**
 * One query for all concurrent callers; null if it fails, so that a scrape works while PostgreSQL is
 * unavailable.
 */
function shared<Found>(take: () => Promise<Found>): () => Promise<Found | null> {
  let databaseStatus: Promise<Found | null> | null = null;
  return () =>
    (databaseStatus ??= take()
      .catch(() => null)
      .finally(() => (databaseStatus = null)));
}

/**
 * Deliveries that wait for endpoints, their lateness and its cause, and endpoints that receive nothing:
 * gauges of one query, each of which may be read first.
 */
function registerWebhooks(registry: Registry, pool: Pool): void {
  const measured = shared(() => measureDeliveries(pool));
  const gauge = (name: string, help: string, valueOf: (deliveries: MeasuredDeliveries) => number): Gauge =>
    new Gauge({
      name,
      help: `${help}; absent while PostgreSQL does not answer`,
      registers: [registry],
      async collect() {
        const deliveries = await measured();
        this.reset();
        if (deliveries === null) this.remove();
        else this.set(valueOf(deliveries));
      },
    });
  const byStatus = (
    name: string,
    help: string,
    countsOf: (deliveries: MeasuredDeliveries) => Readonly<Record<string, number>>,
  ): Gauge =>
    new Gauge({
      name,
      help,
      labelNames: ['status'],
      registers: [registry],
      async collect() {
        const deliveries = await measured();
        this.reset();
        if (deliveries !== null)
          for (const [status, count] of Object.entries(countsOf(deliveries))) this.set({ status }, count);
      },
    });
  gauge(
    'workforce_webhook_sending_delay_seconds',
    'Longest time that an active endpoint has had a due delivery while none of its deliveries was attempted',
    ({ sendingSeconds }) => sendingSeconds,
  );
  gauge(
    'workforce_webhook_receiver_delay_seconds',
    'Longest time that a delivery has been due while others of its endpoint were attempted',
    ({ receiverSeconds }) => receiverSeconds,
  );
  gauge(
    'workforce_webhook_endpoints_behind',
    'Active endpoints with a delivery due for more than a minute while others of the endpoint were attempted',
    ({ endpointsBehind }) => endpointsBehind,
  );
  byStatus(
    'workforce_webhook_deliveries_waiting',
    'Deliveries that wait for their first or a later attempt',
    ({ waiting }) => ({
      ...waiting,
    }),
  );
  byStatus(
    'workforce_webhook_endpoints',
    'Endpoints by status, and the reason where they are disabled',
    ({ endpoints }) => endpoints,
  );
}
