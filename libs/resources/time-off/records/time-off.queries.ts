import type { Statement } from '#database/transaction.js';
import type { LocalDate } from '#kernel/dates.js';
import type { Executor } from '#projections/projection.js';
import { selectVersionsUnlessKept } from '../../listing/kept-pages.js';
import { firstRows, mostRowsFor } from '../../listing/kept-texts.js';
import { NAMES_VERSION } from '../../naming/reference-versions.js';
import { tagWithNames } from '../../naming/tag-with-names.js';
import type { CountedDay } from './day-count.rules.js';
import type { MissingReferences } from './missing-references.js';
import type { TimeOffStatus } from './time-off-status.rules.js';
import type { Dates } from './time-off.rules.js';

/** A row of `time_off` with the current names of its references. */
export interface TimeOffRow extends Dates {
  readonly id: string;
  readonly revision: number;
  readonly person_id: string;
  readonly display_name: string;
  readonly category_id: string;
  readonly category_label: string;
  readonly days: readonly CountedDay[];
  readonly total_minutes: number;
  readonly total_days: number;
  readonly status_code: TimeOffStatus;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A row with its place in the order of a list. */
export interface ListedTimeOff extends TimeOffRow {
  readonly time: Date | LocalDate;
  readonly horizon: Date | null;
  /** `TextVersion.row`. */
  readonly version: string;
  readonly names_version: number | null;
}

const COLUMNS = `t.id, t.revision, t.person_id, coalesce(p.display_name, t.person_id) as display_name, t.category_id,
  coalesce(c.label, t.category_id) as category_label, t.start_date, t.end_date, t.start_day_part, t.end_day_part, t.days, t.total_minutes,
  t.total_days, t.status_code, t.created_at, t.updated_at`;

const NAMES = `left join people p on p.organisation_id = t.organisation_id and p.person_id = t.person_id
  left join time_off_categories c on c.organisation_id = t.organisation_id and c.id = t.category_id`;

/** The record; null where this organisation has none with this id. */
export async function findTimeOff(executor: Executor, organisationId: string, timeOffId: string): Promise<TimeOffRow | null> {
  const { rows } = await executor.query<TimeOffRow>({
    name: 'find-time-off',
    text: `select ${COLUMNS} from time_off t ${NAMES} where t.organisation_id = $1 and t.id = $2`,
    values: [organisationId, timeOffId],
  });
  return rows[0] ?? null;
}

/** The filters of a list; a filter that is not given matches all records. */
export type TimeOffFilters = {
  /** Inclusive: records that touch the days from here on. */
  readonly from: LocalDate | null;
  /** Inclusive: records that touch the days up to here. */
  readonly to: LocalDate | null;
  readonly status: TimeOffStatus | null;
  readonly personId: string | null;
  readonly categoryId: string | null;
};

/** Where a page of records begins, and in which order it runs. */
export interface TimeOffPage {
  readonly organisationId: string;
  /** `dates` (first day, then id); `change` (with `since`: in the order of marks); `latest` (most recently updated first). */
  readonly order: keyof typeof ORDERS;
  readonly filters: TimeOffFilters;
  /** Inclusive, ISO 8601; null for no lower bound. */
  readonly since: string | null;
  /** Marks after this one are left for the next sync, so that a sync ends while writes go on; null for the first page. */
  readonly horizon: string | null;
  /** The last row of the page before: its time in this order, and its id. */
  readonly after: { readonly time: string; readonly id: string } | null;
  /** Rows to fetch. */
  readonly count: number;
}

const ORDERS = {
  dates: { column: 'start_date', comparison: '>', direction: 'asc' },
  change: { column: 'sync_mark', comparison: '>', direction: 'asc' },
  latest: { column: 'updated_at', comparison: '<', direction: 'desc' },
} as const;

/** A page of records, and the mark up to which a sync that starts now reads. */
export async function listTimeOff(executor: Executor, page: TimeOffPage): Promise<readonly ListedTimeOff[]> {
  const { order, horizon } = page;
  const { column, direction } = ORDERS[order];
  const values: unknown[] = [page.organisationId, page.count];
  const mark =
    order === 'change' && horizon === null
      ? `(select high_water from sync_marks where organisation_id = $1 and resource = 'time_off')`
      : 'null::timestamptz';
  const text = `select ${COLUMNS}, t.${column} as time, ${mark} as horizon, ${rowVersion('p.display_name')} as version, ${NAMES_VERSION} as names_version
    from (${rowsOf(page, values, ROW_COLUMNS)}) t ${NAMES} order by t.${column} ${direction}, t.id ${direction}`;
  const { rows } = await executor.query<ListedTimeOff>({ name: `list-time-off-${shapeOf(page)}`, text, values });
  return rows;
}

/** The statement of `KeptPages.find` for the rows that {@link listTimeOff} would return. The state that is known becomes its last value. */
export function versionsOfTimeOff(page: TimeOffPage): Statement {
  const { column } = ORDERS[page.order];
  const values: unknown[] = [page.organisationId, page.count];
  const name = '(select p.display_name from people p where p.organisation_id = $1 and p.person_id = t.person_id)';
  const rowsWithVersion = `select t.id, t.${column} as time, ${rowVersion(name)} as version
    from (${rowsOf(page, values, [column, ...VERSION_COLUMNS])}) t`;
  const text = selectVersionsUnlessKept(rowsWithVersion, ['time_off', 'people'], `$${values.length + 1}`);
  return { name: `versions-of-time-off-${shapeOf(page)}`, text, values };
}

/** Columns of `time_off` from which {@link COLUMNS} are selected. */
const ROW_COLUMNS = [
  'organisation_id',
  'id',
  'revision',
  'xmin',
  'person_id',
  'category_id',
  'start_date',
  'end_date',
  'start_day_part',
  'end_day_part',
  'days',
  'total_minutes',
  'total_days',
  'status_code',
  'created_at',
  'updated_at',
  'sync_mark',
];
const VERSION_COLUMNS = ['id', 'revision', 'xmin', 'person_id'];

/** `TextVersion.row` of a record; `name` is the expression of its person's name. Labels of categories are names of other resources. */
function rowVersion(name: string): string {
  return `t.written_by::text || '.' || t.revision || '.' || coalesce(${name}, t.person_id)`;
}

/** The rows of a page in its order, with these columns; `xmin` is called `written_by`. */
function rowsOf(page: TimeOffPage, values: unknown[], columns: readonly string[]): string {
  const { column, direction } = ORDERS[page.order];
  const order = (alias: string): string => `order by ${alias}.${column} ${direction}, ${alias}.id ${direction}`;
  const selected = columns.map((name) => (name === 'xmin' ? 't.xmin as written_by' : `t.${name}`)).join(', ');
  const { inFlight, others } = windowOf(page, values);
  const rowsWhere = (conditions: readonly string[]): string => `select ${selected} from time_off t where ${conditions.join(' and ')}`;
  const inOrder = `${rowsWhere([...conditionsOf(page, values), ...others])} ${order('t')}`;
  if (inFlight !== null) {
    const most = mostRowsFor(page.count);
    return firstRows(
      `with under_way as materialized (${rowsWhere([...conditionsOf(page, values), inFlight])})
      select * from ((${inOrder} limit ${most}) union all (select * from under_way)) u ${order('u')}`,
      most,
    );
  }
  return hasPlanForAnyValues(page) ? firstRows(inOrder, mostRowsFor(page.count)) : `${inOrder} limit $2`;
}

/**
 * Whether an index has the order of the list and no filter could leave so few of its rows that another one finds them faster. Else
 * PostgreSQL plans for the values: few records are pending, many are approved.
 */
function hasPlanForAnyValues({ order, filters }: TimeOffPage): boolean {
  return order === 'dates' || Object.values(filters).every((filter) => filter === null);
}

/**
 * The window in the order of dates, as two disjoint lists: records that begin in it, found by the index of the order, and records in
 * progress on its first day, found by the index of days. With a single condition over both, or one that the order's index could serve, the
 * database would read years of rows before the first match.
 */
function windowOf(page: TimeOffPage, values: unknown[]): { readonly inFlight: string | null; readonly others: readonly string[] } {
  const { from, to } = page.filters;
  const upTo = to === null ? [] : [`t.start_date <= $${values.push(to)}`];
  if (from === null || isPastFirstDay(page)) return { inFlight: null, others: upTo };
  const first = `$${values.push(from)}::date`;
  if (page.order !== 'dates') return { inFlight: null, others: [...upTo, `t.end_date >= ${first}`] };
  return { inFlight: `daterange(t.start_date, t.end_date, '[]') @> ${first}`, others: [...upTo, `t.start_date > ${first}`] };
}

/** Whether every row of a page begins after the first day of the window, because the page before ended there. */
function isPastFirstDay({ order, filters: { from }, after }: TimeOffPage): boolean {
  return order === 'dates' && from !== null && after !== null && after.time > from;
}

function conditionsOf({ order, filters, since, horizon, after }: TimeOffPage, values: unknown[]): readonly string[] {
  const { column, comparison } = ORDERS[order];
  const conditions = ['t.organisation_id = $1'];
  const add = (condition: (value: string) => string, value: unknown): void => {
    conditions.push(condition(`$${values.push(value)}`));
  };
  if (filters.status !== null) add((value) => `t.status_code = ${value}`, filters.status);
  if (filters.personId !== null) add((value) => `t.person_id = ${value}`, filters.personId);
  if (filters.categoryId !== null) add((value) => `t.category_id = ${value}`, filters.categoryId);
  if (since !== null) add((value) => `t.sync_mark >= ${value}`, since);
  if (horizon !== null) add((value) => `t.sync_mark <= ${value}`, horizon);
  if (after !== null) conditions.push(`(t.${column}, t.id) ${comparison} ($${values.push(after.time)}, $${values.push(after.id)})`);
  return conditions;
}

/** One prepared statement for each shape of a list. */
function shapeOf(page: TimeOffPage): string {
  const { order, filters, since, horizon, after } = page;
  const given = [filters.from, filters.to, filters.status, filters.personId, filters.categoryId, since, horizon, after];
  return `${order}-${given.map((value) => (value === null ? '0' : '1')).join('')}${isPastFirstDay(page) ? '-inside' : ''}-${mostRowsFor(page.count)}`;
}

/** The ids of the filters that the organisation does not have. */
export async function missingOfFilters(
  executor: Executor,
  organisationId: string,
  { personId, categoryId }: Pick<TimeOffFilters, 'personId' | 'categoryId'>,
): Promise<MissingReferences> {
  const { rows } = await executor.query<MissingReferences>({
    name: 'missing-of-time-off-filters',
    text: `select $2::text is not null and not exists (select from people where organisation_id = $1 and person_id = $2 and identity_revision is not null) as person,
      $3::text is not null and not exists (select from time_off_categories where organisation_id = $1 and id = $3) as category`,
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
