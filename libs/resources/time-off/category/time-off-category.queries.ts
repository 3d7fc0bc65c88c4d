import type { CreationPlace } from '#http/pages.js';
import type { Executor } from '#projections/projection.js';
import type { RuleVersion } from '#projections/rule-versions.js';
import { nameKey } from '../../naming/name-key.js';
import type { Namesakes } from './time-off-category.decider.js';
import type { TimeOffCategory, TimeOffCategoryRules } from './time-off-category.rules.js';

/** A row of `time_off_categories`. */
export interface TimeOffCategoryRow extends TimeOffCategory {
  readonly id: string;
  readonly revision: number;
  readonly is_active: boolean;
  /** What it was calculated from since when, oldest first, never empty; `versionOn` finds the one of a day. */
  readonly versions: readonly RuleVersion<TimeOffCategoryRules>[];
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Where a category is recorded. */
export function timeOffCategoryStream(organisationId: string, categoryId: string): string {
  return `time-off-category-${organisationId}.${categoryId}`;
}

/** The columns of a {@link TimeOffCategoryRow}. */
export const TIME_OFF_CATEGORY_COLUMNS = `id, revision, label, code, colour, is_standard, paid, requires_approval, unit, deducts_balance, counts_public_holidays,
  annual_allowance_minutes, negative_balance_minutes, is_active, versions, created_at, updated_at`;

/** All time-off categories of an organisation, the archived ones included, by label. */
export async function listTimeOffCategories(executor: Executor, organisationId: string): Promise<readonly TimeOffCategoryRow[]> {
  const { rows } = await executor.query<TimeOffCategoryRow>({
    name: 'list-time-off-categories',
    text: `select ${TIME_OFF_CATEGORY_COLUMNS} from time_off_categories where organisation_id = $1 order by name_key, is_active desc, id`,
    values: [organisationId],
  });
  return rows;
}

/** Categories in the order of their creation, the archived ones included. */
export async function pageOfTimeOffCategories(
  executor: Executor,
  organisationId: string,
  after: CreationPlace | null,
  count: number,
): Promise<readonly TimeOffCategoryRow[]> {
  const { rows } = await executor.query<TimeOffCategoryRow>({
    name: 'page-of-time-off-categories',
    text: `select ${TIME_OFF_CATEGORY_COLUMNS} from time_off_categories
      where organisation_id = $1 and (created_at, id) > (coalesce($2::timestamptz, '-infinity'), $3::text)
      order by created_at, id limit $4`,
    values: [organisationId, after?.createdAt ?? null, after?.id ?? '', count],
  });
  return rows;
}

/** The time-off category; null where this organisation has none of this id. */
export async function findTimeOffCategory(
  executor: Executor,
  organisationId: string,
  categoryId: string,
): Promise<TimeOffCategoryRow | null> {
  const { rows } = await executor.query<TimeOffCategoryRow>({
    name: 'find-time-off-category',
    text: `select ${TIME_OFF_CATEGORY_COLUMNS} from time_off_categories where organisation_id = $1 and id = $2`,
    values: [organisationId, categoryId],
  });
  return rows[0] ?? null;
}

/** Which of these names another active category has, without case. */
export async function namesakesOf(
  executor: Executor,
  organisationId: string,
  categoryId: string,
  named: { readonly label?: string; readonly code?: string | null },
): Promise<Namesakes> {
  const { rows } = await executor.query<{ has_label: boolean; has_code: boolean }>({
    name: 'namesakes-of-time-off-category',
    text: `select coalesce(bool_or(name_key = $3), false) as has_label, coalesce(bool_or(code_key = $4), false) as has_code
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

/** The entity tag of a time-off category. */
export function timeOffCategoryTag({ revision }: Pick<TimeOffCategoryRow, 'revision'>): string {
  return `r${revision}`;
}
