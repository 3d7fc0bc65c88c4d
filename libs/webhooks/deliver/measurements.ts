import { Counter, Gauge, type Registry, Summary } from 'prom-client';
import type { Executor } from '#projections/projection.js';
import type { AttemptResult, Recorded } from './delivery-store.js';
import { POOL_NAMES, type PoolName } from './dispatch/concurrency.js';
import { type Lateness, measureLateness, type Waiting } from './lateness.js';

/** The part of a dispatcher that is measured. */
export interface Dispatching {
  /** The number of attempts of a pool in flight. */
  inFlight(pool: PoolName): number;
  /** The number of deliveries that wait in lanes for a slot. */
  readonly waiting: number;
}

/** What is measured of attempts, in the registry given. Process-wide: every worker reports its own. */
export class DeliveryMeasurements {
  private readonly attempts: Counter<'outcome'>;
  private readonly acknowledged: Summary;
  private readonly dispatching = new Set<Dispatching>();

  constructor(registry: Registry) {
    this.attempts = new Counter({
      name: 'workforce_webhook_attempts_total',
      help: 'Attempts to deliver an event to an endpoint, by what came of them',
      labelNames: ['outcome'],
      registers: [registry],
    });
    this.acknowledged = new Summary({
      name: 'workforce_webhook_acknowledged_seconds',
      help: 'Seconds from the recording of an event to the acknowledgement of its delivery, of those that the first attempt delivered in the last ten minutes',
      percentiles: [0.5, 0.99],
      maxAgeSeconds: 600,
      ageBuckets: 5,
      registers: [registry],
    });
    const sum = (of: (one: Dispatching) => number): number => [...this.dispatching].reduce((total, one) => total + of(one), 0);
    new Gauge({
      name: 'workforce_webhook_attempts_in_flight',
      help: 'Attempts of this process in flight, by the pool whose slot they hold',
      labelNames: ['pool'],
      registers: [registry],
      collect() {
        for (const pool of POOL_NAMES)
          this.set(
            { pool },
            sum((one) => one.inFlight(pool)),
          );
      },
    });
    new Gauge({
      name: 'workforce_webhook_deliveries_in_lanes',
      help: 'Deliveries that wait in the lanes of this process for a slot',
      registers: [registry],
      collect() {
        this.set(sum(({ waiting }) => waiting));
      },
    });
  }

  /** Includes a dispatcher in the gauges. Returns a function that excludes it again. */
  watch(dispatching: Dispatching): () => void {
    this.dispatching.add(dispatching);
    return () => void this.dispatching.delete(dispatching);
  }

  /** Counts an attempt that was recorded. */
  observe({ outcome, failureClass, claimed }: AttemptResult, { seconds }: Recorded): void {
    this.attempts.inc({ outcome: failureClass ?? outcome });
    if (outcome === 'delivered' && claimed.step === 0) this.acknowledged.observe(seconds);
  }
}

/** The state of deliveries, over all processes and organisations. */
export interface MeasuredDeliveries extends Lateness {
  readonly waiting: Waiting;
  /** By `active`, `disabled_caller`, `disabled_delivery_failures` and `disabled_delivery_overflow`. */
  readonly endpoints: Readonly<Record<string, number>>;
}

/** Asks PostgreSQL for the state of deliveries. */
export async function measureDeliveries(executor: Executor): Promise<MeasuredDeliveries> {
  const lateness = await measureLateness(executor);
  const { rows } = await executor.query<{ status: string; count: number }>(
    `select status || coalesce('_' || disabled_reason, '') as status, count(*)::integer as count from webhooks where status <> 'deleted' group by 1`,
  );
  return { ...lateness, endpoints: Object.fromEntries(rows.map(({ status, count }) => [status, count])) };
}
