import type { CommandContext } from './command-context.js';
import { execute } from './execute.js';
import type { CommandServices } from './services.js';
import { commit, type Outcome, type UnitContext } from './unit-of-work.js';
import type { Decision, DomainEvent } from '#kernel/aggregate.js';
import type { Executor } from '#projections/projection.js';
import type { Naming, Table } from '#projections/table.js';
import { nameKey, normaliseName } from '#kernel/names.js';

/** The table of a kind of resource that has a name, in a column `name` or `label`. */
export type NamedTable<State, Event extends DomainEvent> = Pick<
  Table<State, Event, object>,
  'name' | 'aggregate' | 'after'
> & {
  readonly naming: Naming | null;
};

/** The resource that a name identifies. */
export interface Named {
  readonly id: string;
  readonly name: string;
  /** Whether it is archived or inactive, so that no new reference to it is allowed. */
  readonly isArchived: boolean;
}

/**
 * Finds the organisation's resources with these names, ignoring case, in one query. The result is keyed by
 * {@link nameKey}; of several resources with a name, active ones come first, then the oldest. A name without
 * a resource is absent.
 */
export async function findByNames(
  executor: Executor,
  table: Pick<NamedTable<never, never>, 'name' | 'naming'>,
  organisationId: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, readonly Named[]>> {
  const found = new Map<string, Named[]>();
  if (names.length === 0) return found;
  const { column, isArchived } = namingOf(table);
  const { rows } = await executor.query<{ name_key: string; id: string; name: string; is_archived: boolean }>({
    name: `find-by-names-${table.name}`,
    text: `select name_key, id, ${column} as name, ${isArchived} as is_archived from ${table.name}
            where organisation_id = $1 and name_key = any($2::text[]) order by ${isArchived}, created_at, id`,
    values: [organisationId, [...new Set(names.map(nameKey))]],
  });
  for (const row of rows) {
    found.set(row.name_key, [
      ...(found.get(row.name_key) ?? []),
      { id: row.id, name: row.name, isArchived: row.is_archived },
    ]);
  }
  return found;
}

/** The resource of a name, and whether it was created now. */
export type FoundOrCreated = Named & { readonly created: boolean };

/** A name for which a resource must exist. */
export interface NamedCreation<Event> {
  readonly name: string;
  /** The decision that creates the resource if none has the name yet. */
  readonly create: () => Decision<Event>;
}

/** The number of ids that are tried for a name whose earlier resources were renamed. */
const ATTEMPTS = 100;

/**
 * Finds the resources with these names, and creates the missing ones; keyed by {@link nameKey}. Of several
 * with a name, it returns the first of {@link findByNames}; an archived one is returned, not created again.
 * The id of a new resource derives from the name, so the stream reserves the name: of concurrent processes,
 * the store lets only one create the stream, and the others find it. If the resource that was created for a
 * name has since been renamed, the next id in a fixed order is tried.
 */
export async function findOrCreate<State extends { readonly status: string }, Event extends DomainEvent>(
  services: CommandServices,
  context: CommandContext,
  table: NamedTable<State, Event>,
  requested: readonly NamedCreation<Event>[],
): Promise<ReadonlyMap<string, FoundOrCreated>> {
  const names = requested.map((one) => one.name);
  const known = await findByNames(services.executor, table, context.organisationId, names);
  const result = new Map<string, FoundOrCreated>();
  for (const one of requested) {
    const key = nameKey(one.name);
    if (result.has(key)) continue;
    const first = known.get(key)?.[0];
    const create = (): Promise<FoundOrCreated> =>
      commit(services, context, (within) => reserve(services, within, table, one));
    result.set(key, first === undefined ? await create() : { ...first, created: false });
  }
  return result;
}

/** The same for one name, in a unit of work that has locked the name's dependencies. */
export async function planFindOrCreate<State extends { readonly status: string }, Event extends DomainEvent>(
  services: CommandServices,
  context: UnitContext,
  table: NamedTable<State, Event>,
  requested: NamedCreation<Event>,
): Promise<Outcome<FoundOrCreated>> {
  const known = await findByNames(services.executor, table, context.organisationId, [requested.name]);
  const first = known.get(nameKey(requested.name))?.[0];
  return first === undefined ? reserve(services, context, table, requested) : () => ({ ...first, created: false });
}

async function reserve<State extends { readonly status: string }, Event extends DomainEvent>(
  services: CommandServices,
  context: UnitContext,
  table: NamedTable<State, Event>,
  requested: NamedCreation<Event>,
): Promise<Outcome<FoundOrCreated>> {
  const key = nameKey(requested.name);
  const { aggregate } = table;
  for (let ordinal = 0; ordinal < ATTEMPTS; ordinal += 1) {
    const id = services.mint.prefixed(aggregate.idKind!, context.organisationId, 'name', key, String(ordinal));
    const result = await execute(services, context, aggregate, id, {
      part: 'create',
      decide: (state) => (state.status === 'none' ? requested.create() : { events: [] }),
    });
    const named = (): FoundOrCreated => {
      const name = (table.after(result) as unknown as Readonly<Record<string, string>>)[namingOf(table).column]!;
      return { id, name, isArchived: result.state.status !== 'active', created: result.outcome !== 'unchanged' };
    };
    if (result.outcome === 'appended' || nameKey(named().name) === key) return named;
  }
  throw new Error(
    `the name ${normaliseName(requested.name)} was given to ${ATTEMPTS} resources that have been renamed since`,
  );
}

function namingOf({ name, naming }: Pick<NamedTable<never, never>, 'name' | 'naming'>): Naming {
  if (naming === null) throw new Error(`rows of ${name} have no names`);
  return naming;
}
