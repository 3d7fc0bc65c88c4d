import { ChangeTimeOffCategory, CreateTimeOffCategory } from '#time-off/category/time-off-category.api.js';
import { TIME_OFF_CATEGORY, type TimeOffCategoryInput } from '#time-off/category/time-off-category.rules.js';
import { type TimeOffCategoryRow, timeOffCategoryTable } from '#time-off/category/time-off-category.js';
import { namedOf, type NamedKind } from '../find-named.js';
import { lookedUp, NO_OPTION_NAMED, required } from '../options.js';
import { optionsOf, resourceCommands } from '../resource-commands.js';

const CATEGORIES: NamedKind<TimeOffCategoryRow> = {
  noun: ['time-off category', 'time-off categories'],
  list: 'time-off-categories list',
  rows: (...of) => timeOffCategoryTable.list(...of),
  namesOf: ({ label }) => [label],
};

const { list, create, update, step } = resourceCommands<TimeOffCategoryRow>({
  argument: { category: required(lookedUp('', 'id or label of the category', namedOf(CATEGORIES))) },
  options: optionsOf(TIME_OFF_CATEGORY),
  nothing: NO_OPTION_NAMED,
  member: 'categories',
  columns: {
    ID: 'id',
    LABEL: 'label',
    CODE: 'code',
    UNIT: 'unit',
    ALLOWANCE: ({ annual_allowance_minutes: minutes }) => (minutes === null ? 'none' : `${minutes} min`),
    STATUS: ({ is_active: isActive }) => (isActive ? 'active' : 'archived'),
  },
  present: ({ revision: _, versions: __, ...rest }) => rest,
});

/** `workforce time-off-categories …`. */
export const commands = {
  list: list('list all categories, including archived ones', CATEGORIES.rows),
  create: create(
    'create a category',
    (context, category: TimeOffCategoryInput) => new CreateTimeOffCategory(context, category),
  ),
  update: update(
    'change a category',
    (context, id, changes: Partial<TimeOffCategoryInput>) =>
      new ChangeTimeOffCategory(context, id, { type: 'change', changes }, null),
  ),
  archive: step(
    'archive a category permanently: no new record can use it',
    'Archived',
    (context, id) => new ChangeTimeOffCategory(context, id, { type: 'archive' }, null),
  ),
};
