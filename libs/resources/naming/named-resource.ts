import type { CommandContext } from '#commands/command-context.js';
import type { Decision, DomainEvent } from '#kernel/decider.js';
import type { IdKind } from '#kernel/identifier.js';
import type { Executor } from '#projections/projection.js';
import { type CommandServices, runCommand } from '#commands/execute.js';
import { nameKey, tidyName } from './name-key.js';

/** A kind of resource that people know by its name, whatever its name is called (`name` or `label`). */
export interface NamedResource<State extends { readonly status: string }, Event extends DomainEvent> {
  readonly idKind: IdKind;
  readonly category: string;
  readonly table: string;
  readonly nameColumn: 'name' | 'label';
  /** SQL over the table: whether a row is archived, or not in use. */
  readonly isArchived: string;
  readonly initial: State;
  readonly evolve: (state: State, event: Event) => State;
  readonly nameOf: (state: Exclude<State, { readonly status: 'none' }>) => string;
}

/** What a name stands for. */
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
  resource: Pick<NamedResource<never, never>, 'table' | 'nameColumn' | 'isArchived'>,
  organisationId: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, readonly Named[]>> {
  const found = new Map<string, Named[]>();
  if (names.length === 0) return found;
  const { rows } = await executor.query<{ name_key: string; id: string; name: string; is_archived: boolean }>({
    name: `find-by-names-${resource.table}`,
    text: `select name_key, id, ${resource.nameColumn} as name, ${resource.isArchived} as is_archived from ${resource.table}
            where organisation_id = $1 and name_key = any($2::text[]) order by ${resource.isArchived}, created_at, id`,
    values: [organisationId, [...new Set(names.map(nameKey))]],
  });
  for (const { name_key: key, id, name, is_archived: isArchived } of rows) {
    found.set(key, [...(found.get(key) ?? []), { id, name, isArchived }]);
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
  resource: NamedResource<State, Event>,
  wanted: readonly Wanted<Event>[],
): Promise<ReadonlyMap<string, Named & { readonly created: boolean }>> {
  const names = wanted.map((one) => one.name);
  const known = await findByNames(services.executor, resource, context.organisationId, names);
  const answer = new Map<string, Named & { readonly created: boolean }>();
  for (const one of wanted) {
    const key = nameKey(one.name);
    if (answer.has(key)) continue;
    const first = known.get(key)?.[0];
    answer.set(key, first === undefined ? await reserve(services, context, resource, one) : { ...first, created: false });
  }
  return answer;
}

async function reserve<State extends { readonly status: string }, Event extends DomainEvent>(
  services: CommandServices,
  context: CommandContext,
  resource: NamedResource<State, Event>,
  wanted: Wanted<Event>,
): Promise<Named & { readonly created: boolean }> {
  const key = nameKey(wanted.name);
  for (let ordinal = 0; ordinal < ATTEMPTS; ordinal += 1) {
    const id = services.mint.prefixed(resource.idKind, context.organisationId, 'name', key, String(ordinal));
    const { state, outcome } = await runCommand(services, context, {
      stream: `${resource.category}-${context.organisationId}.${id}`,
      initial: resource.initial,
      evolve: resource.evolve,
      decide: (current) => (current.status === 'none' ? wanted.create() : { events: [] }),
      onConflict: 'decide_again',
      part: 'create',
    });
    const name = resource.nameOf(state as Exclude<State, { readonly status: 'none' }>);
    if (nameKey(name) === key) return { id, name, isArchived: state.status !== 'active', created: outcome !== 'unchanged' };
  }
  throw new Error(`the name ${tidyName(wanted.name)} was given to ${ATTEMPTS} resources that have other names now`);
}
