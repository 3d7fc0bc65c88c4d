import { randomUUID } from 'node:crypto';
import { createPool } from '#database/pool.js';
import { chain } from '#event-store/new-events.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import type { EventMetadata } from '#event-store/event-store.js';
import { addDays } from '#kernel/dates.js';
import { rebuild } from '#projections/rebuild/rebuild.js';
import { PROJECTIONS } from '#composition/registry.js';
import { answerParent } from './answer.js';

/** Changes of terms that everybody gets, so that they have ten events with those of the import. */
const CHANGES = 8;
const DAYS_APART = 60;
const BATCH = 500;

interface Started {
  readonly stream: string;
  readonly data: { readonly fact_id: string; readonly start_date: string };
  readonly metadata: EventMetadata;
}

/**
 * Adds changes to everybody's employment, past the API but as it would have recorded them. Read tables stay
 * as they are.
 */
async function lengthenHistory({ databaseUrl }: { databaseUrl: string }): Promise<void> {
  const pool = createPool(databaseUrl, { applicationName: 'bench history', maximum: 1, statementTimeout: 0 });
  const { rows } = await pool.query<Started>(
    `select stream, data, metadata from events where type = 'EmploymentStarted'`,
  );
  for (let first = 0; first < rows.length; first += BATCH) {
    const events = rows.slice(first, first + BATCH).flatMap(changesAfter);
    await pool.query(
      `insert into events (stream, revision, event_id, type, data, metadata, recorded_at)
         select stream, revision, id, type, data, metadata, clock_timestamp() from json_to_recordset($1)
           as e (stream text, revision bigint, id uuid, type text, data json, metadata json)`,
      [JSON.stringify(events)],
    );
  }
  await pool.query('vacuum analyze');
  await pool.query('checkpoint');
  await pool.end();
}

function changesAfter({ stream, data, metadata: { hash, previous_hash: _, ...metadata } }: Started): readonly object[] {
  const changes = Array.from({ length: CHANGES }, (_unused, number) => ({
    id: randomUUID(),
    type: 'EmploymentChanged',
    data: {
      fact_id: `${data.fact_id.slice(0, -1)}${number}`,
      start_date: addDays(data.start_date, (number + 1) * DAYS_APART),
      terms: { job_title: `Engineer ${number}` },
    },
    metadata,
  }));
  return chain(stream, hash, changes).map((event, number) => ({ stream, revision: number + 1, ...event }));
}

/** Rebuilds the read tables of people; gives how many events were folded. */
async function rebuildPeople({ databaseUrl }: { databaseUrl: string }): Promise<number> {
  const pool = createPool(databaseUrl, { applicationName: 'bench rebuild', maximum: 10, statementTimeout: 0 });
  const eventStore = new PostgresEventStore(pool);
  const projection = PROJECTIONS.find(({ name }) => name === 'people')!;
  const { events } = await rebuild({ pool, eventStore, clock: { now: () => new Date() } }, projection);
  await eventStore.close();
  await pool.end();
  return events;
}

answerParent({ lengthenHistory, rebuildPeople });
