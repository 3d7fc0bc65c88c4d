import type { Pool } from 'pg';
import { LeaderSession } from '#database/sessions/leader-session.js';
import type { EventStore } from '#event-store/event-store.js';
import type { Projection } from '#projections/projection.js';
import { loadAnchorKey } from './anchor-store.js';
import { keepVerification } from './verifications.js';
import { verifyHistory } from './verify.js';

/** The organisations with a pending verification of history, one row each, for any number of requests. */
export const REQUESTED_VERIFICATIONS_SCHEMA = `
create table requested_verifications (
  organisation_id text collate "C" primary key,
  requested_at timestamptz(3) not null default clock_timestamp()
);
`;

/** The advisory lock under which one worker at a time verifies. */
const VERIFICATIONS_LOCK = 7_310_013;
/**
 * A verification reads the whole log, so the next one begins at least this long after the last has ended,
 * however often one is requested.
 */
const MIN_PAUSE_MINUTES = 5;
/** The maximum time between verifications, in hours, while a worker runs. */
const MAX_VERIFICATION_HOURS = 24;

const IS_REQUESTED = 'select exists (select from requested_verifications)';
const IS_DUE = `select not exists (
  select from history_verifications
   where organisation_id is null
     and ended_at > clock_timestamp() - case when (${IS_REQUESTED}) then interval '${MIN_PAUSE_MINUTES} minutes'
       else interval '${MAX_VERIFICATION_HOURS} hours' end
)`;

/**
 * Requests from the workers a verification that covers an organisation. Does nothing if a requested one has
 * not begun yet.
 */
export async function requestVerification(executor: Pick<Pool, 'query'>, organisationId: string): Promise<void> {
  await executor.query('insert into requested_verifications (organisation_id) values ($1) on conflict do nothing', [
    organisationId,
  ]);
}

/** When the pending verification of an organisation was requested; null if there is none. */
export async function verificationRequestedAt(
  executor: Pick<Pool, 'query'>,
  organisationId: string,
): Promise<Date | null> {
  const { rows } = await executor.query<{ requested_at: Date }>({
    name: 'requested-verification',
    text: 'select requested_at from requested_verifications where organisation_id = $1',
    values: [organisationId],
  });
  return rows[0]?.requested_at ?? null;
}

/** The dependencies of verifying history in a worker. */
export interface VerificationParts {
  /** The process's pool: for the requests themselves. */
  readonly pool: Pool;
  readonly projections: readonly Projection[];
  /** Opens the resources of one verification: its statements may take long. */
  readonly open: () => Promise<{ readonly pool: Pool; readonly eventStore: EventStore; close(): Promise<void> }>;
  /** Called with the number of events read. */
  readonly onProgress?: (events: number) => void;
}

/**
 * The process is shutting down, or may no longer be the only one: the next one verifies from the beginning.
 */
class VerificationStoppedError extends Error {
  constructor() {
    super('this process may not continue the verification');
    this.name = 'VerificationStoppedError';
  }
}

/**
 * Whether a verification was requested and none ended in the last five minutes, or none ended in the last
 * day.
 */
export async function isVerificationDue(executor: Pick<Pool, 'query'>): Promise<boolean> {
  const { rows } = await executor.query<{ isDue: boolean }>(`select (${IS_DUE}) as "isDue"`);
  return rows[0]!.isDue;
}

/**
 * Verifies all history once if {@link isVerificationDue}. Returns whether it did; false also if another
 * process is verifying.
 */
export async function verifyIfDue(parts: VerificationParts, signal: AbortSignal): Promise<boolean> {
  let isDone = false;
  await LeaderSession.use(parts.pool, (session) =>
    session.whileHolding(VERIFICATIONS_LOCK, async (lost) => {
      if (!(await isVerificationDue(parts.pool))) return;
      try {
        await verify(parts, () => lost.aborted || signal.aborted);
        isDone = true;
      } catch (error) {
        if (!(error instanceof VerificationStoppedError)) throw error;
      }
    }),
  );
  return isDone;
}

/**
 * A request during the read waits for the next verification: events recorded before that request may be
 * behind the read position.
 */
async function verify(
  { pool, projections, open, onProgress }: VerificationParts,
  isStopped: () => boolean,
): Promise<void> {
  const { rows } = await pool.query<{ startedAt: Date }>('select clock_timestamp() as "startedAt"');
  const { startedAt } = rows[0]!;
  const { publicKey } = await loadAnchorKey(pool);
  const onRead = (events: number): void => {
    if (isStopped()) throw new VerificationStoppedError();
    onProgress?.(events);
  };
  const { close, ...opened } = await open();
  const verification = await verifyHistory({
    ...opened,
    projections,
    publicKeys: [publicKey],
    onProgress: onRead,
  }).finally(close);
  await keepVerification(pool, verification, { startedAt, organisationId: null, trustsOwnKey: true });
  await pool.query('delete from requested_verifications where requested_at <= $1', [startedAt]);
}
