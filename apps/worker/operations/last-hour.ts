import type { Pool } from 'pg';
import type { EventStore } from '#event-store/event-store.js';
import type { Clock } from '#kernel/clock.js';
import { measureLag } from '#projections/catch-up.js';
import { PROJECTIONS } from '#composition/registry.js';
import type { OperatorRoute } from './operator-routes.js';

const MINUTES = 60;
const MINUTE_MILLISECONDS = 60_000;
const SAMPLE_MILLISECONDS = 20_000;
interface Counted {
  readonly at: Date;
  readonly events: number;
  readonly delivered: number;
  readonly failed: number;
}

/** The sources of the samples. */
export interface LastHourParts {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly clock: Clock;
}

// An index of each organisation finds its rows of an hour; "offset 0" keeps PostgreSQL from reading all rows
// instead.
const COUNTS = `
select at, sum(events)::integer as events, sum(delivered)::integer as delivered, sum(failed)::integer as failed
  from (
    select date_bin('1 minute', a.recorded_at, 'epoch') as at, count(*) as events, 0 as delivered, 0 as failed
      from organisations o cross join lateral (
        select recorded_at from activity where organisation_id = o.id and recorded_at >= $1 offset 0) a
     group by 1
    union all
    select date_bin('1 minute', finished_at, 'epoch'), 0, count(*) filter (where status = 'delivered'),
      count(*) filter (where status = 'failed')
      from webhook_deliveries where status in ('delivered', 'failed') and finished_at >= $1 group by 1
  ) counts group by at`;

/**
 * Throughput and lag of the last hour, a value a minute: throughput counted from the read tables on request;
 * the greatest lag of the projections sampled every 20 seconds since the start of this process, in its
 * memory.
 */
export class LastHour {
  private readonly lags = new Map<number, number>();
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly parts: LastHourParts) {}

  /** Begins to sample the lag. A failed sample leaves its minute without a value. */
  start(): void {
    const sample = (): void => void this.sample().catch(() => undefined);
    this.timer = setInterval(sample, SAMPLE_MILLISECONDS);
    this.timer.unref();
    sample();
  }

  stop(): void {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
  }

  /**
   * The last 60 minutes, the current one last, with a sample of now. The lag is null for minutes without a
   * sample. Rejects if PostgreSQL does not answer.
   */
  async read(): Promise<readonly object[]> {
    await this.sample().catch(() => undefined);
    const current = minuteOf(this.parts.clock.now());
    const first = current - MINUTES + 1;
    const { rows } = await this.parts.pool.query<Counted>(COUNTS, [new Date(first * MINUTE_MILLISECONDS)]);
    const counts = new Map(rows.map((row) => [minuteOf(row.at), row]));
    return Array.from({ length: MINUTES }, (_, index) => {
      const minute = first + index;
      const { events = 0, delivered = 0, failed = 0 } = counts.get(minute) ?? {};
      const lag = this.lags.get(minute);
      return {
        at: new Date(minute * MINUTE_MILLISECONDS).toISOString(),
        events,
        delivered,
        failed,
        lag_seconds: lag === undefined ? null : Math.round(lag * 10) / 10,
      };
    });
  }

  private async sample(): Promise<void> {
    const { pool, eventStore, clock } = this.parts;
    const now = clock.now();
    const minute = minuteOf(now);
    const lags = await measureLag({ pool, eventStore, projections: PROJECTIONS }, now);
    this.lags.set(minute, Math.max(this.lags.get(minute) ?? 0, ...lags.map(({ seconds }) => seconds)));
    for (const at of this.lags.keys()) if (at <= minute - MINUTES) this.lags.delete(at);
  }
}

/** `GET /last-hour`: throughput and lag, minute by minute. */
export function lastHourRoutes(lastHour: LastHour): readonly OperatorRoute[] {
  return [{ method: 'GET', url: '/last-hour', answer: async () => ({ minutes: await lastHour.read() }) }];
}

function minuteOf(at: Date): number {
  return Math.floor(at.getTime() / MINUTE_MILLISECONDS);
}
