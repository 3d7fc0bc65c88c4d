import type { Pool } from 'pg';

/** A session of PostgreSQL that others wait for. */
export interface BlockingSession {
  readonly pid: number;
  /** As the session calls itself; where the database's role may not see it, that. */
  readonly application: string;
  /** `active`, `idle in transaction` and so on. */
  readonly state: string;
  /** How long its transaction has gone on; null where the database's role may not see it. */
  readonly seconds: number | null;
  /** How many sessions have waited for its locks for longer than {@link LOCK_WAIT_SECONDS}. */
  readonly waiting: number;
  /** Whether it has written and not ended for longer than {@link LONGEST_WRITING_SECONDS}: readers of events stay behind it. */
  readonly holdsLog: boolean;
}

/** How long a session may wait for a lock before the holder is named. */
const LOCK_WAIT_SECONDS = 2;
/** How long a transaction may write before it is named. */
export const LONGEST_WRITING_SECONDS = 10;

/** Transactions count over all databases of the server, as the fence of the event log does. */
const FIND = `
with blocked as (
  select w.pid, unnest(pg_blocking_pids(w.pid)) as blocker from pg_stat_activity w
   where w.datname = current_database() and w.wait_event_type = 'Lock' and w.query_start < clock_timestamp() - make_interval(secs => ${LOCK_WAIT_SECONDS})
), held as (
  select a.pid, coalesce(nullif(a.application_name, ''), 'without a name') as application, coalesce(a.state, 'unknown') as state,
         extract(epoch from clock_timestamp() - a.xact_start)::int as seconds,
         (select count(distinct b.pid)::int from blocked b where b.blocker = a.pid) as waiting,
         a.backend_xid is not null and a.xact_start < clock_timestamp() - make_interval(secs => ${LONGEST_WRITING_SECONDS}) as holds_log
    from pg_stat_activity a where a.pid <> pg_backend_pid()
)
select pid, application, state, seconds, waiting, coalesce(holds_log, false) as "holdsLog" from held
 where holds_log or (waiting > 0 and pid not in (select pid from blocked)) order by seconds desc nulls last`;

/** The sessions that others wait for, those first that have gone on longest; one that waits itself is left out for the one it waits for. */
export async function findBlockingSessions(executor: Pick<Pool, 'query'>): Promise<readonly BlockingSession[]> {
  const { rows } = await executor.query<BlockingSession>(FIND);
  return rows;
}

/** What such a session does to others, as a sentence. */
export function describeBlockingSession({ pid, application, state, seconds, waiting, holdsLog }: BlockingSession): string {
  const age = seconds === null ? '' : ` for ${seconds} s`;
  const locks = waiting === 0 ? [] : [`keeps ${waiting} ${waiting === 1 ? 'session' : 'sessions'} waiting for a lock`];
  const log = holdsLog ? ['holds up the readers of events'] : [];
  return `Session ${pid} of PostgreSQL (${application}) has been in a transaction${age} (${state}) and ${[...locks, ...log].join(' and ')}.`;
}

/** What to do about one, as a sentence. */
export function adviceOnBlockingSession({ pid }: BlockingSession): string {
  return `If it should not be, end it: select pg_terminate_backend(${pid}).`;
}
