import type { Pool } from 'pg';
import type { Configuration } from '#configuration/configuration.js';
import type { EventStore } from '#event-store/event-store.js';

/** Opens the event store of the configuration: EventStoreDB if `EVENTSTORE_URL` is set, otherwise PostgreSQL. */
export async function openEventStore(configuration: Configuration, pool: Pool): Promise<EventStore> {
  if (configuration.eventStoreUrl !== null) {
    const [{ EventStoreDbEventStore }, { PostgresStagingArea }] = await Promise.all([
      import('#event-store/eventstoredb/eventstoredb-event-store.js'),
      import('#event-store/eventstoredb/staging-area.js'),
    ]);
    return new EventStoreDbEventStore({
      connectionString: configuration.eventStoreUrl,
      stagingArea: new PostgresStagingArea(pool),
    });
  }
  const { PostgresEventStore } = await import('#event-store/postgres/postgres-event-store.js');
  return new PostgresEventStore(pool);
}
