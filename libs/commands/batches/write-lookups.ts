import type { Pool } from 'pg';
import { textArray } from '#database/arrays.js';
import { composedText, ofAnyLength, type Statement } from '#database/transaction.js';
import type { BatchAppends, RecordedEvent } from '#event-store/event-store.js';
import type { ReceiptKey, StoredAnswer } from '../receipts/receipts.js';
import { BatchQueue } from '#kernel/batch-queue.js';

/** What a write looks up before it is decided: the receipt of its key, one row or none, and the end of a stream. */
export interface Lookup {
  readonly key: ReceiptKey;
  /** Its values are texts, the first one the organisation of the key. */
  readonly row: Statement;
  readonly stream: string;
}

/** The last event of a stream. */
export interface StreamEnd {
  readonly revision: number;
  readonly hash: string | null;
}

/** What was found, as of one moment. */
export interface Found {
  /** Null where there is none. `isInUse`: a request that claimed the key has not ended; `isExpired`: the key may be used again. */
  readonly receipt: (StoredAnswer & { readonly fingerprint: string; readonly isInUse: boolean; readonly isExpired: boolean }) | null;
  readonly row: object | undefined;
  readonly end: FoundEnd;
}

/**
 * The end of a stream. `none`: the stream does not exist; null where an event of it was recorded under the same key, so that it must be read
 * as a whole; `unread` where streams are in another database.
 */
export type FoundEnd = StreamEnd | 'none' | 'unread' | null;

interface FoundRow {
  readonly receipt_fingerprint: string | null;
  readonly receipt_status: number | null;
  readonly receipt_body: string | null;
  readonly receipt_entity_tag: string | null;
  readonly receipt_request_id: string | null;
  readonly receipt_is_expired: boolean | null;
  /** Undefined where streams are in another database. */
  readonly stream_revision?: number | null;
  readonly stream_hash?: string | null;
  readonly is_mentioned?: boolean | null;
  /** Null where no row was found. */
  readonly is_there: true | null;
}

/** Looks up what many writes need in one statement: all that wait in this process for one organisation and one kind of row. */
export class WriteLookups {
  private readonly queue = new BatchQueue<Lookup, Found>({
    laneOf: ({ key, row }) => `${row.name} ${key.organisationId}`,
    aloneBy: () => [],
    charactersOf: () => 0,
    run: (lookups) => this.findAll(lookups),
  });

  /** @param appends - how the statement finds ends of streams; null where they are in another database */
  constructor(
    private readonly pool: Pool,
    private readonly appends: BatchAppends | null,
  ) {}

  /** Finds what a write needs. Throws what the database throws. */
  find(lookup: Lookup): Promise<Found> {
    return this.queue.add(lookup);
  }

  private async findAll(lookups: readonly Lookup[]): Promise<readonly Found[]> {
    const { row } = lookups[0]!;
    const values = [
      lookups[0]!.key.organisationId,
      textArray(lookups.map(({ key }) => key.environment)),
      textArray(lookups.map(({ key }) => key.keyId)),
      textArray(lookups.map(({ key }) => key.idempotencyKey)),
      textArray(lookups.map(({ stream }) => stream)),
      // As the key stands in the JSON of an event's metadata.
      textArray(lookups.map(({ key }) => JSON.stringify(key.idempotencyKey))),
      ...row.values.slice(1).map((_, index) => textArray(lookups.map((lookup) => lookup.row.values[index + 1] as string | null))),
    ];
    const name = `look-up${this.appends === null ? '-without-stream' : ''}-${row.name}`;
    const text = composedText(name, () => lookupText(row, this.appends));
    return (await this.pool.query<FoundRow>({ name, text, values })).rows.map(foundOf);
  }
}

/**
 * `offset 0` keeps the planner from joining whole tables: each look-up is by a primary key. What rows say of the organisation alone, PostgreSQL
 * reads once for all of them; as a sub-select, the parameter gives it no reason to plan again. A stream that mentions the idempotency key
 * elsewhere in its metadata is read as a whole without need, and nothing else follows from it.
 */
function lookupText({ text, values }: Statement, appends: BatchAppends | null): string {
  const own = values.slice(1).map((_, index) => `v${index + 2}`);
  const parameters = ['environment', 'key_id', 'idempotency_key', 'stream', 'quoted_key', ...own];
  const row = text.replace(/\$(\d+)/g, (_, place) => (place === '1' ? '(select $1::text)' : `looked_up.v${place}`));
  const stream =
    appends === null
      ? { columns: '', join: '' }
      : {
          columns: 'stream.revision as stream_revision, stream.hash as stream_hash, stream.is_mentioned,',
          join: `left join lateral (${appends.endOf('looked_up.stream', 'looked_up.quoted_key')}) stream on true`,
        };
  return `select r.*, ${stream.columns} found.*
    from unnest(${parameters.map((_, index) => ofAnyLength(`$${index + 2}::text[]`)).join(', ')}) with ordinality as looked_up(${parameters.join(', ')}, place)
    left join lateral (
      select i.fingerprint as receipt_fingerprint, i.status as receipt_status, i.body as receipt_body, i.entity_tag as receipt_entity_tag,
        i.request_id as receipt_request_id, i.expires_at <= now() as receipt_is_expired
        from idempotency_receipts i
       where i.organisation_id = $1 and i.environment = looked_up.environment and i.key_id = looked_up.key_id and i.idempotency_key = looked_up.idempotency_key
      offset 0) r on true
    ${stream.join}
    left join lateral (select true as is_there, row.* from (${row}) row offset 0) found on true
    order by looked_up.place`;
}

function foundOf(row: FoundRow): Found {
  return { receipt: receiptOf(row), row: row.is_there === true ? row : undefined, end: endOf(row) };
}

function endOf({ stream_revision: revision, stream_hash: hash, is_mentioned: isMentioned }: FoundRow): FoundEnd {
  if (revision === undefined) return 'unread';
  if (revision === null) return 'none';
  return isMentioned === true ? null : { revision, hash: hash ?? null };
}

/** The end of a stream that was read as a whole, for a write under this idempotency key. */
export function endOfEvents(events: readonly RecordedEvent[], idempotencyKey: string): StreamEnd | 'none' | null {
  const last = events.at(-1);
  if (last === undefined) return 'none';
  if (events.some(({ metadata }) => metadata.idempotency_key === idempotencyKey)) return null;
  return { revision: last.revision, hash: last.metadata.hash };
}

function receiptOf(row: FoundRow): Found['receipt'] {
  if (row.receipt_fingerprint === null) return null;
  return {
    fingerprint: row.receipt_fingerprint,
    isInUse: row.receipt_status === null,
    isExpired: row.receipt_is_expired === true,
    status: row.receipt_status ?? 0,
    body: row.receipt_body ?? '',
    entityTag: row.receipt_entity_tag,
    requestId: row.receipt_request_id ?? '',
  };
}
