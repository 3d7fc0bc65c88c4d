import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from 'pg';
import { messageOf } from '#database/error-code.js';
import { schemaState, type Migration } from '#database/migrations.js';
import type { EventStore } from '#event-store/event-store.js';

/** What the process needs to answer requests. */
export interface Dependencies {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly migrations: readonly Migration[];
}

const CHECK_MILLISECONDS = 2_000;

/** Why requests cannot be answered now, a sentence each; none where they can. Takes two seconds at the most. */
export async function reasonsAgainst({ pool, eventStore, migrations }: Dependencies): Promise<readonly string[]> {
  const checks = [
    within('PostgreSQL', async () => {
      const { pending } = await schemaState(pool, migrations);
      return pending.length === 0 ? null : `The database lacks ${pending.length} migrations: run "workforce migrate".`;
    }),
    within('the event store', async () => {
      await eventStore.head();
      return null;
    }),
  ];
  return (await Promise.all(checks)).filter((reason) => reason !== null);
}

async function within(name: string, check: () => Promise<string | null>): Promise<string | null> {
  const given = new AbortController();
  const late = wait(CHECK_MILLISECONDS, null, { signal: given.signal, ref: false }).then(
    () => `No answer from ${name} within ${CHECK_MILLISECONDS / 1_000} s.`,
    () => null,
  );
  const checked = check().catch((error: unknown) => `No right answer from ${name}: ${messageOf(error)}`);
  try {
    return await Promise.race([checked, late]);
  } finally {
    given.abort();
  }
}
