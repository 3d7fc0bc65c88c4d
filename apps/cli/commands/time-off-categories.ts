import { findByNames } from '#commands/named-resource.js';
import { nameKey } from '#kernel/names.js';
import { ChangeTimeOffCategory, CreateTimeOffCategory } from '#time-off/category/time-off-category.api.js';
import { TIME_OFF_CATEGORY, type TimeOffCategoryInput } from '#time-off/category/time-off-category.rules.js';
import { type TimeOffCategoryRow, timeOffCategoryTable } from '#time-off/category/time-off-category.js';
import { command } from '../command.js';
import { NotFoundError } from '../command-error.js';
import type { Context, Outcome, Parameter, Scope } from '../declaration.js';
import { optionsOf, optionsOfNew, valuesOf } from '../field-options.js';
import { argument, NO_OPTION_NAMED, ORGANISATION } from '../options.js';
import { listOf } from '../text-table.js';

const CATEGORY: Parameter<string> = {
  ...argument('id or label of the category'),
  read: (given) => (scope) => categoryIdOf(scope, given as string),
};

/** `workforce time-off-categories …`. */
export const commands = {
  list: command({
    description: 'list all categories, including archived ones',
    options: { organisation: ORGANISATION },
    run: async ({ organisation }, { pool }) => {
      const columns = {
        ID: 'id',
        LABEL: 'label',
        CODE: 'code',
        UNIT: 'unit',
        ALLOWANCE: ({ annual_allowance_minutes: minutes }: TimeOffCategoryRow) =>
          minutes === null ? 'none' : `${minutes} min`,
        STATUS: ({ is_active: isActive }: TimeOffCategoryRow) => (isActive ? 'active' : 'archived'),
      } as const;
      return listOf('categories', await timeOffCategoryTable.list(pool, organisation.id), columns, present);
    },
  }),
  create: command({
    description: 'create a category',
    options: { organisation: ORGANISATION, ...optionsOfNew(TIME_OFF_CATEGORY) },
    run: async (given, { send }) => {
      const category = valuesOf(TIME_OFF_CATEGORY, given) as TimeOffCategoryInput;
      return outcomeOf('Created', await send((context) => new CreateTimeOffCategory(context, category)));
    },
  }),
  update: command({
    description: 'change a category',
    arguments: { category: CATEGORY },
    options: { organisation: ORGANISATION, ...optionsOf(TIME_OFF_CATEGORY) },
    changes: NO_OPTION_NAMED,
    run: (given, context) =>
      change(context, 'Changed', given.category, { type: 'change', changes: valuesOf(TIME_OFF_CATEGORY, given) }),
  }),
  archive: command({
    description: 'archive a category permanently: no new record can use it',
    arguments: { category: CATEGORY },
    options: { organisation: ORGANISATION },
    run: ({ category }, context) => change(context, 'Archived', category, { type: 'archive' }),
  }),
};

async function change(
  { send }: Context,
  done: string,
  categoryId: string,
  requested: ChangeTimeOffCategory['change'],
): Promise<Outcome> {
  return outcomeOf(done, await send((context) => new ChangeTimeOffCategory(context, categoryId, requested, null)));
}

function outcomeOf(done: string, category: TimeOffCategoryRow): Outcome {
  return { json: present(category), text: `${done} ${category.label} (${category.id}).` };
}

function present({ created_at, updated_at, revision: _, versions: __, ...rest }: TimeOffCategoryRow): object {
  return { ...rest, created_at, updated_at };
}

/** The id of a category that is named by id or label. An active category with that label comes first. */
async function categoryIdOf({ pool, organisation }: Scope, idOrLabel: string): Promise<string> {
  if ((await timeOffCategoryTable.find(pool, organisation!.id, idOrLabel)) !== null) return idOrLabel;
  const found = await findByNames(pool, timeOffCategoryTable, organisation!.id, [idOrLabel]);
  const first = found.get(nameKey(idOrLabel))?.[0];
  if (first === undefined)
    throw new NotFoundError(
      `There is no time-off category ${idOrLabel}: workforce time-off-categories list shows all.`,
    );
  return first.id;
}
