import { allOf, prepared, raw, type Sql, sql } from '#database/sql.js';
import type { LocalDate } from '#kernel/dates.js';
import type { Executor } from '#projections/projection.js';
import { firstRows } from '#projections/first-rows.js';
import { tagWithNames } from '#commands/tag-with-names.js';
import type { DayMinutes } from './day-count.rules.js';
import type { MissingReferences } from './missing-references.js';
import type { TimeOffStatus } from '#kernel/time-off-statuses.js';
import type { Dates } from './time-off.rules.js';

/** A row of `time_off` with the current names of its references. */
export interface TimeOffRow extends Dates {
  readonly id: string;
  readonly revision: number;
  readonly person_id: string;
  readonly display_name: string;
  readonly category_id: string;
  readonly category_label: string;
  readonly days: readonly DayMinutes[];
  readonly total_minutes: number;
  readonly total_days: number;
  readonly status_code: TimeOffStatus;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A row with its position in the order of a list. */
export interface ListedTimeOff extends TimeOffRow {
  readonly time: Date | LocalDate;
  readonly horizon: Date | null;
}

const COLUMNS =
  raw(`t.id, t.revision, t.person_id, coalesce(p.display_name, t.person_id) as display_name, t.category_id,
  coalesce(c.label, t.category_id) as category_label, t.start_date, t.end_date, t.start_day_part, t.end_day_part,
  t.days, t.total_minutes, t.total_days, t.status_code, t.created_at, t.updated_at`);

const NAMES = raw(`left join people p on p.organisation_id = t.organisation_id and p.person_id = t.person_id
  left join time_off_categories c on c.organisation_id = t.organisation_id and c.id = t.category_id`);

/** The record; null if this organisation has none with this id. */
export async function findTimeOff(
  executor: Executor,
  organisationId: string,
  timeOffId: string,
): Promise<TimeOffRow | null> {
  const { rows } = await executor.query<TimeOffRow>(
    prepared(
      sql`select ${COLUMNS} from time_off t ${NAMES} where t.organisation_id = ${organisationId}
        and t.id = ${timeOffId}`,
    ),
  );
  return rows[0] ?? null;
}

/** The filters of a list; absent filters match all records. */
export type TimeOffFilters = {
  /** Inclusive: records that touch the days from this one on. */
  readonly from: LocalDate | null;
  /** Inclusive: records that touch the days up to this one. */
  readonly to: LocalDate | null;
  readonly status: TimeOffStatus | null;
  readonly personId: string | null;
  readonly categoryId: string | null;
};

/** The start of a page of records, and the order of the list. */
export interface TimeOffPage {
  readonly organisationId: string;
  /**
   * `dates` (first day, then id); `change` (with `since`: in the order of marks); `latest` (most recently
   * updated first).
   */
  readonly order: keyof typeof ORDERS;
  readonly filters: TimeOffFilters;
  /** Inclusive, ISO 8601; null for no lower bound. */
  readonly since: string | null;
  /**
   * Marks after this one are left for the next sync, so that a sync ends while writes continue; null for the
   * first page.
   */
  readonly horizon: string | null;
  /** The last row of the previous page: its time in this order, and its id. */
  readonly after: { readonly time: string; readonly id: string } | null;
  /** Rows to fetch. */
  readonly count: number;
}

const ORDERS = {
  dates: { column: sql`start_date`, isAfter: sql`>`, direction: sql`asc` },
  change: { column: sql`sync_mark`, isAfter: sql`>`, direction: sql`asc` },
  latest: { column: sql`updated_at`, isAfter: sql`<`, direction: sql`desc` },
} as const;

/** A page of records, and the mark up to which a sync that starts now reads. */
export async function listTimeOff(executor: Executor, page: TimeOffPage): Promise<readonly ListedTimeOff[]> {
  const { organisationId, order, horizon } = page;
  const mark =
    order === 'change' && horizon === null
      ? sql`(select high_water from sync_marks where organisation_id = ${organisationId} and resource = 'time_off')`
      : sql`null::timestamptz`;
  // Names are joined to the rows of the page alone.
  const query = sql`select ${COLUMNS}, t.${ORDERS[order].column} as time, ${mark} as horizon
    from (${rowsOf(page)}) t ${NAMES} ${inOrder(page, 't')}`;
  const { rows } = await executor.query<ListedTimeOff>(hasPlanForAnyValues(page) ? prepared(query) : query);
  return rows;
}

function inOrder({ order }: TimeOffPage, of: string): Sql {
  const { column, direction } = ORDERS[order];
  return sql`order by ${raw(of)}.${column} ${direction}, ${raw(of)}.id ${direction}`;
}

/** The rows of a page in its order. */
function rowsOf(page: TimeOffPage): Sql {
  const { inFlight, others } = windowOf(page);
  const conditions = conditionsOf(page);
  const rows = (more: readonly Sql[]): Sql => sql`select t.* from time_off t where ${allOf([...conditions, ...more])}`;
  const list = sql`${rows(others)} ${inOrder(page, 't')}`;
  if (inFlight === null) return firstRows(list, page.count);
  return firstRows(
    sql`with under_way as materialized (${rows([inFlight])})
      select * from ((${firstRows(list, page.count)}) union all (select * from under_way)) u ${inOrder(page, 'u')}`,
    page.count,
  );
}

/**
 * Whether an index has the order of the list and no filter could be so selective that another index is
 * faster. Otherwise PostgreSQL plans for the values: few records are pending, many are approved.
 */
function hasPlanForAnyValues({ order, filters }: TimeOffPage): boolean {
  return order === 'dates' || Object.values(filters).every((filter) => filter === null);
}

/**
 * The window in the order of dates, as two disjoint lists: records that begin in it, found by the index of
 * the order, and records in progress on its first day, found by the index of days. With a single condition
 * over both, or one that the order's index could serve, the database would read years of rows before the
 * first match.
 */
function windowOf(page: TimeOffPage): { readonly inFlight: Sql | null; readonly others: readonly Sql[] } {
  const { from, to } = page.filters;
  const upTo = to === null ? [] : [sql`t.start_date <= ${to}`];
  if (from === null || isPastFirstDay(page)) return { inFlight: null, others: upTo };
  const first = sql`${from}::date`;
  if (page.order !== 'dates') return { inFlight: null, others: [...upTo, sql`t.end_date >= ${first}`] };
  return {
    inFlight: sql`daterange(t.start_date, t.end_date, '[]') @> ${first}`,
    others: [...upTo, sql`t.start_date > ${first}`],
  };
}

/**
 * Whether every row of a page begins after the first day of the window, because the previous page ended
 * there.
 */
function isPastFirstDay({ order, filters: { from }, after }: TimeOffPage): boolean {
  return order === 'dates' && from !== null && after !== null && after.time > from;
}

function conditionsOf({ organisationId, order, filters, since, horizon, after }: TimeOffPage): readonly Sql[] {
  const { column, isAfter } = ORDERS[order];
  const conditions = [sql`t.organisation_id = ${organisationId}`];
  if (filters.status !== null) conditions.push(sql`t.status_code = ${filters.status}`);
  if (filters.personId !== null) conditions.push(sql`t.person_id = ${filters.personId}`);
  if (filters.categoryId !== null) conditions.push(sql`t.category_id = ${filters.categoryId}`);
  if (since !== null) conditions.push(sql`t.sync_mark >= ${since}`);
  if (horizon !== null) conditions.push(sql`t.sync_mark <= ${horizon}`);
  if (after !== null) conditions.push(sql`(t.${column}, t.id) ${isAfter} (${after.time}, ${after.id})`);
  return conditions;
}

/** The ids of the filters that the organisation does not have. */
export async function missingOfFilters(
  executor: Executor,
  organisationId: string,
  { personId, categoryId }: Pick<TimeOffFilters, 'personId' | 'categoryId'>,
): Promise<MissingReferences> {
  const { rows } = await executor.query<MissingReferences>({
    name: 'missing-of-time-off-filters',
    text: `select $2::text is not null and not exists (select from people
      where organisation_id = $1 and person_id = $2 and identity_revision is not null) as person,
      $3::text is not null and not exists (select from time_off_categories
      where organisation_id = $1 and id = $3) as category`,
    values: [organisationId, personId, categoryId],
  });
  return rows[0]!;
}

/** The entity tag of a record: its revision, and the names of its person and its category. */
export function timeOffTag({
  revision,
  display_name,
  category_label,
}: Pick<TimeOffRow, 'revision' | 'display_name' | 'category_label'>): string {
  return tagWithNames(`r${revision}`, JSON.stringify([display_name, category_label]));
}
