import { type Aggregate, type DomainEvent, partsOfStream } from '#kernel/aggregate.js';
import type { Json } from '#kernel/json.js';
import { found } from '#kernel/rejection.js';
import { bookkeepingOf, existing, type Existing, type OneRow, oneRowProjection } from './one-row-table.js';
import type { Executor, Projection, Row, Stream } from './projection.js';

/**
 * How a column is written and read. `time`: ISO 8601 when projected, a `Date` when read; `list`: a list in
 * JSON.
 */
export type ColumnKind = 'value' | 'time' | 'list';

/** A row's own columns as they are projected: a time is ISO 8601 text. */
export type Projected<Columns> = { readonly [Column in keyof Columns]: Timeless<Columns[Column]> };
type Timeless<Value> = Value extends Date ? string : Value;

/** A row in the form of reads: its own columns, and those of every table. */
export type Stored<Columns> = Columns & {
  readonly id: string;
  /** The revision of the stream's last event. */
  readonly revision: number;
  readonly created_at: Date;
  readonly updated_at: Date;
};

/**
 * How people identify rows: the column of the name, and the SQL condition under which a row is archived or
 * not in use.
 */
export interface Naming {
  readonly column: string;
  readonly isArchived: string;
}

/** The declaration of a read table with one row per entity. */
export interface TableDefinition<State, Columns extends object> extends Pick<
  OneRow<State, DomainEvent>,
  'isMarked' | 'besideLive' | 'afterRebuild'
> {
  /** The name of the table and of its projection. */
  readonly name: string;
  /** Columns besides the keys, `revision`, `created_at` and `updated_at`. */
  readonly columns: { readonly [Column in keyof Columns & string]-?: ColumnKind };
  /** Their values, from the state after the whole stream. */
  readonly row: (state: Existing<State>, stream: Stream) => Projected<Columns>;
  /** Columns for look-ups and orders, which reads do not return: their derivation from the others. */
  readonly lookUps?: { readonly [column: string]: (row: Projected<Columns>) => Json };
  readonly naming?: Naming;
  /** The SQL order of its lists. */
  readonly order: string;
}

/** A read table with one row per entity of an aggregate, found by (`organisation_id`, `id`). */
export interface Table<State, Event extends DomainEvent, Columns extends object> {
  readonly name: string;
  readonly aggregate: Aggregate<State, Event>;
  readonly projection: Projection;
  readonly naming: Naming | null;
  /** The columns of a row for reads, as a select list. */
  selectList(alias?: string): string;
  /** The row right after a command, independent of later events, from the function that projects it. */
  after(result: { readonly state: State; readonly events: Stream }): Stored<Columns>;
  /** The row; null if this organisation has none with this id. */
  find(executor: Executor, organisationId: string, id: string): Promise<Stored<Columns> | null>;
  /**
   * The row of an id in a path. Throws `RejectedError` (`not_found`) if this organisation has none with this
   * id.
   */
  require(executor: Executor, organisationId: string, id: string): Promise<Stored<Columns>>;
  /** All rows of an organisation, in the table's order. */
  list(executor: Executor, organisationId: string): Promise<readonly Stored<Columns>[]>;
  /** The rows that are in use and not archived. */
  listInUse(executor: Executor, organisationId: string): Promise<readonly Stored<Columns>[]>;
}

/**
 * Declares the read table of an aggregate: `defineTable<Columns>()(aggregate, definition)`, because
 * TypeScript infers either all type parameters of a call or none.
 */
export function defineTable<Columns extends object>() {
  return <State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    definition: TableDefinition<State, Columns>,
  ) => tableOf(aggregate, definition);
}

function tableOf<State, Event extends DomainEvent, Columns extends object>(
  aggregate: Aggregate<State, Event>,
  definition: TableDefinition<State, Columns>,
): Table<State, Event, Columns> {
  const { name, row, lookUps = {}, naming = null, order, isMarked, besideLive, afterRebuild } = definition;
  const kinds = Object.entries<ColumnKind>(definition.columns);
  const ofKind = (requested: ColumnKind): readonly string[] =>
    kinds.filter(([, kind]) => kind === requested).map(([column]) => column);
  const own = kinds.map(([column]) => column);
  const lists = ofKind('list');
  const times = [...ofKind('time'), 'created_at', 'updated_at'];
  const selected = ['id', 'revision', ...own, 'created_at', 'updated_at'];
  const read = `select ${selected.join(', ')} from ${name} where organisation_id = $1`;

  async function find(executor: Executor, organisationId: string, id: string): Promise<Stored<Columns> | null> {
    const statement = { name: `find-in-${name}`, text: `${read} and id = $2`, values: [organisationId, id] };
    const { rows } = await executor.query<Stored<Columns>>(statement);
    return rows[0] ?? null;
  }

  async function rowsOf(
    executor: Executor,
    organisationId: string,
    which: string,
    condition: string,
  ): Promise<readonly Stored<Columns>[]> {
    const statement = {
      name: `${which}-${name}`,
      text: `${read} and ${condition} order by ${order}`,
      values: [organisationId],
    };
    const { rows } = await executor.query<Stored<Columns>>(statement);
    return rows;
  }

  return {
    name,
    aggregate,
    naming,
    projection: oneRowProjection(aggregate, {
      table: name,
      columns: [...own, ...Object.keys(lookUps)],
      row: (state, stream) => {
        const values = row(state, stream);
        return {
          ...values,
          ...Object.fromEntries(Object.entries(lookUps).map(([column, from]) => [column, from(values)])),
        } as Row;
      },
      ...(lists.length === 0 ? {} : { lists }),
      ...(isMarked === undefined ? {} : { isMarked }),
      ...(besideLive === undefined ? {} : { besideLive }),
      ...(afterRebuild === undefined ? {} : { afterRebuild }),
    }),
    selectList: (alias) => selected.map((column) => (alias === undefined ? column : `${alias}.${column}`)).join(', '),
    after: ({ state, events }) => {
      const projected: Row = { ...bookkeepingOf(events), ...(row(existing(state, events), events) as Row) };
      const dates = times.map(
        (column) => [column, projected[column] === null ? null : new Date(projected[column] as string)] as const,
      );
      return {
        id: partsOfStream(events[0]!.stream).entityId,
        ...projected,
        ...Object.fromEntries(dates),
      } as unknown as Stored<Columns>;
    },
    find,
    require: async (executor, organisationId, id) => found(await find(executor, organisationId, id)),
    list: (executor, organisationId) => rowsOf(executor, organisationId, 'list', 'true'),
    listInUse: (executor, organisationId) =>
      rowsOf(executor, organisationId, 'list-in-use', naming === null ? 'true' : `not (${naming.isArchived})`),
  };
}
