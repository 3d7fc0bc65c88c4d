import type { CommandContext } from '#commands/command-context.js';
import { type CommandServices, execute } from '#commands/execute.js';
import type { Decision, DomainEvent } from '#kernel/aggregate.js';
import type { Executor } from '#projections/projection.js';
import type { Naming, Table } from '#projections/table.js';
import { nameKey, normaliseName } from './name-key.js';

/** The table of a kind of resource that people know by its name, whatever its name is called (`name` or `label`). */
export type NamedTable<State, Event extends DomainEvent> = Pick<Table<State, Event, object>, 'name' | 'aggregate' | 'after'> & {
  readonly naming: Naming | null;
};

/** The thing that a name identifies. */
export interface Named {
  readonly id: string;
  readonly name: string;
  /** Archived or not in use: nothing new may refer to it. */
  readonly isArchived: boolean;
}

/**
 * What this organisation calls by these names, without case, in one round trip: by {@link nameKey}; those in use first,
 * then the oldest first. A name that nothing has is not in the answer.
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
    found.set(row.name_key, [...(found.get(row.name_key) ?? []), { id: row.id, name: row.name, isArchived: row.is_archived }]);
  }
  return found;
}

/** A name that something has to have. */
export interface Wanted<Event> {
  readonly name: string;
  /** What is recorded where nothing has the name yet. */
  readonly create: () => Decision<Event>;
}

/** How often names may have moved on to other things before one is given up. */
const ATTEMPTS = 100;

/**
 * What has these names, made where nothing has; by {@link nameKey}. Of several that have a name, the first of
 * {@link findByNames}; one that is archived is answered, not made again.
 *
 * The id of what is made derives from the name, so that the stream is the reservation: however many processes race, the
 * store lets one of them begin it, and the others find it. Where what was once made for this name is called otherwise
 * today, the next id in a fixed order is tried.
 */
export async function findOrCreate<State extends { readonly status: string }, Event extends DomainEvent>(
  services: CommandServices,
  context: CommandContext,
  table: NamedTable<State, Event>,
  wanted: readonly Wanted<Event>[],
): Promise<ReadonlyMap<string, Named & { readonly created: boolean }>> {
  const names = wanted.map((one) => one.name);
  const known = await findByNames(services.executor, table, context.organisationId, names);
  const answer = new Map<string, Named & { readonly created: boolean }>();
  for (const one of wanted) {
    const key = nameKey(one.name);
    if (answer.has(key)) continue;
    const first = known.get(key)?.[0];
    answer.set(key, first === undefined ? await reserve(services, context, table, one) : { ...first, created: false });
  }
  return answer;
}

async function reserve<State extends { readonly status: string }, Event extends DomainEvent>(
  services: CommandServices,
  context: CommandContext,
  table: NamedTable<State, Event>,
  wanted: Wanted<Event>,
): Promise<Named & { readonly created: boolean }> {
  const key = nameKey(wanted.name);
  const { aggregate } = table;
  for (let ordinal = 0; ordinal < ATTEMPTS; ordinal += 1) {
    const id = services.mint.prefixed(aggregate.idKind!, context.organisationId, 'name', key, String(ordinal));
    const result = await execute(services, context, aggregate, id, {
      part: 'create',
      decide: (state) => (state.status === 'none' ? wanted.create() : { events: [] }),
    });
    const name = (table.after(result) as unknown as Readonly<Record<string, string>>)[namingOf(table).column]!;
    if (nameKey(name) === key) return { id, name, isArchived: result.state.status !== 'active', created: result.outcome !== 'unchanged' };
  }
  throw new Error(`the name ${normaliseName(wanted.name)} was given to ${ATTEMPTS} resources that have other names now`);
}

function namingOf({ name, naming }: Pick<NamedTable<never, never>, 'name' | 'naming'>): Naming {
  if (naming === null) throw new Error(`rows of ${name} have no names`);
  return naming;
}
