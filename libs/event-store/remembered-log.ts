import type { Pool } from 'pg';
import { AnotherEventLogError, type EventStore, type Position } from './event-store.js';

/** The store of a log. */
export type LogKind = 'postgresql' | 'eventstoredb';

/** Identifies the log of an installation's events. */
export interface EventLog {
  readonly kind: LogKind;
  /**
   * The first event of the log; null if it is unknown, and for PostgreSQL, whose log is in the same database.
   */
  readonly first: { readonly stream: string; readonly id: string } | null;
}

/** Data by which a database that does not record its log yet is matched with a log. */
export interface KnownOfLog {
  /** Positions of events in the log. */
  readonly positions: readonly Position[];
  /** Streams of the log. */
  readonly streams: readonly string[];
  /** Whether PostgreSQL contains events. */
  readonly hasEventsHere: boolean;
}

/** The dependencies of a {@link RememberedLog}. */
export interface RememberedLogParts {
  readonly executor: Pick<Pool, 'query'>;
  readonly store: EventStore;
  readonly kind: LogKind;
  /** Called if the database's record of its log is incomplete. */
  readonly known: () => Promise<KnownOfLog>;
}

/**
 * In events. More than one, because in EventStoreDB system events, which are read in pages, may precede the
 * first event.
 */
const FIRST_PAGE = 256;

/**
 * Compares the log of the event store in use with the installation's. A write into another log would be
 * acknowledged, and lost to all readers of the right one.
 */
export class RememberedLog {
  constructor(private readonly parts: RememberedLogParts) {}

  /** Compares the kind of event store, by the database alone. Throws {@link AnotherEventLogError}. */
  async compareKind(): Promise<void> {
    refuseOtherKind(await readLog(this.parts.executor), this.parts.kind);
  }

  /** Compares without a write. Throws {@link AnotherEventLogError}, and the store's errors. */
  async compare(): Promise<EventLog> {
    const { executor, store, kind } = this.parts;
    const remembered = await readLog(executor);
    refuseOtherKind(remembered, kind);
    if (remembered === null || (kind === 'eventstoredb' && remembered.first === null)) return this.adoptable();
    const { first } = remembered;
    if (first === null) return remembered;
    const [found] = await store.readStream(first.stream, { limit: 1 });
    if (found?.id !== first.id) throw new AnotherEventLogError(otherFirst(first.id));
    const latest = await latestCheckpoint(executor);
    if (latest !== null && !(await store.holds(latest))) throw new AnotherEventLogError(OLDER_COPY);
    return remembered;
  }

  /**
   * Compares, and records the log if the database has no record yet. Concurrent processes record the same
   * log.
   */
  async verify(): Promise<EventLog> {
    const { executor, kind } = this.parts;
    const found = await this.compare();
    await executor.query(
      `insert into event_log (kind, first_stream, first_event) values ($1, $2, $3)
       on conflict (is_only) do update set first_stream = excluded.first_stream, first_event = excluded.first_event
        where event_log.kind = excluded.kind and event_log.first_event is null and excluded.first_event is not null`,
      valuesOf(found),
    );
    const remembered = (await readLog(executor))!;
    refuseOtherKind(remembered, kind);
    if (remembered.first !== null && found.first !== null && remembered.first.id !== found.first.id)
      throw new AnotherEventLogError(otherFirst(remembered.first.id));
    return remembered;
  }

  /**
   * The log in use, of which the database has no record yet, if it is consistent with all that the database
   * knows.
   */
  private async adoptable(): Promise<EventLog> {
    const { store, kind, known } = this.parts;
    if (!(await this.matches(await known()))) throw new AnotherEventLogError(UNKNOWN[kind]);
    return { kind, first: await firstOf(store, kind) };
  }

  /** One matching event suffices: the most recent ones may be from another log that was used by mistake. */
  private async matches({ positions, streams, hasEventsHere }: KnownOfLog): Promise<boolean> {
    const { store, kind } = this.parts;
    for (const position of positions) if (await store.holds(position)) return true;
    if (positions.length > 0) return false;
    for (const stream of streams) if ((await store.readStream(stream, { limit: 1 })).length > 0) return true;
    if (streams.length > 0) return false;
    return kind === 'postgresql' || !hasEventsHere;
  }
}

/** The recorded log of this database; null if there is none. */
export async function readLog(executor: Pick<Pool, 'query'>): Promise<EventLog | null> {
  const { rows } = await executor.query<{ kind: LogKind; first_stream: string | null; first_event: string | null }>(
    'select kind, first_stream, first_event from event_log',
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { kind, first_stream: stream, first_event: id } = row;
  return { kind, first: stream === null || id === null ? null : { stream, id } };
}

/** Records a log as the log of this database, as an import that moves its events does. */
export async function rememberLog(executor: Pick<Pool, 'query'>, log: EventLog): Promise<void> {
  await executor.query(
    `insert into event_log (kind, first_stream, first_event) values ($1, $2, $3)
     on conflict (is_only) do update set kind = excluded.kind, first_stream = excluded.first_stream,
     first_event = excluded.first_event,
       remembered_at = clock_timestamp()`,
    valuesOf(log),
  );
}

/** The first event of a log, in the form of {@link EventLog}. Throws the store's errors. */
export async function firstOf(store: EventStore, kind: LogKind): Promise<EventLog['first']> {
  if (kind === 'postgresql') return null;
  const [first] = await store.readAll(null, FIRST_PAGE);
  return first === undefined ? null : { stream: first.stream, id: first.id };
}

function valuesOf({ kind, first }: EventLog): (string | null)[] {
  return [kind, first?.stream ?? null, first?.id ?? null];
}

/** The position of the last event that the projections handled; null if they handled none. */
async function latestCheckpoint(executor: Pick<Pool, 'query'>): Promise<Position | null> {
  const { rows } = await executor.query<{ position: Position | null }>(
    'select max(position) as position from projection_checkpoints',
  );
  return rows[0]!.position;
}

function refuseOtherKind(remembered: EventLog | null, kind: LogKind): void {
  if (remembered !== null && remembered.kind !== kind) throw new AnotherEventLogError(OTHER_KIND[kind]);
}

/** By the kind of event store in use. */
const OTHER_KIND: Readonly<Record<LogKind, string>> = {
  postgresql:
    'The events of this installation are in EventStoreDB, but EVENTSTORE_URL is not set: set it, for every process ' +
    'and command, to the EventStoreDB that was last in use.',
  eventstoredb:
    'The events of this installation are in PostgreSQL, but EVENTSTORE_URL names an EventStoreDB: unset it, or move ' +
    'the events there first (workforce events export, and import).',
};

const UNKNOWN: Readonly<Record<LogKind, string>> = {
  postgresql:
    'PostgreSQL does not contain the events of its read tables, and EVENTSTORE_URL is not set: set it to the ' +
    'EventStoreDB that was last in use.',
  eventstoredb:
    'EVENTSTORE_URL names an EventStoreDB without the events that PostgreSQL has handled: unset it if they are in ' +
    'PostgreSQL, or set it to the EventStoreDB that was last in use.',
};

const OLDER_COPY =
  'EVENTSTORE_URL names an EventStoreDB without the event that PostgreSQL handled last, such as an older copy: set ' +
  'it to the EventStoreDB that was last in use, or restore PostgreSQL from a backup that is no newer.';

function otherFirst(id: string): string {
  return (
    "EVENTSTORE_URL names an EventStoreDB with another log than this installation's, which " +
    `begins with event ${id}: ` +
    'set it to the EventStoreDB that was last in use.'
  );
}
