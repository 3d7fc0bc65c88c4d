import type { Pool } from 'pg';
import type { EventStore } from '#event-store/event-store.js';
import type { Clock } from '#kernel/clock.js';
import { measureLag } from '#projections/catch-up.js';
import { PROJECTIONS } from '#composition/registry.js';
import type { OperatorRoute } from './operator-routes.js';

const MINUTES = 60;
const MINUTE_MILLISECONDS = 60_000;
const SAMPLE_MILLISECONDS = 20_000;
/** Events that the catch-up shows later than this many minutes are missing from the count. */
const RECOUNTED_MINUTES = 5;

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
 * Throughput and lag of the last hour, a value a minute, in the memory of this process: throughput counted
 * from the read tables, which also cover the time before its start; the greatest lag of the projections
 * sampled every 20 seconds since its start.
 */
export class LastHour {
  private readonly counts = new Map<number, Counted>();
  private readonly lags = new Map<number, number>();
  private timer: NodeJS.Timeout | null = null;
  private isComplete = false;

  constructor(private readonly parts: LastHourParts) {}

  /** Begins to sample. A failed sample leaves its minute without a value. */
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

  /** Takes a sample. Rejects if PostgreSQL or the event store does not answer. */
  async sample(): Promise<void> {
    const { pool, eventStore, clock } = this.parts;
    const now = clock.now();
    const minute = minuteOf(now);
    const lags = await measureLag({ pool, eventStore, projections: PROJECTIONS }, now);
    this.lags.set(minute, Math.max(this.lags.get(minute) ?? 0, ...lags.map(({ seconds }) => seconds)));
    const recounted = this.isComplete ? RECOUNTED_MINUTES : MINUTES;
    const since = new Date((minute - recounted) * MINUTE_MILLISECONDS);
    const { rows } = await pool.query<Counted>(COUNTS, [since]);
    for (const row of rows) this.counts.set(minuteOf(row.at), row);
    this.isComplete = true;
    for (const kept of [this.counts, this.lags])
      for (const at of kept.keys()) if (at < minute - MINUTES) kept.delete(at);
  }

  /** The last 60 minutes, the current one last. The lag is null for minutes without a sample. */
  read(): readonly object[] {
    const current = minuteOf(this.parts.clock.now());
    return Array.from({ length: MINUTES }, (_, index) => {
      const minute = current - MINUTES + 1 + index;
      const { events = 0, delivered = 0, failed = 0 } = this.counts.get(minute) ?? {};
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
}

/**
 * `GET /last-hour`: throughput and lag, minute by minute, with a sample of now; without it while PostgreSQL
 * or the event store does not answer.
 */
export function lastHourRoutes(lastHour: LastHour): readonly OperatorRoute[] {
  const answer = async (): Promise<object> => {
    await lastHour.sample().catch(() => undefined);
    return { minutes: lastHour.read() };
  };
  return [{ method: 'GET', url: '/last-hour', answer }];
}

function minuteOf(at: Date): number {
  return Math.floor(at.getTime() / MINUTE_MILLISECONDS);
}
