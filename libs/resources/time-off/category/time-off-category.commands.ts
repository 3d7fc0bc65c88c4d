import type { CommandContext } from '#commands/command-context.js';
import { execute } from '#commands/execute.js';
import type { CommandServices } from '#commands/services.js';
import { holdForRetirement } from '#commands/locks/references.js';
import { commit, type UnitContext } from '#commands/unit-of-work.js';
import type { Executor } from '#projections/projection.js';
import { nameKey } from '../../naming/name-key.js';
import { findByNames, type FoundOrCreated, type Named, planFindOrCreate } from '../../naming/named-resource.js';
import {
  decideTimeOffCategory,
  initialTimeOffCategory,
  NO_NAMESAKES,
  timeOffCategoryAggregate,
  type TimeOffCategoryCommand,
} from './time-off-category.decider.js';
import { FIRST_TIME_OFF_CATEGORIES, normaliseCategory, type TimeOffCategory, USUAL_TIME_OFF_CATEGORY } from './time-off-category.rules.js';
import { namesakesOf, type TimeOffCategoryRow, timeOffCategoryTable } from './time-off-category.table.js';

/** A new category; fields that are left out are as in {@link USUAL_TIME_OFF_CATEGORY}. */
export type WantedTimeOffCategory = Pick<TimeOffCategory, 'label'> & Partial<TimeOffCategory>;

/** The organisation's categories of these labels, see {@link findByNames}. */
export function findTimeOffCategoriesByLabels(
  executor: Executor,
  organisationId: string,
  labels: readonly string[],
): Promise<ReadonlyMap<string, readonly Named[]>> {
  return findByNames(executor, timeOffCategoryTable, organisationId, labels);
}

/** Returns the category with this label, and creates it where there is none; an existing one stays as it is. Throws `RejectedError`. */
export async function findOrCreateTimeOffCategory(
  services: CommandServices,
  context: CommandContext,
  wanted: WantedTimeOffCategory,
): Promise<FoundOrCreated> {
  const category = wholeCategory(wanted);
  return commit(services, context, async (within) => {
    await holdNames(within);
    const namesakes = await namesakesOf(services.executor, context.organisationId, '', { code: category.code });
    const create = () => decideTimeOffCategory({ type: 'create', category }, initialTimeOffCategory, namesakes);
    return planFindOrCreate(services, within, timeOffCategoryTable, { name: wanted.label, create });
  });
}

/**
 * Creates the missing ones of the categories that an organisation begins with; the result is keyed by `nameKey`. Throws `RejectedError`.
 */
export async function createFirstTimeOffCategories(
  services: CommandServices,
  context: CommandContext,
): Promise<ReadonlyMap<string, Named>> {
  const made = new Map<string, Named>();
  for (const wanted of FIRST_TIME_OFF_CATEGORIES)
    made.set(nameKey(wanted.label), await findOrCreateTimeOffCategory(services, context, wanted));
  return made;
}

/** Creates a category. Throws `RejectedError`: an invalid field, a label or a code that another active category has. */
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
  const tidied = command.type === 'change' ? { ...command, changes: normaliseCategory(command.changes) } : command;
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
  const { organisationId } = context;
  return commit(services, context, async (within) => {
    if (command.type === 'archive') {
      await holdForRetirement(services, within, { stream: timeOffCategoryAggregate.streamOf(organisationId, id) });
    }
    if (names !== null) await holdNames(within);
    const result = await execute(services, within, timeOffCategoryAggregate, id, {
      part: command.type,
      ifMatch,
      decide: async (state) =>
        decideTimeOffCategory(
          command,
          state,
          names === null ? NO_NAMESAKES : await namesakesOf(services.executor, organisationId, id, names),
        ),
    });
    return () => timeOffCategoryTable.after(result);
  });
}

/** The label and the code that the command sets; null where it sets neither. */
function namesGivenBy(command: TimeOffCategoryCommand): Pick<Partial<TimeOffCategory>, 'label' | 'code'> | null {
  const fields = command.type === 'create' ? command.category : command.type === 'change' ? command.changes : {};
  return fields.label === undefined && typeof fields.code !== 'string' ? null : fields;
}

/** Names are unique across streams, so commands that set them run one at a time within the organisation. */
function holdNames({ unit, organisationId }: UnitContext): Promise<void> {
  return unit.hold({ exclusive: [`time-off categories ${organisationId}`] });
}

function wholeCategory(wanted: WantedTimeOffCategory): TimeOffCategory {
  return { ...USUAL_TIME_OFF_CATEGORY, ...normaliseCategory(wanted) } as TimeOffCategory;
}
