import type { Queue } from 'bullmq';
import type { Pool } from 'pg';
import { schemaState } from '#database/migrations.js';
import type { EventStore } from '#event-store/event-store.js';
import { measureLag } from '#projections/catch-up.js';
import { MIGRATIONS } from '#composition/migrations.js';
import { PROJECTIONS } from '#composition/registry.js';
import { describeReceiverDelay, describeSendingDelay, measureLateness } from '#webhooks/deliver/lateness.js';
import { LEADER_LOCKS, readDatabaseStatus } from './database-status.js';
import { within } from './readiness.js';

/**
 * The state of a part: `failed` prevents answering requests; `degraded` needs attention, and requests are
 * answered.
 */
export interface PartHealth {
  readonly status: 'ok' | 'degraded' | 'failed';
  /**
   * The problem and the remedy; null if there is none. A part that is `ok` may have a message that requires
   * no action.
   */
  readonly message: string | null;
  readonly [figure: string]: string | number | boolean | null;
}

/** The overall state; `failed` if a part has failed that every request needs. */
export interface Health {
  readonly status: PartHealth['status'];
  readonly parts: Readonly<Record<string, PartHealth>>;
}

/** The parts to check. */
export interface HealthParts {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly queue: (() => Queue | null) | null;
  /** Reasons of the process itself for receiving no requests. */
  readonly reasons: readonly string[];
}

/** A lag from this number of seconds on is reported. */
const MAX_LAG_SECONDS = 30;

/** Checks all parts in parallel, in at most two seconds. */
export async function healthOf({ pool, eventStore, queue, reasons }: HealthParts): Promise<Health> {
  const parts: Record<string, PartHealth> = {
    process: reasons.length === 0 ? ok() : { status: 'failed', message: reasons.join(' ') },
    ...Object.fromEntries(
      await Promise.all([
        part('database', 'failed', async () => {
          await pool.query('select 1');
          return { ...ok(), busy_connections: pool.totalCount - pool.idleCount, waiting: pool.waitingCount };
        }),
        part('migrations', 'failed', async () => {
          const { current, pending } = await schemaState(pool, MIGRATIONS);
          const message =
            pending.length === 0 ? null : `The database lacks migrations (${pending.length}): run "workforce migrate".`;
          return { status: message === null ? 'ok' : 'failed', message, version: current };
        }),
        part('event_store', 'degraded', async () => {
          await eventStore.head();
          return ok();
        }),
        part('queue', 'degraded', () => queueHealth(queue?.() ?? null)),
        part('leaders', 'degraded', () => leaderHealth(pool)),
        part('projections', 'degraded', () => lagHealth(pool, eventStore)),
        part('webhooks', 'degraded', () => deliveryHealth(pool)),
      ]),
    ),
  };
  const statuses = Object.values(parts).map(({ status }) => status);
  return { status: statuses.includes('failed') ? 'failed' : statuses.includes('degraded') ? 'degraded' : 'ok', parts };
}

function ok(): PartHealth {
  return { status: 'ok', message: null };
}

async function part(
  name: string,
  otherwise: 'degraded' | 'failed',
  databaseStatus: () => Promise<PartHealth>,
): Promise<readonly [string, PartHealth]> {
  let found: PartHealth | null = null;
  const problem = await within(name, async () => {
    found = await databaseStatus();
    return null;
  });
  return [name, found ?? { status: otherwise, message: problem }];
}

/** Without jobs deliveries start up to a minute late: the sweep finds those that are due. */
async function queueHealth(queue: Queue | null): Promise<PartHealth> {
  if (queue === null) return { status: 'ok', message: null, opened: false };
  const { waiting = 0, active = 0, failed = 0 } = await queue.getJobCounts('waiting', 'active', 'failed');
  return { status: 'ok', message: null, opened: true, waiting, active, failed };
}

async function leaderHealth(pool: Pool): Promise<PartHealth> {
  const { isLed, oldestWriteSeconds } = await readDatabaseStatus(pool);
  const unled = Object.keys(LEADER_LOCKS).filter((work) => !isLed[work as keyof typeof LEADER_LOCKS]);
  const isHeld = oldestWriteSeconds > MAX_LAG_SECONDS;
  const messages = [
    unled.length === 0 ? '' : `No worker does ${unled.join(' and ')}: start "workforce worker".`,
    isHeld ? 'A transaction that writes blocks the readers of events: "workforce doctor" names it.' : '',
  ].filter((message) => message !== '');
  const figures = {
    catch_up: isLed.catch_up,
    fan_out: isLed.fan_out,
    oldest_write_seconds: rounded(oldestWriteSeconds),
  };
  return {
    status: messages.length === 0 ? 'ok' : 'degraded',
    message: messages.length === 0 ? null : messages.join(' '),
    ...figures,
  };
}

async function lagHealth(pool: Pool, eventStore: EventStore): Promise<PartHealth> {
  const now = new Date();
  const lags = await measureLag({ pool, eventStore, projections: PROJECTIONS }, now);
  const seconds = Math.max(0, ...lags.map((lag) => lag.seconds));
  const behind = lags.filter((lag) => lag.seconds > MAX_LAG_SECONDS).map(({ name }) => name);
  const message =
    behind.length === 0 ? null : `Projections are behind: ${behind.join(', ')}. Check the logs of the workers.`;
  return { status: message === null ? 'ok' : 'degraded', message, lag_seconds: rounded(seconds) };
}

/**
 * Degraded only if deliveries are late because of this installation. The message also mentions those that are
 * late because of receivers.
 */
async function deliveryHealth(pool: Pool): Promise<PartHealth> {
  const lateness = await measureLateness(pool);
  const ours = describeSendingDelay(lateness);
  const sentences = [ours, describeReceiverDelay(lateness)].flatMap((sentence) =>
    sentence === null ? [] : [sentence.message, sentence.advice],
  );
  const { sendingSeconds, receiverSeconds, endpointsBehind, waiting } = lateness;
  return {
    status: ours === null ? 'ok' : 'degraded',
    message: sentences.length === 0 ? null : sentences.join(' '),
    sending_delay_seconds: rounded(sendingSeconds),
    receiver_delay_seconds: rounded(receiverSeconds),
    endpoints_behind: endpointsBehind,
    waiting: waiting.pending + waiting.retry_scheduled,
  };
}

function rounded(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}
