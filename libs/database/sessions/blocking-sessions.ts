import type { Pool } from 'pg';
import { countInWords } from '#kernel/count-in-words.js';

/** A session of PostgreSQL that other sessions wait for. */
export interface BlockingSession {
  readonly pid: number;
  /** The session's own name, or PostgreSQL's placeholder if the database's role may not see it. */
  readonly application: string;
  /** `active`, `idle in transaction` and so on. */
  readonly state: string;
  /** The age of its transaction; null if the database's role may not see it. */
  readonly seconds: number | null;
  /** The number of sessions that have waited for its locks longer than {@link LOCK_WAIT_SECONDS}. */
  readonly waiting: number;
  /**
   * Whether its writing transaction is older than {@link MAX_WRITE_TRANSACTION_SECONDS}; readers of events
   * stay behind it.
   */
  readonly holdsLog: boolean;
}

/** How long a session may wait for a lock before the holder is reported. */
const LOCK_WAIT_SECONDS = 2;
/** How long a transaction may write before it is reported. */
const MAX_WRITE_TRANSACTION_SECONDS = 10;

/**
 * Includes transactions of all databases of the server, because any of them delays the readers of the event
 * log.
 */
const FIND = `
with blocked as (
  select w.pid, unnest(pg_blocking_pids(w.pid)) as blocker from pg_stat_activity w
   where w.datname = current_database() and w.wait_event_type = 'Lock'
     and w.query_start < clock_timestamp() - make_interval(secs => ${LOCK_WAIT_SECONDS})
), held as (
  select a.pid, coalesce(nullif(a.application_name, ''), 'without a name') as application, coalesce(a.state,
    'unknown') as state,
         extract(epoch from clock_timestamp() - a.xact_start)::int as seconds,
         (select count(distinct b.pid)::int from blocked b where b.blocker = a.pid) as waiting,
         a.backend_xid is not null and a.xact_start < clock_timestamp() - make_interval(secs =>
         ${MAX_WRITE_TRANSACTION_SECONDS}) as holds_log
    from pg_stat_activity a where a.pid <> pg_backend_pid()
)
select pid, application, state, seconds, waiting, coalesce(holds_log, false) as "holdsLog" from held
 where holds_log or (waiting > 0 and pid not in (select pid from blocked)) order by seconds desc nulls last`;

/**
 * Returns the sessions that others wait for, the oldest transaction first. A waiting session is omitted; the
 * list has the session that it waits for.
 */
export async function findBlockingSessions(executor: Pick<Pool, 'query'>): Promise<readonly BlockingSession[]> {
  const { rows } = await executor.query<BlockingSession>({ name: 'blocking-sessions', text: FIND });
  return rows;
}

/** Describes the effect of such a session on others, in one sentence. */
export function describeBlockingSession({
  pid,
  application,
  state,
  seconds,
  waiting,
  holdsLog,
}: BlockingSession): string {
  const age = seconds === null ? '' : ` for ${seconds} s`;
  const locks = waiting === 0 ? [] : [`keeps ${countInWords(waiting, 'session')} waiting for a lock`];
  const log = holdsLog ? ['blocks the readers of events'] : [];
  return (
    `Session ${pid} of PostgreSQL (${application}) has been in a transaction${age} (${state}) and ` +
    `${[...locks, ...log].join(' and ')}.`
  );
}

/** Returns the advice on such a session, in one sentence. */
export function adviceOnBlockingSession({ pid }: BlockingSession): string {
  return `If that is not intended, end it: select pg_terminate_backend(${pid}).`;
}
