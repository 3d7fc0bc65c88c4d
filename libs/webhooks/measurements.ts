import { Counter, type Registry, Summary } from 'prom-client';
import type { Executor } from '#projections/projection.js';
import { IS_SENDING } from './delivery-changes.js';
import type { AttemptResult, Recorded } from './delivery-store.js';

/** What is measured of attempts, in the registry given. Process-wide: every worker tells of its own. */
export class DeliveryMeasurements {
  private readonly attempts: Counter<'outcome'>;
  private readonly acknowledged: Summary;

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
  }

  /** Counts an attempt that was recorded. */
  observe({ outcome, failureClass, claimed }: AttemptResult, { seconds }: Recorded): void {
    this.attempts.inc({ outcome: failureClass ?? outcome });
    if (outcome === 'delivered' && claimed.step === 0) this.acknowledged.observe(seconds);
  }
}

/** How deliveries stand, over all processes and organisations. */
export interface MeasuredDeliveries {
  readonly queueAgeSeconds: number;
  readonly waiting: { readonly pending: number; readonly retry_scheduled: number };
  /** By `active`, `disabled_caller`, `disabled_delivery_failures` and `disabled_delivery_overflow`. */
  readonly endpoints: Readonly<Record<string, number>>;
}

/** Asks PostgreSQL how deliveries stand. */
export async function measureDeliveries(executor: Executor): Promise<MeasuredDeliveries> {
  const { rows: deliveries } = await executor.query<{ age: number | null; pending: number; retry_scheduled: number }>(
    `select extract(epoch from clock_timestamp() - min(d.next_attempt_at) filter (where ${IS_SENDING}))::double precision as age,
            count(*) filter (where d.status = 'pending')::integer as pending, count(*) filter (where d.status = 'retry_scheduled')::integer as retry_scheduled
       from webhook_deliveries d join webhooks w on w.organisation_id = d.organisation_id and w.id = d.webhook_id
      where d.status in ('pending', 'retry_scheduled')`,
  );
  const { rows: endpoints } = await executor.query<{ status: string; count: number }>(
    `select status || coalesce('_' || disabled_reason, '') as status, count(*)::integer as count from webhooks where status <> 'deleted' group by 1`,
  );
  const { age, pending, retry_scheduled } = deliveries[0]!;
  return { queueAgeSeconds: Math.max(0, age ?? 0), waiting: { pending, retry_scheduled }, endpoints: Object.fromEntries(endpoints.map(({ status, count }) => [status, count])) };
}
