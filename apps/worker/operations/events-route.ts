import type { Pool } from 'pg';
import type { ActivityPlace } from '#audit/activity/activity.js';
import { type ActivitySearch, searchActivity } from '#audit/activity/search-activity.js';
import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import { instantOf } from '#kernel/dates.js';
import { type OperatorRoute, Refusal, valuesOf, parseInteger } from './operator-routes.js';

const DEFAULT_EVENTS = 50;
const MAX_EVENTS = 200;
const MAX_STREAM_NAME_LENGTH = 300;
/** The form of a position of every store (`Position`). */
const POSITION = /^\d{20}\.\d{20}$/;
const NUMBERS = ['limit', 'from'] as const;
const NAMES = ['stream', 'after', 'before', ...NUMBERS] as const;
const SEARCH_NAMES = ['type', 'stream', 'person', 'from', 'to', 'before', 'limit'] as const;

type Values = Partial<Record<(typeof NAMES)[number], string>>;
type SearchValues = Partial<Record<(typeof SEARCH_NAMES)[number], string>>;

/**
 * `GET /events`: a page of one stream, or of the whole log; `GET /events/search`: the newest events that
 * match. Both contain types, actors and field names of events, but no values.
 */
export function eventRoutes(eventStore: EventStore, pool: Pool): readonly OperatorRoute[] {
  return [
    { method: 'GET', url: '/events', answer: async (request) => pageOf(eventStore, valuesOf(request, NAMES)) },
    {
      method: 'GET',
      url: '/events/search',
      answer: async (request) => pageOfSearch(eventStore, pool, valuesOf(request, SEARCH_NAMES)),
    },
  ];
}

/**
 * A page of events that match a search. They are found in the table of activity, which the catch-up fills
 * within a second, and read from the event store.
 */
async function pageOfSearch(store: EventStore, pool: Pool, values: SearchValues | Refusal): Promise<object | Refusal> {
  const search = values instanceof Refusal ? values : searchOf(values);
  if (search instanceof Refusal) return search;
  const rows = await searchActivity(pool, { ...search, count: search.count + 1 });
  const listed = rows.slice(0, search.count);
  // One after the other: a page must not take the connections of requests.
  const events: RecordedEvent[] = [];
  for (const { stream, revision } of listed)
    events.push(...(await store.readStream(stream, { from: Number(revision), limit: 1 })));
  const last = listed.at(-1);
  const before =
    last === undefined || rows.length <= search.count
      ? null
      : [last.recorded_at.toISOString(), String(last.revision), last.stream].join(' ');
  return { events: events.map(present), before };
}

function searchOf(values: SearchValues): ActivitySearch | Refusal {
  const { type = null, stream = null, person = null, from = null, to = null, limit = String(DEFAULT_EVENTS) } = values;
  const count = parseInteger(limit);
  if (!(count >= 1 && count <= MAX_EVENTS))
    return new Refusal(400, `"limit" must be a whole number from 1 to ${MAX_EVENTS}.`);
  for (const [name, text] of Object.entries({ type, stream, person }))
    if (text !== null && (text === '' || text.length > MAX_STREAM_NAME_LENGTH))
      return new Refusal(400, `"${name}" has 1 to ${MAX_STREAM_NAME_LENGTH} characters.`);
  for (const [name, text] of Object.entries({ from, to }))
    if (text !== null && instantOf(text) === null) return new Refusal(400, `"${name}" must be a date-time (ISO 8601).`);
  const before = values.before === undefined ? null : placeOf(values.before);
  if (before === undefined) return new Refusal(400, '"before" must be that of the previous page.');
  return { type, stream, personId: person, from, to, before, count };
}

function placeOf(text: string): ActivityPlace | undefined {
  const [recordedAt = '', revision, ...stream] = text.split(' ');
  const number = parseInteger(revision);
  if (instantOf(recordedAt) === null || Number.isNaN(number) || stream.length === 0) return undefined;
  return { recordedAt, revision: number, stream: stream.join(' ') };
}

async function pageOf(store: EventStore, values: Values | Refusal): Promise<object | Refusal> {
  if (values instanceof Refusal) return values;
  const { stream, after, before, from, limit = String(DEFAULT_EVENTS) } = values;
  const rows = parseInteger(limit);
  if (!(rows >= 1 && rows <= MAX_EVENTS))
    return new Refusal(400, `"limit" must be a whole number from 1 to ${MAX_EVENTS}.`);
  if (stream !== undefined) {
    if (after !== undefined || before !== undefined)
      return new Refusal(400, 'A stream is read "from" a revision, not by positions.');
    return pageOfStream(store, stream, from, rows);
  }
  if (from !== undefined) return new Refusal(400, '"from" is a revision of a "stream".');
  if (after !== undefined && before !== undefined) return new Refusal(400, '"after" and "before" exclude each other.');
  for (const position of [after, before])
    if (position !== undefined && !POSITION.test(position))
      return new Refusal(400, 'A position is two numbers of twenty digits with a dot.');
  return pageOfLog(store, { after: after ?? null, before: before ?? null, limit: rows });
}

/** From a revision backwards, the newest event first. */
async function pageOfStream(
  store: EventStore,
  stream: string,
  from: string | undefined,
  limit: number,
): Promise<object | Refusal> {
  if (stream === '' || stream.length > MAX_STREAM_NAME_LENGTH)
    return new Refusal(400, `"stream" has 1 to ${MAX_STREAM_NAME_LENGTH} characters.`);
  const revision = from === undefined ? undefined : parseInteger(from);
  if (Number.isNaN(revision)) return new Refusal(400, '"from" must be a revision: a whole number.');
  const events = await store.readStream(stream, {
    direction: 'backwards',
    limit,
    ...(revision === undefined ? {} : { from: revision }),
  });
  const last = events.at(-1)?.revision ?? 0;
  return { events: events.map(present), next_from: last === 0 ? null : last - 1 };
}

interface PageOfLog {
  readonly after: string | null;
  readonly before: string | null;
  readonly limit: number;
}

/**
 * Without a position: the newest events, if the store can find them without reading the log; otherwise the
 * first ones. In the order of the log.
 */
async function pageOfLog(store: EventStore, { after, before, limit }: PageOfLog): Promise<object | Refusal> {
  const { pageBefore } = store.capabilities;
  if (before !== null && pageBefore === undefined)
    return new Refusal(400, 'This event store reads forwards only: pass "after".');
  const isBackwards = after === null && pageBefore !== undefined;
  const start = isBackwards ? await pageBefore(before, limit) : after;
  const read = await store.readAll(start, limit);
  const events = before === null ? read : read.filter(({ position }) => position < before);
  const head = await store.head();
  const last = events.at(-1)?.position ?? null;
  return {
    head,
    events: events.map(present),
    before: pageBefore === undefined || start === null ? null : (events[0]?.position ?? null),
    after: last === null || head === null || last >= head ? null : last,
  };
}

/** An event without its idempotency key, which may contain any text of the caller. */
function present({ position, stream, revision, id, type, data, metadata, recordedAt }: RecordedEvent): object {
  const { schema_version, actor, request_id, causation_id, approval = null, hash, previous_hash } = metadata;
  return {
    position,
    stream,
    revision,
    id,
    type,
    recorded_at: recordedAt,
    fields: Object.keys(data),
    metadata: { schema_version, actor, request_id, causation_id, approval, hash, previous_hash },
  };
}
