import type { Pool } from 'pg';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { measureLag } from '#projections/catch-up.js';
import { rebuild } from '#projections/rebuild/rebuild.js';
import { PROJECTIONS } from '#composition/registry.js';
import { eventually } from '../../contract/event-store.support.js';
import { tagOf } from '../api/http-client.js';
import type { Writers } from './writers.js';

const CLOCK = { now: () => new Date() };
const ASKING_AT_ONCE = 16;

/** Every acknowledged write has happened exactly once, and nothing else has happened. */
export async function expectKept(pool: Pool, writers: Writers): Promise<void> {
  const { writes, people } = writers.told;
  const counts = async (): Promise<readonly number[]> => {
    const { rows } = await pool.query<{ person: number; employment: number; rows: number }>(
      `select count(*) filter (where stream like 'person-%')::int as person, count(*) filter (where stream like 'employment-%')::int as employment,
              (select count(*) from people)::int as rows from events`,
    );
    return Object.values(rows[0]!);
  };
  const changes = people.reduce((sum, { titles }) => sum + titles.length - 1, 0);
  expect([new Set(people.map(({ id }) => id)).size, writes.length]).toEqual([people.length, people.length + changes]);
  expect(await counts()).toEqual([people.length, people.length + changes, people.length]);
  const { rows } = await pool.query<{ id: string; titles: string[] }>(
    `select right(stream, 12) as id, array_agg(data -> 'terms' ->> 'job_title' order by revision) as titles from events where stream like 'employment-%' group by stream`,
  );
  const recorded = new Map(rows.map(({ id, titles }) => [id, titles]));
  for (const { id, titles } of people) expect([id, recorded.get(id)]).toEqual([id, titles]);
  const waiting = [...writes];
  const askAgain = async (): Promise<void> => {
    for (let write = waiting.pop(); write !== undefined; write = waiting.pop()) {
      const again = await writers.ask(write.method, write.path, write);
      expect([again.status, again.text, tagOf(again)]).toEqual([
        write.answer.status,
        write.answer.text,
        tagOf(write.answer),
      ]);
    }
  };
  await Promise.all(Array.from({ length: ASKING_AT_ONCE }, askAgain));
  expect(await counts()).toEqual([people.length, people.length + changes, people.length]);
}

/** The tables equal the result of a rebuild from the events. */
export async function expectTablesAsRebuilt(pool: Pool): Promise<void> {
  const eventStore = new PostgresEventStore(pool);
  await eventually(async () =>
    (await measureLag({ pool, eventStore, projections: PROJECTIONS }, new Date())).every(
      ({ seconds }) => seconds === 0,
    ),
  );
  for (const projection of PROJECTIONS) {
    const { differences } = await rebuild({ pool, eventStore, clock: CLOCK }, projection);
    expect([projection.name, differences]).toEqual([projection.name, 0]);
  }
}
