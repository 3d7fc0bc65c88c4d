import { queryThroughSwaps, type Statement } from '#database/transaction.js';
import { categoryOf, type RecordedEvent } from '#event-store/event-store.js';
import type { Clock } from '#kernel/clock.js';
import { prepareContext } from './projection-context.js';
import type {
  Executor,
  Projection,
  ProjectionContext,
  Row,
  RowOfEvent,
  RowSource,
  Stream,
  StreamProjection,
  StreamRows,
} from './projection.js';

/** Maps a table's name to the live table or its shadow. */
export type TableNames = (name: string) => string;

const LIVE: TableNames = (name) => name;

/** For rows that depend on their events alone. */
const NO_CONTEXT: ProjectionContext = {
  today: () => {
    throw new Error('the rows of single events do not depend on the day');
  },
  personKey: () => null,
};

/** Rows in parameters of a statement that writes nothing else. */
const PARAMETERS: RowSource = { rows: (place) => `$${place}::json`, isDurable: false };

/** A statement that writes rows into live tables. */
export interface RowWrite extends Statement {
  /** JSON arrays: the rows of each table. */
  readonly values: string[];
  /** The same as common table expressions, for a transaction that records more: see `StreamProjection.expressions`. */
  readonly expressions: (source: RowSource) => string;
}

interface Route {
  readonly projection: Projection;
  readonly streamProjection: StreamProjection;
}

type Written = Pick<StreamProjection, 'expressions'>;

/** Writes streams into read tables. Writing a stream twice or out of order has no effect. */
export class Projector {
  private readonly routes = new Map<string, Route[]>();
  /** Of projections whose rows are those of single events: commands do not write them. */
  private readonly routesOfEvents = new Map<string, Route[]>();
  private readonly statements = new Map<string, string>();

  constructor(
    readonly projections: readonly Projection[],
    private readonly clock: Clock,
  ) {
    for (const projection of projections) {
      for (const streamProjection of projection.streams) {
        const routes = streamProjection.isOfEvents === true ? this.routesOfEvents : this.routes;
        const { category } = streamProjection;
        routes.set(category, [...(routes.get(category) ?? []), { projection, streamProjection }]);
      }
    }
  }

  /** A projector for only some of its projections. Throws where it lacks one of them. */
  only(names: readonly string[]): Projector {
    const projections = this.projections.filter(({ name }) => names.includes(name));
    if (projections.length < names.length) throw new Error(`not all of these are projected here: ${names.join(', ')}`);
    return new Projector(projections, this.clock);
  }

  /** Whether any projection reads streams of this category into these tables. */
  handles(category: string, tables: TableNames = LIVE): boolean {
    return this.routesTo(tables, category).length > 0;
  }

  /** The routes of whole streams. Those of single events write shadows alone: the catch-up writes the live table as it follows the log. */
  private routesTo(tables: TableNames, category: string): readonly Route[] {
    const routes = this.routes.get(category) ?? [];
    return tables === LIVE ? routes : [...routes, ...(this.routesOfEvents.get(category) ?? [])];
  }

  /** Writes the rows of single events (`StreamProjection.isOfEvents`) into the live tables. Writing an event twice has no effect. */
  async projectEvents(executor: Executor, events: readonly RecordedEvent[]): Promise<void> {
    const routed = events.flatMap((event) => (this.routesOfEvents.get(categoryOf(event.stream)) ?? []).map((route) => ({ event, route })));
    for (const [projection, ofProjection] of groupedBy(routed, ({ route }) => route.projection)) {
      const single = ofProjection.map(({ event }): Stream => [event]);
      await this.write(executor, projection, projection.streams[0]!, single, NO_CONTEXT, LIVE);
    }
  }

  /**
   * Projects whole streams, of any categories, in one statement for each kind of stream. Uses the caller's context where given; otherwise
   * fetches it.
   */
  async project(executor: Executor, streams: readonly Stream[], given?: ProjectionContext, tables: TableNames = LIVE): Promise<void> {
    for (const [category, ofCategory] of groupByCategory(streams)) {
      for (const { projection, streamProjection } of this.routesTo(tables, category)) {
        const prepared = given ?? (await prepareContext(executor, this.clock, [projection], ofCategory));
        const context = await knowingWhatIsSeen(executor, streamProjection, ofCategory, prepared, tables);
        await this.write(executor, projection, streamProjection, ofCategory, context, tables);
      }
    }
  }

  /** The statements by which {@link project} writes whole streams into the live tables, for a transaction of the caller. */
  writes(streams: readonly Stream[], context: ProjectionContext): readonly RowWrite[] {
    return [...groupByCategory(streams)].flatMap(([category, ofCategory]) =>
      (this.routes.get(category) ?? []).map(({ projection, streamProjection }) =>
        this.liveWrite(projection, category, streamProjection, rowsOfStreams(projection, streamProjection, ofCategory, context)),
      ),
    );
  }

  /** The same for rows that the caller has made from a stream's state, as the category's only projection does. */
  writesOfRows(category: string, rows: StreamRows): readonly RowWrite[] {
    const routes = this.routes.get(category) ?? [];
    if (routes.length > 1) throw new Error(`more than one projection reads ${category} streams`);
    return routes.map(({ projection, streamProjection }) => this.liveWrite(projection, category, streamProjection, rows));
  }

  /** The streams of these events, in the order of the log, of which a table does not show one of these events. */
  async stale(executor: Executor, events: readonly RecordedEvent[], tables: TableNames = LIVE): Promise<readonly string[]> {
    const stale = new Set<string>();
    for (const [category, ofCategory] of groupedBy(events, ({ stream }) => categoryOf(stream))) {
      for (const { streamProjection } of this.routesTo(tables, category)) {
        for (const name of await streamsBehind(executor, streamProjection, ofCategory, tables)) stale.add(name);
      }
    }
    return [...stale];
  }

  private async write(
    executor: Executor,
    projection: Projection,
    streamProjection: StreamProjection,
    streams: readonly Stream[],
    context: ProjectionContext,
    tables: TableNames,
  ): Promise<void> {
    const rows = rowsOfStreams(projection, streamProjection, streams, context);
    if (tables === LIVE) {
      await queryThroughSwaps(executor, this.liveWrite(projection, streamProjection.category, streamProjection, rows));
    } else {
      // A statement within the transaction of a rebuild's swap cannot be retried alone.
      await executor.query({ text: statementOf(streamProjection, tables), values: valuesOf(projection, rows) });
    }
  }

  /** @param kind - which rows of the projection these are, for the statement's name */
  private liveWrite(projection: Projection, kind: string, written: Written, rows: StreamRows): RowWrite {
    const name = `project-${projection.name}-${kind}`;
    const expressions = (source: RowSource): string => written.expressions(LIVE, source);
    return { name, text: this.liveStatement(name, written), values: valuesOf(projection, rows), expressions };
  }

  private liveStatement(key: string, written: Written): string {
    const known = this.statements.get(key);
    if (known !== undefined) return known;
    const text = statementOf(written, LIVE);
    this.statements.set(key, text);
    return text;
  }
}

function statementOf(written: Written, tables: TableNames): string {
  return `with ${written.expressions(tables, PARAMETERS)}\nselect count(*) from head`;
}

/** The rows of each table, as JSON, in the order of the projection's tables. */
function valuesOf(projection: Projection, rows: StreamRows): string[] {
  return projection.tables.flatMap(({ name }) => (rows[name] === undefined ? [] : [JSON.stringify(rows[name])]));
}

function rowsOfStreams(
  projection: Projection,
  streamProjection: StreamProjection,
  streams: readonly Stream[],
  context: ProjectionContext,
): StreamRows {
  return collectRows(projection, streams, (stream) => streamProjection.rows(stream, context));
}

/** The rows of each table of several streams. */
function collectRows<Source>(projection: Projection, sources: readonly Source[], rowsOf: (source: Source) => StreamRows): StreamRows {
  const collected: { [table: string]: Row[] } = {};
  for (const source of sources) {
    const rows = rowsOf(source);
    for (const { name } of projection.tables) {
      if (rows[name] === undefined) continue;
      const list = (collected[name] ??= []);
      for (const row of rows[name]) list.push(row);
    }
  }
  return collected;
}

/** Adds the revisions that the tables show to the context, for projections that write only new rows. */
async function knowingWhatIsSeen(
  executor: Executor,
  streamProjection: StreamProjection,
  streams: readonly Stream[],
  context: ProjectionContext,
  tables: TableNames,
): Promise<ProjectionContext> {
  if (streamProjection.isExtended !== true || context.seen !== undefined) return context;
  const stored = await storedRevisions(
    executor,
    streamProjection,
    streams.map((stream) => stream[0]!.stream),
    tables,
  );
  return { ...context, seen: (stream) => stored.get(stream) ?? null };
}

/** The streams of these events of one category of which the table does not show one of these events. */
async function streamsBehind(
  executor: Executor,
  streamProjection: StreamProjection,
  events: readonly RecordedEvent[],
  tables: TableNames,
): Promise<readonly string[]> {
  const { category, rowOfEvent } = streamProjection;
  if (rowOfEvent !== undefined) return streamsBehindRows(executor, category, rowOfEvent, events, tables);
  const revisions = new Map(events.map(({ stream, revision }) => [stream, revision]));
  const names = [...revisions.keys()];
  const stored = await storedRevisions(executor, streamProjection, names, tables);
  return names.filter((name) => (stored.get(name) ?? -1) < revisions.get(name)!);
}

async function streamsBehindRows(
  executor: Executor,
  category: string,
  rowOfEvent: RowOfEvent,
  events: readonly RecordedEvent[],
  tables: TableNames,
): Promise<readonly string[]> {
  const prefix = `${category}-`;
  const { rows } = await executor.query<{ key: string }>({
    text: rowOfEvent.behind(tables),
    values: [
      events.map(({ stream }) => stream.slice(prefix.length)),
      events.map((event) => rowOfEvent.id(event)),
      events.map(({ revision }) => revision),
    ],
  });
  return rows.map(({ key }) => prefix + key);
}

async function storedRevisions(
  executor: Executor,
  streamProjection: StreamProjection,
  names: readonly string[],
  tables: TableNames,
): Promise<ReadonlyMap<string, number>> {
  const prefix = `${streamProjection.category}-`;
  const { rows } = await executor.query<{ key: string; revision: number }>({
    text: streamProjection.storedRevisions(tables),
    values: [names.map((name) => name.slice(prefix.length))],
  });
  return new Map(rows.map((row) => [prefix + row.key, Number(row.revision)]));
}

function groupByCategory(streams: readonly Stream[]): ReadonlyMap<string, Stream[]> {
  return groupedBy(streams, (stream) => categoryOf(stream[0]!.stream));
}

function groupedBy<Key, Value>(values: readonly Value[], keyOf: (value: Value) => Key): ReadonlyMap<Key, Value[]> {
  const groups = new Map<Key, Value[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}
