import type { Pool } from 'pg';
import { WINDOW_SECONDS } from './rate-limits.js';

/** The table of the limits. It is unlogged: a crash of the database resets the requests counted in the current minute. */
export const RATE_LIMIT_SCHEMA = `
create unlogged table rate_limit_windows (
  subject text primary key,
  started_at timestamptz not null,
  leased bigint not null
);
create index rate_limit_windows_started_at on rate_limit_windows (started_at);
`;

/** The result of a lease, and the state of the window right after it. */
export interface Lease {
  /** Requests leased by all processes before this lease; may exceed the limit. */
  readonly leasedBefore: number;
  /** Milliseconds until the window ends, by the clock of the database. */
  readonly endsIn: number;
}

const LEASE = `
insert into rate_limit_windows as w (subject, started_at, leased) values ($1, clock_timestamp(), $2)
on conflict (subject) do update set
  started_at = case when w.started_at + make_interval(secs => ${WINDOW_SECONDS}) <= clock_timestamp() then clock_timestamp() else w.started_at end,
  leased = case when w.started_at + make_interval(secs => ${WINDOW_SECONDS}) <= clock_timestamp() then 0 else w.leased end + excluded.leased
returning (leased - $2)::float8 as leased_before,
  (extract(epoch from started_at - clock_timestamp()) * 1000 + ${WINDOW_SECONDS * 1_000})::float8 as ends_in`;

/** Takes `count` requests from a subject's window, in one atomic statement. A window begins with its first request. */
export async function lease(pool: Pool, subject: string, count: number): Promise<Lease> {
  const { rows } = await pool.query<{ leased_before: number; ends_in: number }>({
    name: 'http-lease-rate-limit',
    text: LEASE,
    values: [subject, count],
  });
  return { leasedBefore: rows[0]!.leased_before, endsIn: rows[0]!.ends_in };
}

/** Removes windows that ended and returns their number. The worker's retention calls it. */
export async function purgeEndedRateLimitWindows(pool: Pool): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from rate_limit_windows where started_at < clock_timestamp() - make_interval(secs => ${WINDOW_SECONDS * 2})`,
  );
  return rowCount ?? 0;
}
