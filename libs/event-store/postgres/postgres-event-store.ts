import type { Pool } from 'pg';
import { plainArray, textArray } from '#database/arrays.js';
import { type State, StateWatch } from '#database/sessions/state-watch.js';
import { scanBatchSize, subscriptionBatchSize } from '../batch-size.js';
import {
  StoreUnavailableError,
  type Append,
  type Appended,
  type EventStore,
  type ExpectedRevision,
  type ImportedEvent,
  type NewEvent,
  type Position,
  type RecordedEvent,
  type Scan,
  type StoreCapabilities,
  type StreamQuery,
  type StreamRange,
  type Subscription,
  WrongExpectedRevisionError,
} from '../event-store.js';
import { Waker } from '../waker.js';
import { chunksOf } from './append-chunks.js';
import * as statements from './statements.js';
import {
  AS_TEXT,
  EVENT_COLUMNS,
  eventOf,
  eventOfParsed,
  type EventRow,
  type ParsedEventRow,
  partsOf,
  positionOf,
  prepare,
  type PreparedAppend,
  whenAvailable,
} from './statements.js';
import { postgresEvidence } from './evidence.js';
import { importInto } from './import-events.js';
import { StreamSettling } from './settle.js';

/** How long a subscription that found nothing waits before it reads again, in milliseconds: short after activity. */
const FIRST_WAIT = 20;
const LONGEST_WAIT = 250;
const WAIT_GROWTH = 1.5;
/** When it is idle, a watch over the end of the log wakes it. This is for a watch that fails. */
const IDLE_WAIT = 10_000;
/** After a lost connection, in milliseconds. */
const FIRST_RETRY = 100;
const LONGEST_RETRY = 5_000;

const END = `select e.transaction_id || '.' || e.position from (${statements.HEAD.text}) e`;

/** The greatest bigint, which is after every revision of a stream. */
const LAST_REVISION = '9223372036854775807';

const STREAM_QUERY: StreamQuery = {
  expression: (parameter) =>
    `(select json_agg(json_build_array(${EVENT_COLUMNS}) order by e.revision) from events e where e.stream = ${parameter})`,
  eventsOf: (value) => ((value ?? []) as readonly ParsedEventRow[]).map(eventOfParsed),
};

/** Of a bigint. */
const LARGEST_NUMBER = 2n ** 63n - 1n;

type OutcomeRow = readonly [outcome: string, revision: string, transactionId: string, place: string, recordedAt: string];

/**
 * The event store in PostgreSQL, over the tables of `schema.sql.ts`. The caller owns the pool: it handles the pool's `error`
 * event and sets its timeouts. `close` ends only the subscriptions.
 *
 * Events become readable by {@link readAll}, {@link subscribe} and {@link head} once every transaction that began writing before
 * them has ended, anywhere in the cluster.
 */
export class PostgresEventStore implements EventStore {
  readonly capabilities: StoreCapabilities = {
    streamQuery: (pool) => (pool === this.pool ? STREAM_QUERY : null),
    evidence: () => postgresEvidence(this.pool),
    pageBefore: async (before, count) => {
      const place = before === null ? [null, null] : partsOf(before);
      const [row] = await this.query<readonly [string, string]>(statements.PAGE_BEFORE, [...place, count]);
      return row === undefined ? null : positionOf(row[0], row[1]);
    },
  };
  private readonly waker = new Waker();
  private readonly closing = new AbortController();
  private readonly settling: StreamSettling;

  constructor(private readonly pool: Pool) {
    this.settling = new StreamSettling(
      async (values) => (await this.query<readonly [string, string | null]>(statements.SETTLE, [...values]))[0]!,
    );
  }

  async append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended> {
    const prepared = prepare({ stream, expected, events });
    const [row] = await this.appendPrepared(prepared);
    const outcome = outcomeOf(prepared, row!);
    if (outcome instanceof WrongExpectedRevisionError) throw outcome;
    this.waker.wake();
    return outcome;
  }

  async appendMany(appends: readonly Append[]): Promise<readonly (Appended | WrongExpectedRevisionError)[]> {
    const outcomes: (Appended | WrongExpectedRevisionError)[] = [];
    for (const chunk of chunksOf(appends.map(prepare))) {
      const events = chunk.flatMap((append) => append.events);
      const rows = await this.query<OutcomeRow>(statements.APPEND_MANY, [
        textArray(chunk.map((append) => append.stream)),
        plainArray(chunk.map((append) => append.place)),
        plainArray(chunk.map((append) => append.events.length)),
        ...statements.arraysOf(events),
      ]);
      outcomes.push(...chunk.map((append, index) => outcomeOf(append, rows[index]!)));
      this.waker.wake();
    }
    return outcomes;
  }

  async importEvents(events: readonly ImportedEvent[]): Promise<readonly Position[]> {
    if (this.closing.signal.aborted) throw new StoreUnavailableError('the event store is closed');
    for (const event of events) prepare({ stream: event.stream, expected: 'any', events: [event] });
    const positions = await whenAvailable(() => importInto(this.pool, events));
    this.waker.wake();
    return positions;
  }

  async readStream(stream: string, range: StreamRange = {}): Promise<readonly RecordedEvent[]> {
    const statement = range.direction === 'backwards' ? statements.READ_BACKWARDS : statements.READ_FORWARDS;
    const rows = await this.query<EventRow>(statement, [stream, range.from ?? null, range.limit ?? null]);
    return rows.map(eventOf);
  }

  async readStreams(streams: readonly string[]): Promise<readonly (readonly RecordedEvent[])[]> {
    const found = new Map<string, RecordedEvent[]>(streams.map((stream) => [stream, []]));
    const rows = await this.query<EventRow>(statements.READ_STREAMS, [[...found.keys()]]);
    for (const row of rows) found.get(row[0])!.push(eventOf(row));
    return streams.map((stream) => found.get(stream)!);
  }

  readAll(after: Position | null, limit: number): Promise<readonly RecordedEvent[]> {
    return this.readLog(statements.READ_ALL, after, limit);
  }

  readRecorded(after: Position | null, limit: number): Promise<readonly RecordedEvent[]> {
    return this.readLog(statements.READ_RECORDED, after, limit);
  }

  async *subscribe({ after, signal, batchSize }: Subscription): AsyncIterable<readonly RecordedEvent[]> {
    const limit = subscriptionBatchSize(batchSize);
    const ended = AbortSignal.any([signal, this.closing.signal]);
    const endWatch = this.watchEnd();
    try {
      yield* this.follow(after, limit, ended);
    } finally {
      endWatch();
    }
  }

  private async *follow(after: Position | null, limit: number, ended: AbortSignal): AsyncIterable<readonly RecordedEvent[]> {
    let last = after;
    let wait = FIRST_WAIT;
    let retry = FIRST_RETRY;
    while (!ended.aborted) {
      const seen = this.waker.count;
      const batch = await this.lookFor(last, limit);
      if (ended.aborted) return;
      if (batch === 'unavailable') {
        await this.waker.sleep(this.waker.count, retry * (0.5 + Math.random() / 2), ended);
        retry = Math.min(retry * 2, LONGEST_RETRY);
      } else if (batch.length === 0) {
        await this.waker.sleep(seen, wait > LONGEST_WAIT ? IDLE_WAIT : wait, ended);
        wait = this.waker.count === seen ? wait * WAIT_GROWTH : FIRST_WAIT;
        retry = FIRST_RETRY;
      } else {
        yield batch;
        last = batch.at(-1)!.position;
        wait = FIRST_WAIT;
        retry = FIRST_RETRY;
      }
    }
  }

  async head(): Promise<Position | null> {
    const [row] = await this.query<readonly [string, string]>(statements.HEAD, []);
    return row === undefined ? null : positionOf(row[0], row[1]);
  }

  async holds(position: Position): Promise<boolean> {
    const parts = partsOf(position);
    // The numbers of a position of EventStoreDB may be larger.
    if (parts.some((part) => BigInt(part) > LARGEST_NUMBER)) return false;
    return (await this.query(statements.HOLDS, [...parts])).length > 0;
  }

  async *scanCategory(category: string, upTo: Position, { batchSize, after = null }: Scan = {}): AsyncIterable<readonly RecordedEvent[]> {
    const limit = scanBatchSize(batchSize);
    const fence = partsOf(upTo);
    // '`' follows '_' in the character set: all names that start with the category and an organisation id are between the two.
    const end = `${category}-org\``;
    const pageAfter = (stream: string, revision: string): Promise<readonly EventRow[]> => {
      const page = this.query<EventRow>(statements.SCAN, [stream, revision, end, ...fence, limit]);
      // Prefetched: if the caller stops early, a failure must not become an unhandled rejection.
      page.catch(() => undefined);
      return page;
    };
    let next: Promise<readonly EventRow[]> | null =
      after === null ? pageAfter(`${category}-org_`, '-1') : pageAfter(`${category}-${after}`, LAST_REVISION);
    while (next !== null) {
      const rows: readonly EventRow[] = await next;
      const last = rows.at(-1);
      next = last === undefined || rows.length < limit ? null : pageAfter(last[0], last[1]);
      if (last !== undefined) yield rows.map(eventOf);
    }
  }

  settle(stream: string, instant: string): Promise<number | null> {
    return this.settling.settle(stream, instant);
  }

  async close(): Promise<void> {
    this.closing.abort();
  }

  /** Wakes subscriptions for events that others appended, or that the fence hid. Returns the function that ends this. */
  private watchEnd(): () => void {
    let known: State;
    return StateWatch.of(this.pool).add({ text: END }, (state) => {
      if (state === undefined || state === known) return;
      known = state;
      this.waker.wake();
    });
  }

  private appendPrepared({ stream, place, events }: PreparedAppend): Promise<readonly OutcomeRow[]> {
    const [first] = events;
    if (events.length === 1)
      return this.query(statements.APPEND_EVENT, [stream, place, first!.id, first!.type, first!.data, first!.metadata]);
    return this.query(statements.APPEND, [stream, place, ...statements.arraysOf(events)]);
  }

  private async readLog(statement: statements.Statement, after: Position | null, limit: number): Promise<readonly RecordedEvent[]> {
    const parts = after === null ? ['0', '0'] : partsOf(after);
    const rows = await this.query<EventRow>(statement, [...parts, limit]);
    return rows.map(eventOf);
  }

  private async lookFor(after: Position | null, limit: number): Promise<readonly RecordedEvent[] | 'unavailable'> {
    try {
      return await this.readAll(after, limit);
    } catch (error) {
      if (error instanceof StoreUnavailableError) return 'unavailable';
      throw error;
    }
  }

  private async query<Row>(statement: statements.Statement, values: unknown[]): Promise<readonly Row[]> {
    if (this.closing.signal.aborted) throw new StoreUnavailableError('the event store is closed');
    const { rows } = await whenAvailable(() => this.pool.query({ ...statement, values, rowMode: 'array', types: AS_TEXT }));
    return rows as unknown as readonly Row[];
  }
}

function outcomeOf({ stream, expected }: PreparedAppend, row: OutcomeRow): Appended | WrongExpectedRevisionError {
  const [outcome, text, transactionId, place, recordedAt] = row;
  const revision = Number(text);
  if (outcome === 'refused') return new WrongExpectedRevisionError(stream, expected, revision === -1 ? null : revision);
  return { revision, position: positionOf(transactionId, place), recordedAt, repeated: outcome === 'repeated' };
}
