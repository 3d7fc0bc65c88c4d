import type { Pool } from 'pg';
import type { Configuration } from '#configuration/configuration.js';
import type { EventStore } from '#event-store/event-store.js';
import { guardLog } from '#event-store/guarded-log.js';
import { type LogKind, RememberedLog } from '#event-store/remembered-log.js';
import { knownOfLog } from '#composition/event-positions.js';

/**
 * The store of events in the configuration: EventStoreDB if `EVENTSTORE_URL` is set, otherwise PostgreSQL.
 */
export function logKindOf({ eventStoreUrl }: Pick<Configuration, 'eventStoreUrl'>): LogKind {
  return eventStoreUrl === null ? 'postgresql' : 'eventstoredb';
}

/**
 * Opens the event store of the configuration, which must contain the log that the database belongs to. For
 * EventStoreDB the first call checks that ({@link guardLog}), so that commands without events work while it
 * is unavailable. Throws `AnotherEventLogError`.
 */
export async function openEventStore(configuration: Configuration, pool: Pool): Promise<EventStore> {
  const store = await openAnyEventStore(configuration, pool);
  const log = rememberedLog(configuration, pool, store);
  try {
    if (logKindOf(configuration) === 'eventstoredb') {
      await log.compareKind();
      return guardLog(store, log);
    }
    await log.verify();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Opens the event store of the configuration without a check of its log. */
export async function openAnyEventStore(configuration: Configuration, pool: Pool): Promise<EventStore> {
  if (configuration.eventStoreUrl !== null) {
    const { EventStoreDbEventStore } = await import('#event-store/eventstoredb/eventstoredb-event-store.js');
    return new EventStoreDbEventStore({ connectionString: configuration.eventStoreUrl });
  }
  const { PostgresEventStore } = await import('#event-store/postgres/postgres-event-store.js');
  return new PostgresEventStore(pool);
}

/** Compares the log of a store of the configuration with the one that the database belongs to. */
export function rememberedLog(configuration: Configuration, pool: Pool, store: EventStore): RememberedLog {
  return new RememberedLog({ executor: pool, store, kind: logKindOf(configuration), known: () => knownOfLog(pool) });
}
