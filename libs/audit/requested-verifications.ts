import type { Pool } from 'pg';
import { LeaderSession } from '#database/sessions/leader-session.js';
import type { EventStore } from '#event-store/event-store.js';
import type { Projection } from '#projections/projection.js';
import { loadAnchorKey } from './anchor-store.js';
import { keepVerification } from './verifications.js';
import { verifyHistory } from './verify.js';

/** The organisations that wait for a verification of history, one row each, however often they asked. */
export const REQUESTED_VERIFICATIONS_SCHEMA = `
create table requested_verifications (
  organisation_id text collate "C" primary key,
  requested_at timestamptz(3) not null default clock_timestamp()
);
`;

/** The advisory lock under which one worker at a time verifies. */
const VERIFICATIONS_LOCK = 7_310_013;
/**
 * A verification reads the whole log, so however often one is asked for, the next begins this long after the
 * last has ended.
 */
const REST_MINUTES = 5;
/** The longest time without a verification, in hours, while a worker runs. */
const MAX_VERIFICATION_HOURS = 24;

const IS_REQUESTED = 'select exists (select from requested_verifications)';
const IS_DUE = `select not exists (
  select from history_verifications
   where organisation_id is null
     and ended_at > clock_timestamp() - case when (${IS_REQUESTED}) then interval '${REST_MINUTES} minutes' else interval '${MAX_VERIFICATION_HOURS} hours' end
)`;

/**
 * Asks the workers for a verification that covers an organisation. Does nothing where one is asked for that
 * has not begun.
 */
export async function requestVerification(executor: Pick<Pool, 'query'>, organisationId: string): Promise<void> {
  await executor.query('insert into requested_verifications (organisation_id) values ($1) on conflict do nothing', [
    organisationId,
  ]);
}

/** When the verification was asked for that an organisation waits for; null where it waits for none. */
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

/** What a worker needs to verify history. */
export interface VerificationParts {
  /** The process's: for the requests themselves. */
  readonly pool: Pool;
  readonly projections: readonly Projection[];
  /** Opens what a verification reads with, for the time of one verification: its statements may take long. */
  readonly open: () => Promise<{ readonly pool: Pool; readonly eventStore: EventStore; close(): Promise<void> }>;
  /** Called with the number of events that were read. */
  readonly onProgress?: (events: number) => void;
}

/** The process stops, or may no longer be the only one: the next one verifies from the beginning. */
class VerificationStoppedError extends Error {
  constructor() {
    super('this process may not go on with the verification');
    this.name = 'VerificationStoppedError';
  }
}

/** Whether a verification is asked for or was not made for a day, and none ended a short while ago. */
export async function isVerificationDue(executor: Pick<Pool, 'query'>): Promise<boolean> {
  const { rows } = await executor.query<{ isDue: boolean }>(`select (${IS_DUE}) as "isDue"`);
  return rows[0]!.isDue;
}

/**
 * Verifies all history once, if it is due: asked for, or not done for a day. Returns whether it did; false
 * also where another process is at it.
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
 * A request that comes while it reads waits for the next: what was recorded before that request may lie
 * behind what is read already.
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
