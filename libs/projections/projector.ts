import { queryThroughSwaps, type Statement } from '#database/transaction.js';
import { categoryOf, type RecordedEvent } from '#event-store/event-store.js';
import type { Clock } from '#kernel/clock.js';
import { prepareContext } from './projection-context.js';
import type {
  Executor,
  Projection,
  ProjectionContext,
  RevisionsInRows,
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

interface Route {
  readonly projection: Projection;
  readonly streamProjection: StreamProjection;
}

/** Writes streams into read tables. Writing a stream twice or out of order has no effect. */
export class Projector {
  private readonly routes = new Map<string, Route[]>();
  /** Of projections with rows of single events, which commands do not write. */
  private readonly routesOfEvents = new Map<string, Route[]>();

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

  /** A projector for only some of its projections. Throws if it lacks one of them. */
  only(names: readonly string[]): Projector {
    const projections = this.projections.filter(({ name }) => names.includes(name));
    if (projections.length < names.length)
      throw new Error(`this projector lacks one of the projections ${names.join(', ')}`);
    return new Projector(projections, this.clock);
  }

  /** Whether any projection reads streams of this category into these tables. */
  handles(category: string, tables: TableNames = LIVE): boolean {
    return this.routesTo(tables, category).length > 0;
  }

  /**
   * The routes of whole streams. Those of single events are only for shadows: the catch-up writes the live
   * table as it follows the log.
   */
  private routesTo(tables: TableNames, category: string): readonly Route[] {
    const routes = this.routes.get(category) ?? [];
    return tables === LIVE ? routes : [...routes, ...(this.routesOfEvents.get(category) ?? [])];
  }

  /**
   * Writes the rows of single events (`StreamProjection.isOfEvents`) into the live tables. Writing an event
   * twice has no effect.
   */
  async projectEvents(executor: Executor, events: readonly RecordedEvent[]): Promise<void> {
    const routed = events.flatMap((event) =>
      (this.routesOfEvents.get(categoryOf(event.stream)) ?? []).map((route) => ({ event, route })),
    );
    for (const [projection, ofProjection] of groupedBy(routed, ({ route }) => route.projection)) {
      const single = ofProjection.map(({ event }): Stream => [event]);
      await write(executor, { projection, streamProjection: projection.streams[0]! }, single, NO_CONTEXT, LIVE);
    }
  }

  /**
   * Projects whole streams, of any categories, in one statement per kind of stream: into live tables also
   * within a transaction of the caller's connection. Uses the caller's context if given; otherwise fetches
   * it.
   */
  async project(
    executor: Executor,
    streams: readonly Stream[],
    given?: ProjectionContext,
    tables: TableNames = LIVE,
  ): Promise<void> {
    for (const [category, ofCategory] of groupByCategory(streams)) {
      for (const route of this.routesTo(tables, category)) {
        const prepared = given ?? (await prepareContext(executor, this.clock, [route.projection], ofCategory));
        const context = await withProjectedRevisions(executor, route.streamProjection, ofCategory, prepared, tables);
        await write(executor, route, ofCategory, context, tables);
      }
    }
  }

  /** The streams, in the order of the log, of which a table lacks one of these events. */
  async stale(
    executor: Executor,
    events: readonly RecordedEvent[],
    tables: TableNames = LIVE,
  ): Promise<readonly string[]> {
    const stale = new Set<string>();
    for (const [category, ofCategory] of groupedBy(events, ({ stream }) => categoryOf(stream))) {
      for (const { streamProjection } of this.routesTo(tables, category)) {
        const projected = await readRevisionsInRows(executor, streamProjection.revisionsInRows, ofCategory, tables);
        ofCategory.forEach(({ stream, revision }, index) => {
          if ((projected[index] ?? -1) < revision) stale.add(stream);
        });
      }
    }
    return [...stale];
  }
}

async function write(
  executor: Executor,
  route: Route,
  streams: readonly Stream[],
  context: ProjectionContext,
  tables: TableNames,
): Promise<void> {
  const { name, text, values } = writeOf(route, rowsOfStreams(route, streams, context), tables);
  // Statements for shadows are not prepared, because shadows are short-lived. Within the transaction of the
  // swap, a statement cannot be repeated alone.
  if (tables === LIVE) await queryThroughSwaps(executor, { name, text, values });
  else await executor.query(text, values);
}

function writeOf({ projection, streamProjection }: Route, rows: StreamRows, tables: TableNames): Statement {
  return {
    name: `project-${projection.name}-${streamProjection.category}`,
    text: `with ${streamProjection.expressions(tables)}\nselect count(*) from head`,
    values: projection.tables.flatMap(({ name }) => (rows[name] === undefined ? [] : [JSON.stringify(rows[name])])),
  };
}

/** The rows of each table of several streams. */
function rowsOfStreams(
  { projection, streamProjection }: Route,
  streams: readonly Stream[],
  context: ProjectionContext,
): StreamRows {
  const ofStreams = streams.map((stream) => streamProjection.rows(stream, context));
  const written = projection.tables.filter(({ name }) => ofStreams[0]?.[name] !== undefined);
  return Object.fromEntries(written.map(({ name }) => [name, ofStreams.flatMap((rows) => rows[name]!)]));
}

/** Adds the tables' revisions to the context, for projections that write only new rows. */
async function withProjectedRevisions(
  executor: Executor,
  { isExtended, revisionsInRows }: StreamProjection,
  streams: readonly Stream[],
  context: ProjectionContext,
  tables: TableNames,
): Promise<ProjectionContext> {
  if (isExtended !== true || context.seen !== undefined) return context;
  const lasts = streams.map((stream) => stream.at(-1)!);
  const revisions = await readRevisionsInRows(executor, revisionsInRows, lasts, tables);
  const seen = new Map(lasts.map(({ stream }, index) => [stream, revisions[index] ?? null]));
  return { ...context, seen: (stream) => seen.get(stream) ?? null };
}

/** The last revisions that the rows of these events of one category reflect; null if there is no such row. */
async function readRevisionsInRows(
  executor: Executor,
  { table, revision, key }: RevisionsInRows,
  events: readonly RecordedEvent[],
  tables: TableNames,
): Promise<readonly (number | null)[]> {
  const keys = events.map((event) => key(event));
  const columns = Object.keys(keys[0] ?? {});
  const requested = columns.map((_, index) => `$${index + 1}::text[]`).join(', ');
  const same = columns.map((column, index) => `s.${column} = requested.c${index}`).join(' and ');
  const { rows } = await executor.query<{ revision: number | null }>({
    text: `select (select max(s.${revision}) from ${tables(table)} s where ${same}) as revision
             from unnest(${requested}) with ordinality as requested(${columns.map((_, index) => `c${index}`).join(', ')},
               place) order by place`,
    values: columns.map((column) => keys.map((own) => own[column])),
  });
  return rows.map((row) => (row.revision === null ? null : Number(row.revision)));
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
