import type { Migration } from '#database/migrations.js';
import type { CreationCursor } from '#http/pages.js';
import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import { changesOf } from '#kernel/json.js';
import { nameKey } from '#kernel/names.js';
import { conflict, notFound, type Rejection } from '#kernel/rejection.js';
import { unreachable } from '#kernel/unreachable.js';
import type { Executor } from '#projections/projection.js';
import { noteChangesOfNames } from '#projections/reference-versions.js';
import { type RuleVersion, versionsOf } from '#projections/rule-versions.js';
import { defineTable, type Stored } from '#projections/table.js';
import {
  rulesOfCategory,
  TIME_OFF_CATEGORY,
  type TimeOffCategory,
  type TimeOffCategoryRules,
} from './time-off-category.rules.js';

// These names and fields are the storage format: add new ones, never rename or remove.
export type TimeOffCategoryEvent =
  | DomainEvent<'TimeOffCategoryCreated', TimeOffCategory>
  | DomainEvent<'TimeOffCategoryChanged', { changes: Partial<TimeOffCategory> }>
  | DomainEvent<'TimeOffCategoryArchived', Record<string, never>>;

export type TimeOffCategoryState =
  { readonly status: 'none' } | { readonly status: 'active' | 'archived'; readonly category: TimeOffCategory };

export const initialTimeOffCategory: TimeOffCategoryState = { status: 'none' };

/** The state with one more event. */
export function evolveTimeOffCategory(state: TimeOffCategoryState, event: TimeOffCategoryEvent): TimeOffCategoryState {
  if (event.type === 'TimeOffCategoryCreated') return { status: 'active', category: event.data };
  if (state.status === 'none') return state;
  switch (event.type) {
    case 'TimeOffCategoryChanged':
      return { ...state, category: { ...state.category, ...event.data.changes } };
    case 'TimeOffCategoryArchived':
      return { ...state, status: 'archived' };
    default:
      return unreachable(event);
  }
}

export type TimeOffCategoryCommand =
  | { readonly type: 'create'; readonly category: TimeOffCategory }
  | { readonly type: 'change'; readonly changes: Partial<TimeOffCategory> }
  | { readonly type: 'archive' };

/**
 * Whether another active category has the label or the code. Looked up under a lock, so that no other command
 * sets them at the same time.
 */
export interface Namesakes {
  readonly hasLabel: boolean;
  readonly hasCode: boolean;
}

export const NO_NAMESAKES: Namesakes = { hasLabel: false, hasCode: false };

/**
 * The events of a command, or the reason for its refusal. A command without a change records nothing;
 * archiving an archived category is refused.
 */
export function decideTimeOffCategory(
  command: TimeOffCategoryCommand,
  state: TimeOffCategoryState,
  namesakes: Namesakes = NO_NAMESAKES,
): Decision<TimeOffCategoryEvent> {
  if (command.type === 'create') {
    const rejection = TIME_OFF_CATEGORY.rejection(command.category);
    if (rejection !== null) return reject(rejection);
    if (state.status !== 'none') return reject(conflict('id', 'a time-off category with this id exists already'));
    const taken = nameRejection(command.category, namesakes);
    return taken === null ? accept({ type: 'TimeOffCategoryCreated', data: command.category }) : reject(taken);
  }
  if (state.status === 'none') return reject(notFound('category_id', 'there is no such time-off category'));
  if (state.status === 'archived') return reject(conflict('is_active', 'this time-off category is archived'));
  switch (command.type) {
    case 'change':
      return decideChange(command.changes, state.category, namesakes);
    case 'archive':
      return accept({ type: 'TimeOffCategoryArchived', data: {} });
    default:
      return unreachable(command);
  }
}

function decideChange(
  named: Partial<TimeOffCategory>,
  category: TimeOffCategory,
  namesakes: Namesakes,
): Decision<TimeOffCategoryEvent> {
  const rejection = TIME_OFF_CATEGORY.rejection(named);
  if (rejection !== null) return reject(rejection);
  const changes = changesOf(named, category);
  if (changes === null) return accept();
  const taken = nameRejection(changes, namesakes);
  return taken === null ? accept({ type: 'TimeOffCategoryChanged', data: { changes } }) : reject(taken);
}

/** Among the active ones, a label and a code identify one category; an archived one frees both. */
function nameRejection(named: Partial<TimeOffCategory>, { hasLabel, hasCode }: Namesakes): Rejection | null {
  if (named.label !== undefined && hasLabel)
    return conflict('label', 'another active time-off category has this label');
  if (typeof named.code === 'string' && hasCode)
    return conflict('code', 'another active time-off category has this code');
  return null;
}

export const timeOffCategoryAggregate = defineAggregate({
  category: 'time-off-category',
  idKind: 'timeOffCategory',
  initial: initialTimeOffCategory,
  evolve: evolveTimeOffCategory,
  publishedAs: {
    TimeOffCategoryCreated: ['time_off_category.created'],
    TimeOffCategoryChanged: ['time_off_category.updated'],
    TimeOffCategoryArchived: ['time_off_category.archived'],
  },
});

type Columns = TimeOffCategory & {
  readonly is_active: boolean;
  /**
   * Its rules over time, oldest first, never empty; `versionOn` finds the version in force on a day.
   */
  readonly versions: readonly RuleVersion<TimeOffCategoryRules>[];
};

/** A row of `time_off_categories`. */
export type TimeOffCategoryRow = Stored<Columns>;

/** The aggregate with the part of its state that is versioned: the rules. */
const RULES = {
  ...timeOffCategoryAggregate,
  rules: (state: TimeOffCategoryState) => (state.status === 'none' ? null : rulesOfCategory(state.category)),
};

/** Time-off categories, including archived ones. */
export const timeOffCategoryTable = defineTable<Columns>()(timeOffCategoryAggregate, {
  name: 'time_off_categories',
  columns: { ...TIME_OFF_CATEGORY.columns, is_active: 'value', versions: 'list' },
  row: ({ category, status }, stream) => ({
    ...category,
    is_active: status === 'active',
    versions: versionsOf(RULES, stream),
  }),
  lookUps: { name_key: ({ label }) => nameKey(label), code_key: ({ code }) => (code === null ? null : nameKey(code)) },
  naming: { column: 'label', isArchived: 'not is_active' },
  order: 'name_key, is_active desc, id',
});

/**
 * `versions`: the rules, each with the time since which it applies, see `libs/projections/rule-versions.ts`.
 */
export const TIME_OFF_CATEGORIES_SCHEMA = `
create table time_off_categories (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  revision bigint not null,
  label text not null,
  name_key text collate "C" not null,
  code text,
  code_key text collate "C",
  colour text,
  is_standard boolean not null,
  paid boolean not null,
  requires_approval boolean not null,
  unit text not null,
  deducts_balance boolean not null,
  counts_public_holidays boolean not null,
  annual_allowance_minutes integer,
  negative_balance_minutes integer,
  is_active boolean not null,
  versions jsonb not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organisation_id, id)
);
create index time_off_categories_by_label on time_off_categories (organisation_id, name_key);
create index time_off_categories_by_creation on time_off_categories (organisation_id, created_at, id);
`;

/**
 * Lists of time off contain labels of categories: a change of a label increases the version of the
 * organisation's names.
 */
export const CATEGORY_NAMES_MIGRATION: Migration = {
  version: 8,
  name: 'names of time-off categories',
  sql: noteChangesOfNames('time_off_categories', 'label'),
};

/** Categories in the order of their creation, including archived ones. */
export async function pageOfTimeOffCategories(
  executor: Executor,
  organisationId: string,
  after: CreationCursor | null,
  count: number,
): Promise<readonly TimeOffCategoryRow[]> {
  const { rows } = await executor.query<TimeOffCategoryRow>({
    name: 'page-of-time-off-categories',
    text: `select ${timeOffCategoryTable.selectList()} from time_off_categories
      where organisation_id = $1 and (created_at, id) > (coalesce($2::timestamptz, '-infinity'), $3::text)
      order by created_at, id limit $4`,
    values: [organisationId, after?.createdAt ?? null, after?.id ?? '', count],
  });
  return rows;
}

/** Returns which of these names another active category has, ignoring case. */
export async function namesakesOf(
  executor: Executor,
  organisationId: string,
  categoryId: string,
  named: { readonly label?: string; readonly code?: string | null },
): Promise<Namesakes> {
  const { rows } = await executor.query<{ has_label: boolean; has_code: boolean }>({
    name: 'namesakes-of-time-off-category',
    text: `select coalesce(bool_or(name_key = $3), false) as has_label, coalesce(bool_or(code_key = $4),
      false) as has_code
      from time_off_categories where organisation_id = $1 and id <> $2 and is_active`,
    values: [
      organisationId,
      categoryId,
      named.label === undefined ? null : nameKey(named.label),
      typeof named.code === 'string' ? nameKey(named.code) : null,
    ],
  });
  const { has_label: hasLabel, has_code: hasCode } = rows[0]!;
  return { hasLabel, hasCode };
}
