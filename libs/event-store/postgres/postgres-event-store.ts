import type { Pool, PoolClient } from 'pg';
import { type State, StateWatch } from '#database/sessions/state-watch.js';
import { inTransaction } from '#database/transaction.js';
import { scanBatchSize } from '../batch-size.js';
import {
  StoreUnavailableError,
  type Appended,
  type EventStore,
  type ExpectedRevision,
  type ImportedEvent,
  type NewEvent,
  type Position,
  type RecordedEvent,
  type Scan,
  type StoreCapabilities,
  type StreamRange,
  type Subscription,
  type Transaction,
} from '../event-store.js';
import { followLog } from '../follow-log.js';
import { Waker } from '../waker.js';
import { appendTo } from './appends.js';
import * as statements from './statements.js';
import { AS_TEXT, eventOf, type EventRow, partsOf, positionOf, whenAvailable } from './statements.js';
import { postgresEvidence } from './evidence.js';
import { importEvents } from './import-events.js';
import { StreamSettling } from './settle.js';

/** How long a subscription waits after an empty read, in milliseconds: less after recent activity. */
const WAITS = [20, 30, 45, 70, 100, 150, 225];
/**
 * The same for an idle subscription. A watch over the end of the log wakes it; this limits the delay if the
 * watch fails.
 */
const IDLE_WAIT = 10_000;

/** Each stream takes a lock in the server's shared lock table, whose size is 64 per connection by default. */
const MAX_IMPORT_BATCH_SIZE = 250;

const END = `select e.transaction_id || '.' || e.position from (${statements.HEAD.text}) e`;

/** The maximum bigint, which is after every revision of a stream. */
const LAST_REVISION = '9223372036854775807';

/** The maximum of a bigint of PostgreSQL. */
const MAX_BIGINT = 2n ** 63n - 1n;

/**
 * The event store in PostgreSQL, over the tables of `schema.sql.ts`. The caller owns the pool: it handles the
 * pool's `error` event and sets its timeouts. `close` ends only the subscriptions.
 *
 * Events become readable by {@link readAll}, {@link subscribe} and {@link head} once every transaction that
 * began writing before them has ended, anywhere in the cluster.
 */
export class PostgresEventStore implements EventStore {
  readonly capabilities: StoreCapabilities = {
    appendsInTransaction: true,
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

  async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
    transaction?: Transaction,
  ): Promise<Appended> {
    this.refuseWhenClosed();
    const appended = await appendTo(transaction?.connection ?? this.pool, { stream, expected, events });
    this.wakeAfter(transaction);
    return appended;
  }

  async importEvents(
    events: readonly ImportedEvent[],
    _isSelected?: unknown,
    transaction?: Transaction,
  ): Promise<readonly Position[]> {
    this.refuseWhenClosed();
    const positions: Position[] = [];
    for (const slice of slicesOf(events, MAX_IMPORT_BATCH_SIZE)) {
      const work = (connection: PoolClient): Promise<readonly Position[]> => importEvents(connection, slice);
      positions.push(
        ...(await whenAvailable(() =>
          transaction === undefined ? inTransaction(this.pool, work) : work(transaction.connection),
        )),
      );
    }
    this.wakeAfter(transaction);
    return positions;
  }

  async readStream(
    stream: string,
    range: StreamRange = {},
    transaction?: Transaction,
  ): Promise<readonly RecordedEvent[]> {
    const statement = range.direction === 'backwards' ? statements.READ_BACKWARDS : statements.READ_FORWARDS;
    const rows = await this.query<EventRow>(statement, [stream, range.from ?? null, range.limit ?? null], transaction);
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

  async *subscribe(subscription: Subscription): AsyncIterable<readonly RecordedEvent[]> {
    const endWatch = this.watchEnd();
    try {
      yield* followLog(
        {
          read: (after, limit) => this.readAll(after, limit),
          waker: this.waker,
          wait: (emptyReads) => (emptyReads > WAITS.length ? IDLE_WAIT : WAITS[emptyReads - 1]!),
        },
        subscription,
        AbortSignal.any([subscription.signal, this.closing.signal]),
      );
    } finally {
      endWatch();
    }
  }

  async head(): Promise<Position | null> {
    const [row] = await this.query<readonly [string, string]>(statements.HEAD, []);
    return row === undefined ? null : positionOf(row[0], row[1]);
  }

  async holds(position: Position): Promise<boolean> {
    const parts = partsOf(position);
    // The numbers of a position of EventStoreDB may be larger.
    if (parts.some((part) => BigInt(part) > MAX_BIGINT)) return false;
    return (await this.query(statements.HOLDS, [...parts])).length > 0;
  }

  async *scanCategory(
    category: string,
    upTo: Position,
    { batchSize, after = null }: Scan = {},
  ): AsyncIterable<readonly RecordedEvent[]> {
    const limit = scanBatchSize(batchSize);
    const fence = partsOf(upTo);
    // '`' follows '_' in the character set: all names that start with the category and an organisation id lie
    // between the two.
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

  /**
   * Wakes subscriptions for events that others appended, or that the fence hid. Returns a function that stops
   * it.
   */
  private watchEnd(): () => void {
    let known: State;
    return StateWatch.of(this.pool).add({ text: END }, (state) => {
      if (state === undefined || state === known) return;
      known = state;
      this.waker.wake();
    });
  }

  private async readLog(
    statement: statements.Statement,
    after: Position | null,
    limit: number,
  ): Promise<readonly RecordedEvent[]> {
    const parts = after === null ? ['0', '0'] : partsOf(after);
    const rows = await this.query<EventRow>(statement, [...parts, limit]);
    return rows.map(eventOf);
  }

  private wakeAfter(transaction: Transaction | undefined): void {
    if (transaction === undefined) this.waker.wake();
    else transaction.onCommit(() => this.waker.wake());
  }

  private refuseWhenClosed(): void {
    if (this.closing.signal.aborted) throw new StoreUnavailableError('the event store is closed');
  }

  private async query<Row>(
    statement: statements.Statement,
    values: unknown[],
    transaction?: Transaction,
  ): Promise<readonly Row[]> {
    this.refuseWhenClosed();
    const { rows } = await whenAvailable(() =>
      (transaction?.connection ?? this.pool).query({ ...statement, values, rowMode: 'array', types: AS_TEXT }),
    );
    return rows as unknown as readonly Row[];
  }
}

function slicesOf<Item>(items: readonly Item[], limit: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / limit) }, (_, slice) =>
    items.slice(slice * limit, (slice + 1) * limit),
  );
}
