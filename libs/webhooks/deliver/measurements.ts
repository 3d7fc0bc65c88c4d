import { Counter, Gauge, type Registry, Summary } from 'prom-client';
import type { Executor } from '#projections/projection.js';
import type { AttemptResult, Recorded } from './delivery-store.js';
import { type Lateness, measureLateness, type Waiting } from './lateness.js';

/** The part of a worker that metrics read. */
export interface Delivering {
  /** Attempts in flight, and jobs parked without a slot, by kind of attempt. */
  readonly counts: Readonly<Record<'first' | 'later', { readonly inFlight: number; readonly parked: number }>>;
}

/** Metrics of attempts, in the given registry. Process-wide: every worker reports its own. */
export class DeliveryMeasurements {
  private readonly attempts: Counter<'outcome'>;
  private readonly acknowledged: Summary;
  private readonly delivering = new Set<Delivering>();

  constructor(registry: Registry) {
    this.attempts = new Counter({
      name: 'workforce_webhook_attempts_total',
      help: 'Attempts to deliver an event to an endpoint, by outcome',
      labelNames: ['outcome'],
      registers: [registry],
    });
    this.acknowledged = new Summary({
      name: 'workforce_webhook_acknowledged_seconds',
      help:
        'Seconds from the recording of an event to the acknowledgement of its delivery, for deliveries that the ' +
        'first attempt delivered in the last ten minutes',
      percentiles: [0.5, 0.99],
      maxAgeSeconds: 600,
      ageBuckets: 5,
      registers: [registry],
    });
    const gauge = (name: string, help: string, count: 'inFlight' | 'parked'): void => {
      const { delivering } = this;
      new Gauge({
        name,
        help,
        labelNames: ['pool'],
        registers: [registry],
        collect() {
          for (const pool of ['first', 'later'] as const)
            this.set(
              { pool },
              [...delivering].reduce((sum, { counts }) => sum + counts[pool][count], 0),
            );
        },
      });
    };
    gauge(
      'workforce_webhook_attempts_in_flight',
      'Attempts of this process in flight, first and later ones',
      'inFlight',
    );
    gauge(
      'workforce_webhook_deliveries_parked',
      'Jobs that this process has parked until a slot of their endpoint is free',
      'parked',
    );
  }

  /** Includes a worker in the gauges. Returns a function that excludes it again. */
  watch(delivering: Delivering): () => void {
    this.delivering.add(delivering);
    return () => void this.delivering.delete(delivering);
  }

  /** Counts a recorded attempt. */
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

/** Reads the state of deliveries from PostgreSQL. */
export async function measureDeliveries(executor: Executor): Promise<MeasuredDeliveries> {
  const lateness = await measureLateness(executor);
  const { rows } = await executor.query<{ status: string; count: number }>(
    `select status || coalesce('_' || disabled_reason, '') as status, count(*)::integer as count from webhooks
      where status <> 'deleted' group by 1`,
  );
  return { ...lateness, endpoints: Object.fromEntries(rows.map(({ status, count }) => [status, count])) };
}
