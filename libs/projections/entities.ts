import {
  categoryOf,
  entityKeyOf,
  type EventStore,
  type Position,
  type RecordedEvent,
} from '#event-store/event-store.js';
import type { Projection, ProjectionContext, Row, Stream, StreamRows } from './projection.js';

/** All streams of one entity, by category. */
export type Entity = ReadonlyMap<string, Stream>;

/** The page size. Two pages of each category are in memory at a time: the current one, and the next. */
const EVENTS_AT_ONCE = 500;

/**
 * Yields every entity with a stream of one of these categories, in the order of keys. Memory use does not
 * grow with their number.
 */
export function entitiesOf(
  eventStore: EventStore,
  categories: readonly string[],
  upTo: Position,
): AsyncGenerator<Entity> {
  const scan = { batchSize: EVENTS_AT_ONCE };
  const { scanEntities } = eventStore.capabilities;
  if (scanEntities !== undefined) return grouped(streamsOf(scanEntities(categories, upTo, scan)));
  return merged(
    categories.map((category) => ({ category, streams: streamsOf(eventStore.scanCategory(category, upTo, scan)) })),
  );
}

/**
 * The rows of one entity, by table: streams that own columns of the same row return one row each, and these
 * are merged; rows of single events are separate.
 */
export function rowsOfEntity(projection: Projection, entity: Entity, context: ProjectionContext): StreamRows {
  const rows: { [table: string]: readonly Row[] } = {};
  for (const { category, rows: rowsOfStream, isOfEvents } of projection.streams) {
    const stream = entity.get(category);
    if (stream === undefined) continue;
    for (const [table, own] of Object.entries(rowsOfStream(stream, context))) {
      const before = rows[table] ?? [];
      rows[table] =
        before.length === 0 ? own : isOfEvents === true ? [...before, ...own] : [{ ...before[0], ...own[0] }];
    }
  }
  return rows;
}

/** Entities of streams that arrive entity by entity. */
async function* grouped(streams: AsyncGenerator<Stream>): AsyncGenerator<Entity> {
  let entity = new Map<string, Stream>();
  let key = '';
  for await (const stream of streams) {
    const { stream: name } = stream[0]!;
    if (entity.size > 0 && entityKeyOf(name) !== key) {
      yield entity;
      entity = new Map();
    }
    key = entityKeyOf(name);
    entity.set(categoryOf(name), stream);
  }
  if (entity.size > 0) yield entity;
}

/** Entities of several scans, each in the order of keys. */
async function* merged(
  categories: readonly { readonly category: string; readonly streams: AsyncGenerator<Stream> }[],
): AsyncGenerator<Entity> {
  const scans = categories.map((one) => ({ ...one, next: null as Stream | null }));
  for (const scan of scans) scan.next = await advance(scan.streams);
  for (;;) {
    const keys = scans.flatMap(({ next }) => (next === null ? [] : [entityKeyOf(next[0]!.stream)]));
    if (keys.length === 0) return;
    const key = keys.reduce((minimum, candidate) => (candidate < minimum ? candidate : minimum));
    const entity = new Map<string, Stream>();
    for (const scan of scans) {
      if (scan.next === null || entityKeyOf(scan.next[0]!.stream) !== key) continue;
      entity.set(scan.category, scan.next);
      scan.next = await advance(scan.streams);
    }
    yield entity;
  }
}

async function advance(streams: AsyncGenerator<Stream>): Promise<Stream | null> {
  const { value, done } = await streams.next();
  return done === true ? null : value;
}

/** Batches of events, regrouped so that each begins with a new stream. */
async function* streamsOf(batches: AsyncIterable<readonly RecordedEvent[]>): AsyncGenerator<Stream> {
  let stream: RecordedEvent[] = [];
  for await (const batch of batches) {
    for (const event of batch) {
      if (stream.length > 0 && stream[0]!.stream !== event.stream) {
        yield stream;
        stream = [];
      }
      stream.push(event);
    }
  }
  if (stream.length > 0) yield stream;
}
