import type { Pool } from 'pg';
import type { Clock } from '#kernel/clock.js';

const MEASURE_MILLISECONDS = 10_000;

/**
 * The database's clock. Processes on machines with different clocks use it to agree on when a key expires, a
 * link ends or a day begins. It is measured every ten seconds. In between it follows the monotonic clock of
 * the process, which no clock correction changes.
 */
export class DatabaseClock implements Clock {
  private readonly timer: NodeJS.Timeout;

  private constructor(
    private readonly pool: Pick<Pool, 'query'>,
    /** The database's milliseconds since 1970, minus `performance.now()`. */
    private origin: number,
  ) {
    // While the database is unavailable, the last measurement stays valid.
    this.timer = setInterval(() => void this.measure().catch(() => undefined), MEASURE_MILLISECONDS);
    this.timer.unref();
  }

  /** Throws the database's errors. */
  static async start(pool: Pick<Pool, 'query'>): Promise<DatabaseClock> {
    return new DatabaseClock(pool, await originBy(pool));
  }

  now(): Date {
    return new Date(this.origin + performance.now());
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async measure(): Promise<void> {
    this.origin = await originBy(this.pool);
  }
}

/**
 * The database reads its clock between query and response, so the midpoint is wrong by at most half of the
 * round trip.
 */
async function originBy(pool: Pick<Pool, 'query'>): Promise<number> {
  const sentAt = performance.now();
  const { rows } = await pool.query<{ now: string }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::text as now',
  );
  return Number(rows[0]!.now) - (sentAt + performance.now()) / 2;
}
