import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from 'pg';
import { messageOf } from '#database/error-code.js';
import {
  adviceOnBlockingSession,
  describeBlockingSession,
  findBlockingSessions,
} from '#database/sessions/blocking-sessions.js';
import { schemaState, type Migration } from '#database/migrations.js';
import { adviceOn, recentDatabaseErrors } from '#database/sessions/advice.js';
import { StoreUnavailableError, type EventStore } from '#event-store/event-store.js';

/** The dependencies that the process needs to answer requests. */
export interface Dependencies {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly migrations: readonly Migration[];
}

const CHECK_MILLISECONDS = 2_000;

/**
 * The readiness of the process: sentences with the reasons for which it can answer no request, or for which
 * writes fail while it answers reads.
 */
export interface Readiness {
  readonly reasons: readonly string[];
  readonly degraded: readonly string[];
}

/**
 * The current readiness; takes at most two seconds. Reads come from PostgreSQL alone, so a process without
 * the event store still receives requests: writes get 503 from every process.
 */
export async function readinessOf({ pool, eventStore, migrations }: Dependencies): Promise<Readiness> {
  const [database, events] = await Promise.all([
    within('PostgreSQL', async () => {
      const { pending } = await schemaState(pool, migrations);
      return pending.length === 0
        ? null
        : `The database lacks migrations (${pending.length}): run "workforce migrate".`;
    }),
    within('the event store', async () => {
      await eventStore.head();
      return null;
    }),
  ]);
  const known = [events].filter((reason) => reason !== null);
  return database === null ? { reasons: [], degraded: known } : { reasons: [database, ...known], degraded: [] };
}

/**
 * Problems that do not prevent answering requests, or some of them; a sentence each. `watcher` has its own
 * connection, because all connections of the process may be waiting. Takes at most two seconds.
 */
export async function warningsOf(watcher: Pool): Promise<readonly string[]> {
  let sentences: readonly string[] = [];
  await within('PostgreSQL', async () => {
    sentences = (await findBlockingSessions(watcher)).map(
      (held) => `${describeBlockingSession(held)} ${adviceOnBlockingSession(held)}`,
    );
    return null;
  });
  return [...recentDatabaseErrors(), ...sentences];
}

/** The result of a check as a sentence, also if it failed or took too long; null if there is no problem. */
export async function within(name: string, check: () => Promise<string | null>): Promise<string | null> {
  const given = new AbortController();
  const late = wait(CHECK_MILLISECONDS, null, { signal: given.signal, ref: false }).then(
    () => `No answer from ${name} within ${CHECK_MILLISECONDS / 1_000} s.`,
    () => null,
  );
  const checked = check().catch(
    (error: unknown) =>
      adviceOn(error) ??
      `Wrong answer from ${name}: ${messageOf(error)}${
        error instanceof StoreUnavailableError && error.remedy !== null ? ': ' + `${error.remedy}` : ''
      }.`,
  );
  try {
    return await Promise.race([checked, late]);
  } finally {
    given.abort();
  }
}
