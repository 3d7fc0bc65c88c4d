import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { inTransaction } from '#database/transaction.js';
import type { EventStore, Position, RecordedEvent } from '#event-store/event-store.js';
import { anchorDigest, anchorKeyOf, anchorOf, signAnchor, type Anchor, type AnchorKey } from './anchor.js';
import { pagesOfLog } from '#event-store/pages-of-log.js';
import { digestOf, recordOf, type StreamRecord } from './record.js';

/** The maximum number of events of an anchor: a long history starts with several, to limit memory. */
const MAX_EVENTS = 50_000;
/** The interval between anchors: a day. */
const DUE = "interval '24 hours'";
const KEY_NAME = 'audit_anchors';
const ROWS_AT_ONCE = 2_000;

/** The key of this installation that signs anchors, created if there is none. */
export async function loadAnchorKey(pool: Pool): Promise<AnchorKey> {
  await pool.query('insert into installation_keys (name, secret) values ($1, $2) on conflict do nothing', [
    KEY_NAME,
    randomBytes(32),
  ]);
  const { rows } = await pool.query<{ secret: Buffer }>('select secret from installation_keys where name = $1', [
    KEY_NAME,
  ]);
  return anchorKeyOf(rows[0]!.secret.subarray(0, 32));
}

/** All anchors of the database in order. Throws if a row is not an anchor. */
export async function listAnchors(pool: Pool): Promise<readonly Anchor[]> {
  const { rows } = await pool.query<AnchorRow>('select number, document, signature from audit_anchors order by number');
  return rows.map(readAnchor);
}

/**
 * `count` anchors before a number, or the last ones if it is null, newest first. Throws as {@link
 * listAnchors} does.
 */
export async function pageOfAnchors(pool: Pool, before: number | null, count: number): Promise<readonly Anchor[]> {
  const { rows } = await pool.query<AnchorRow>(
    `select number, document, signature from audit_anchors where $1::integer is null or number < $1
      order by number desc limit $2`,
    [before, count],
  );
  return rows.map(readAnchor);
}

interface AnchorRow {
  readonly number: number;
  readonly document: string;
  readonly signature: string;
}

function readAnchor({ number, document, signature }: AnchorRow): Anchor {
  const anchor = anchorOf(document, signature);
  if (anchor === null) throw new UnreadableAnchorError(number);
  return anchor;
}

/** A row of `audit_anchors` that is not an anchor, because it was edited by hand. */
class UnreadableAnchorError extends Error {
  constructor(number: number) {
    super(`Anchor ${number} in the database was overwritten with other content: restore it from an exported copy.`);
    this.name = 'UnreadableAnchorError';
  }
}

/** The record of an anchor in the database, in byte order of the streams' names, in batches. */
export async function* recordsOfAnchor(pool: Pool, number: number): AsyncIterable<readonly StreamRecord[]> {
  let last = '';
  for (;;) {
    const { rows } = await pool.query<{ stream: string; entries: Buffer }>(
      'select stream, entries from audit_records where anchor = $1 and stream > $2 order by stream limit $3',
      [number, last, ROWS_AT_ONCE],
    );
    if (rows.length > 0) yield rows;
    if (rows.length < ROWS_AT_ONCE) return;
    last = rows.at(-1)!.stream;
  }
}

/** The dependencies of creating anchors. */
export interface AnchoringParts {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly key: AnchorKey;
}

/**
 * Anchors all events since the last anchor. Returns the new anchors: none without events, or if another
 * process created them.
 */
export async function anchorAll(parts: AnchoringParts, signal?: AbortSignal): Promise<readonly Anchor[]> {
  const head = await parts.eventStore.head();
  const created: Anchor[] = [];
  while (head !== null && signal?.aborted !== true) {
    const anchor = await anchorNext(parts, head);
    if (anchor === null) break;
    created.push(anchor);
  }
  return created;
}

/** Whether the last anchor is a day old, or there is none. */
export async function isAnchorDue(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ due: boolean }>(
    `select not exists (select from audit_anchors where created_at > clock_timestamp() - ${DUE}) as due`,
  );
  return rows[0]!.due;
}

async function anchorNext(parts: AnchoringParts, head: Position): Promise<Anchor | null> {
  const last = await lastAnchor(parts.pool);
  const events = await nextEvents(parts.eventStore, last?.position ?? null, head);
  const end = events.at(-1);
  if (end === undefined) return null;
  const record = recordOf(events);
  const anchor = signAnchor(
    {
      number: (last?.anchor.document.number ?? 0) + 1,
      created_at: new Date().toISOString(),
      events: (last?.anchor.document.events ?? 0) + events.length,
      added: events.length,
      record: digestOf(record),
      previous: last === null ? null : anchorDigest(last.anchor),
      last: { stream: end.stream, revision: end.revision, hash: end.metadata.hash, recorded_at: end.recordedAt },
    },
    parts.key,
  );
  return (await keep(parts.pool, anchor, record, end.position)) ? anchor : null;
}

async function lastAnchor(pool: Pool): Promise<{ readonly anchor: Anchor; readonly position: Position } | null> {
  const { rows } = await pool.query<AnchorRow & { readonly position: Position }>(
    'select number, document, signature, position from audit_anchors order by number desc limit 1',
  );
  const [row] = rows;
  if (row === undefined) return null;
  return { anchor: readAnchor(row), position: row.position };
}

async function nextEvents(
  store: EventStore,
  after: Position | null,
  head: Position,
): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const page of pagesOfLog(store, after, head)) {
    events.push(...page);
    if (events.length >= MAX_EVENTS) break;
  }
  return events.slice(0, MAX_EVENTS);
}

/** False if another process has created an anchor meanwhile. */
function keep(
  pool: Pool,
  { document, text, signature }: Anchor,
  record: readonly StreamRecord[],
  position: Position,
): Promise<boolean> {
  return inTransaction(pool, async (connection) => {
    const { rowCount } = await connection.query(
      `insert into audit_anchors (number, document, signature, position) values ($1, $2, $3, $4)
        on conflict do nothing`,
      [document.number, text, signature, position],
    );
    if (rowCount === 0) return false;
    for (let start = 0; start < record.length; start += ROWS_AT_ONCE) {
      const rows = record.slice(start, start + ROWS_AT_ONCE);
      await connection.query(
        'insert into audit_records (anchor, stream, entries) select $1, * from unnest($2::text[], $3::bytea[])',
        [document.number, rows.map(({ stream }) => stream), rows.map(({ entries }) => entries)],
      );
    }
    return true;
  });
}
