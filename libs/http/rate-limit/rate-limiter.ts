import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';

/** Requests per 60 seconds, each at least 1, without an upper bound (docs/reference/http.md). */
export interface RateLimits {
  readonly key: number;
  readonly keyWrites: number;
  readonly organisation: number;
  readonly webhookKey: number;
  readonly webhookOrganisation: number;
  /** Imports that an organisation requests. */
  readonly imports: number;
  /** Requests of one address for public documents, in each process. */
  readonly publicDocuments: number;
  /** Failed authentications of one address. */
  readonly failedAuthentication: number;
}

export const WINDOW_SECONDS = 60;

/** A budget of requests. Callers read its name in `RateLimit-Policy`. */
export interface Budget {
  readonly name:
    | 'key'
    | 'key-writes'
    | 'organisation'
    | 'webhook-key'
    | 'webhook-organisation'
    | 'imports'
    | 'failed-authentication';
  readonly limit: number;
  /** The owner of the budget. Each subject has one window. */
  readonly subject: string;
}

/** The state of a budget after a request was counted. */
export interface RateLimitStatus {
  readonly budget: Budget;
  readonly allowed: boolean;
  /** Requests left in the window as far as this process knows; exact if it is the only process. */
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
}

interface Window {
  /** Unused requests of this process's lease. */
  held: number;
  /** Requests that were not leased to any process at the time of the latest lease. */
  unleased: number;
  /** `performance.now()` at which the window ends. */
  endsAt: number;
  leasing: Promise<void> | null;
  /** The number of requests in the latest lease; 0 before the first lease of the window. */
  latestLease: number;
  /** The number of requests that wait for the lease in progress. */
  waiting: number;
}

const MAX_SUBJECTS = 50_000;
/**
 * The divisor of the remaining requests: a lease is large while many remain, and a single request near the
 * end.
 */
const LEASE_DIVISOR = 16;
/**
 * Leases of a window start small and double, so that a process that is idle or dies blocks few requests. If
 * the first leases were large, sixteen processes would hold a whole budget after one request each.
 */
const FIRST_LEASE = 4;

/**
 * Counts requests in budgets that all processes share. Each process leases blocks of requests of a window and
 * counts them down in memory, so that most requests need no query. All processes together never exceed the
 * limit.
 */
export class RateLimiter {
  private readonly windows = new LRUCache<string, Window>({ max: MAX_SUBJECTS });

  constructor(private readonly pool: Pool) {}

  /** Counts one request. Throws the database's errors. */
  async draw(budget: Budget): Promise<RateLimitStatus> {
    const window = this.windowOf(budget.subject);
    return this.drawLocally(budget, window) ?? this.drawLeased(budget, window);
  }

  private windowOf(subject: string): Window {
    let window = this.windows.get(subject);
    if (window === undefined) {
      window = { held: 0, unleased: 0, endsAt: -Infinity, leasing: null, latestLease: 0, waiting: 0 };
      this.windows.set(subject, window);
    }
    return window;
  }

  private drawLocally(budget: Budget, window: Window): RateLimitStatus | null {
    const now = performance.now();
    if (now >= window.endsAt) return null;
    if (window.held > 0) {
      window.held -= 1;
      return status(budget, window, true, now);
    }
    return window.unleased === 0 ? status(budget, window, false, now) : null;
  }

  private async drawLeased(budget: Budget, window: Window): Promise<RateLimitStatus> {
    for (;;) {
      window.waiting += 1;
      try {
        window.leasing ??= this.extend(budget, window).finally(() => {
          window.leasing = null;
        });
        await window.leasing;
      } finally {
        window.waiting -= 1;
      }
      const drawn = this.drawLocally(budget, window);
      if (drawn !== null) return drawn;
    }
  }

  private async extend(budget: Budget, window: Window): Promise<void> {
    const isNew = performance.now() >= window.endsAt;
    const left = isNew ? budget.limit : window.unleased;
    const limit = isNew ? FIRST_LEASE : Math.max(FIRST_LEASE, 2 * window.latestLease);
    const count = Math.max(1, Math.min(limit, Math.ceil(left / LEASE_DIVISOR)));
    const { leasedBefore, endsIn } = await lease(this.pool, budget.subject, count);
    window.endsAt = performance.now() + Math.max(endsIn, 1);
    window.latestLease = count;
    window.held = Math.min(count, Math.max(0, budget.limit - leasedBefore)) + (isNew ? 0 : window.held);
    window.unleased = Math.max(0, budget.limit - leasedBefore - count);
  }
}

function status(budget: Budget, window: Window, allowed: boolean, now: number): RateLimitStatus {
  const resetSeconds = Math.max(1, Math.ceil((window.endsAt - now) / 1_000));
  return { budget, allowed, remaining: window.held + window.unleased, resetSeconds };
}

/** Returns `RateLimit-Policy` and `RateLimit` (IETF draft 11). An exhausted budget comes first. */
export function rateLimitHeaders(statuses: readonly RateLimitStatus[]): {
  readonly policy: string;
  readonly limit: string;
} {
  const refusing = statuses.find(({ allowed }) => !allowed);
  const ordered = refusing === undefined ? statuses : [refusing, ...statuses.filter((status) => status !== refusing)];
  let policy = '';
  let limit = '';
  for (const { budget, remaining, resetSeconds } of ordered) {
    const separator = policy === '' ? '' : ', ';
    policy += `${separator}"${budget.name}";q=${budget.limit};w=${WINDOW_SECONDS}`;
    limit += `${separator}"${budget.name}";r=${remaining};t=${resetSeconds}`;
  }
  return { policy, limit };
}

/**
 * The table of the limits. It is unlogged: a crash of the database resets the requests counted in the current
 * minute.
 */
export const RATE_LIMIT_SCHEMA = `
create unlogged table rate_limit_windows (
  subject text primary key,
  started_at timestamptz not null,
  leased bigint not null
);
create index rate_limit_windows_started_at on rate_limit_windows (started_at);
`;

const LEASE = `
insert into rate_limit_windows as w (subject, started_at, leased) values ($1, clock_timestamp(), $2)
on conflict (subject) do update set
  started_at = case when w.started_at + make_interval(secs => ${WINDOW_SECONDS}) <= clock_timestamp() then clock_timestamp() else w.started_at end,
  leased = case when w.started_at + make_interval(secs => ${WINDOW_SECONDS}) <= clock_timestamp() then 0 else w.leased end + excluded.leased
returning (leased - $2)::float8 as leased_before,
  (extract(epoch from started_at - clock_timestamp()) * 1000 + ${WINDOW_SECONDS * 1_000})::float8 as ends_in`;

/**
 * Leases `count` requests of a subject's window, in one atomic statement. A window begins with its first
 * request. Returns the requests leased before by all processes, which may exceed the limit, and the
 * milliseconds until the window ends, by the database's clock.
 */
async function lease(
  pool: Pool,
  subject: string,
  count: number,
): Promise<{ readonly leasedBefore: number; readonly endsIn: number }> {
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
