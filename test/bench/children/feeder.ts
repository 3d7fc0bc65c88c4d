import { randomUUID } from 'node:crypto';
import { createPool } from '#database/pool.js';
import type { Append } from '#event-store/event-store.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { place, type Surroundings } from '../history.js';
import { answerParent } from './answer.js';
import { COUNTS_PATH } from './counts-path.js';

/** How events are appended. */
export interface Feed {
  readonly databaseUrl: string;
  readonly surroundings: Surroundings;
  readonly receiverUrl: string;
  /** Of the endpoints that get every event. */
  readonly paths: readonly string[];
  /** At most so many events that have not come everywhere: below the 500 that may wait for an endpoint. */
  readonly inFlight: number;
  /** Events a second at most; null for as many as may be in progress. */
  readonly perSecond: number | null;
}

/** One org unit: its creation and nine changes. The read table of longer streams would cost more than the deliveries. */
const EVENTS_OF_A_UNIT = 10;
/** At 2 ms the questions took a tenth of all processor time. What may be in flight to an endpoint lasts much longer than 10 ms. */
const POLL_MILLISECONDS = 10;

let feeding: { readonly done: Promise<number>; stop(): void } | null = null;

function unit(surroundings: Surroundings, events: number): Append {
  const id = randomUUID();
  const stream = `org-unit-${surroundings.organisationId}.${id}`;
  const created = { type: 'OrgUnitCreated', data: { name: `Unit ${id}`, code: null, parent_id: null, head_id: null } };
  const changes = Array.from({ length: events - 1 }, (_, number) => ({
    type: 'OrgUnitChanged',
    data: { changes: { code: `C${number}` } },
  }));
  return { stream, expected: 'none', events: place(surroundings, stream, [created, ...changes], () => 0).map(({ event }) => event) };
}

/** Begins to append events straight into the event store, and goes on until `stop`. */
async function start(feed: Feed): Promise<void> {
  let isOver = false;
  const before = await leastOf(feed);
  feeding = { done: run(feed, before, () => isOver), stop: () => (isOver = true) };
  feeding.done.catch(() => undefined);
}

/** Appends no more, and resolves with the number of events appended when all of them have come everywhere. */
async function stop(): Promise<number> {
  feeding!.stop();
  return feeding!.done;
}

async function run(feed: Feed, before: number, isOver: () => boolean): Promise<number> {
  const pool = createPool(feed.databaseUrl, { applicationName: 'bench feeder', maximum: 1 });
  const store = new PostgresEventStore(pool);
  const startedAt = performance.now();
  let appended = 0;
  const missing = async (): Promise<number> => before + appended - (await leastOf(feed));
  while (!isOver()) {
    const due = feed.perSecond === null ? Infinity : (feed.perSecond * (performance.now() - startedAt)) / 1_000 - appended;
    const room = Math.min(due, feed.inFlight - (await missing()));
    const units = feed.perSecond === null ? Math.floor(room / EVENTS_OF_A_UNIT) : Math.floor(room);
    if (units > 0) {
      // At a set pace each event comes by itself, as from as many callers.
      const appends = Array.from({ length: units }, () => unit(feed.surroundings, feed.perSecond === null ? EVENTS_OF_A_UNIT : 1));
      for (const outcome of await store.appendMany(appends)) if (outcome instanceof Error) throw outcome;
      appended += appends.reduce((sum, { events }) => sum + events.length, 0);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS));
  }
  while ((await missing()) > 0) await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS));
  await store.close();
  await pool.end();
  return appended;
}

/** Deliveries that have come to the endpoint that got the fewest. */
async function leastOf({ receiverUrl, paths }: Feed): Promise<number> {
  const counts = (await (await fetch(receiverUrl + COUNTS_PATH)).json()) as Readonly<Record<string, number>>;
  return Math.min(...paths.map((path) => counts[path] ?? 0));
}

answerParent({ start, stop });
