import type { CommandContext } from '#commands/command-context.js';
import { assertMatches } from '#commands/expectation.js';
import type { Executor } from '#projections/projection.js';
import { versionsOf } from '#projections/rule-versions.js';
import { whileRetiring } from '#commands/locks/references.js';
import { type CommandServices, runCommand } from '#commands/execute.js';
import { inTurn } from '#commands/locks/turns.js';
import { nameKey } from '../../naming/name-key.js';
import { findByNames, findOrCreate, type Named, type NamedResource } from '../../naming/named-resource.js';
import {
  decideTimeOffCategory,
  evolveTimeOffCategory,
  initialTimeOffCategory,
  NO_NAMESAKES,
  type TimeOffCategoryCommand,
  type TimeOffCategoryEvent,
  type TimeOffCategoryState,
} from './time-off-category.decider.js';
import { CATEGORY_RULES } from './time-off-category.projection.js';
import { namesakesOf, type TimeOffCategoryRow, timeOffCategoryStream, timeOffCategoryTag } from './time-off-category.queries.js';
import { FIRST_TIME_OFF_CATEGORIES, tidyCategory, type TimeOffCategory, USUAL_TIME_OFF_CATEGORY } from './time-off-category.rules.js';

const TIME_OFF_CATEGORIES: NamedResource<TimeOffCategoryState, TimeOffCategoryEvent> = {
  idKind: 'timeOffCategory',
  category: 'time-off-category',
  table: 'time_off_categories',
  nameColumn: 'label',
  isArchived: 'not is_active',
  initial: initialTimeOffCategory,
  evolve: evolveTimeOffCategory,
  nameOf: (state) => state.category.label,
};

/** A category to be: what it does not say is as in {@link USUAL_TIME_OFF_CATEGORY}. */
export type WantedTimeOffCategory = Pick<TimeOffCategory, 'label'> & Partial<TimeOffCategory>;

/** The organisation's categories of these labels, see {@link findByNames}. */
export function findTimeOffCategoriesByLabels(
  executor: Executor,
  organisationId: string,
  labels: readonly string[],
): Promise<ReadonlyMap<string, readonly Named[]>> {
  return findByNames(executor, TIME_OFF_CATEGORIES, organisationId, labels);
}

/** The category of this label, made where there is none; one that is there stays as it is. Throws `RejectedError`. */
export async function findOrCreateTimeOffCategory(
  services: CommandServices,
  context: CommandContext,
  wanted: WantedTimeOffCategory,
): Promise<Named & { readonly created: boolean }> {
  const category = wholeCategory(wanted);
  const found = await givingNames(services, context.organisationId, async () => {
    const namesakes = await namesakesOf(services.executor, context.organisationId, '', { code: category.code });
    const create = () => decideTimeOffCategory({ type: 'create', category }, initialTimeOffCategory, namesakes);
    return findOrCreate(services, context, TIME_OFF_CATEGORIES, [{ name: wanted.label, create }]);
  });
  return found.get(nameKey(wanted.label))!;
}

/** The categories that an organisation begins with, made where they are not there; by `nameKey`. Throws `RejectedError`. */
export async function createFirstTimeOffCategories(
  services: CommandServices,
  context: CommandContext,
): Promise<ReadonlyMap<string, Named>> {
  const made = new Map<string, Named>();
  for (const wanted of FIRST_TIME_OFF_CATEGORIES)
    made.set(nameKey(wanted.label), await findOrCreateTimeOffCategory(services, context, wanted));
  return made;
}

/** A new category. Throws `RejectedError`: a field that is not valid, a label or a code that another active one has. */
export function createTimeOffCategory(
  services: CommandServices,
  context: CommandContext,
  wanted: WantedTimeOffCategory,
): Promise<TimeOffCategoryRow> {
  const id = services.mint.prefixed('timeOffCategory', context.organisationId, ...context.seed);
  return record(services, context, id, { type: 'create', category: wholeCategory(wanted) }, null);
}

/**
 * Changes or archives a category; `ifMatch`: the entity tags that the caller expects. Throws `RejectedError`, and 412
 * where the category has another tag.
 */
export function commandTimeOffCategory(
  services: CommandServices,
  context: CommandContext,
  categoryId: string,
  command: Exclude<TimeOffCategoryCommand, { type: 'create' }>,
  ifMatch: readonly string[] | null = null,
): Promise<TimeOffCategoryRow> {
  if (command.type === 'archive') {
    const category = { stream: timeOffCategoryStream(context.organisationId, categoryId) };
    return whileRetiring(services, context, category, (alone) => record(services, alone, categoryId, command, ifMatch));
  }
  const tidied = command.type === 'change' ? { ...command, changes: tidyCategory(command.changes) } : command;
  return record(services, context, categoryId, tidied, ifMatch);
}

function record(
  services: CommandServices,
  context: CommandContext,
  id: string,
  command: TimeOffCategoryCommand,
  ifMatch: readonly string[] | null,
): Promise<TimeOffCategoryRow> {
  const names = namesGivenBy(command);
  const { executor } = services;
  const work = async (): Promise<TimeOffCategoryRow> => {
    const { state, events, revision } = await runCommand<TimeOffCategoryState, TimeOffCategoryEvent>(services, context, {
      stream: timeOffCategoryStream(context.organisationId, id),
      initial: initialTimeOffCategory,
      evolve: evolveTimeOffCategory,
      decide: async (current, at) => {
        if (at !== null) assertMatches(ifMatch, timeOffCategoryTag({ revision: at }));
        return decideTimeOffCategory(
          command,
          current,
          names === null ? NO_NAMESAKES : await namesakesOf(executor, context.organisationId, id, names),
        );
      },
      onConflict: ifMatch === null ? 'decide_again' : 'refuse',
      part: command.type,
    });
    if (state.status === 'none') throw new Error(`time-off category ${id} was recorded and is not there`);
    return {
      ...state.category,
      id,
      revision: revision!,
      is_active: state.status === 'active',
      versions: versionsOf(CATEGORY_RULES, events),
      created_at: new Date(events[0]!.recordedAt),
      updated_at: new Date(events.at(-1)!.recordedAt),
    };
  };
  return names === null ? work() : givingNames(services, context.organisationId, work);
}

/** The label and the code that the command gives; null where it gives neither. */
function namesGivenBy(command: TimeOffCategoryCommand): Pick<Partial<TimeOffCategory>, 'label' | 'code'> | null {
  const fields = command.type === 'create' ? command.category : command.type === 'change' ? command.changes : {};
  return fields.label === undefined && typeof fields.code !== 'string' ? null : fields;
}

/** Names are unique across streams, so those who give them take turns within the organisation. */
function givingNames<T>(services: CommandServices, organisationId: string, work: () => Promise<T>): Promise<T> {
  return inTurn(services.executor, `time-off categories ${organisationId}`, work);
}

function wholeCategory(wanted: WantedTimeOffCategory): TimeOffCategory {
  return { ...USUAL_TIME_OFF_CATEGORY, ...tidyCategory(wanted) } as TimeOffCategory;
}
