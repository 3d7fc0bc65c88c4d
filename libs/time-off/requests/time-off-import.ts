import { emailKey } from '#http/fields/email-address.js';
import type { CommandContext } from '#commands/command-context.js';
import { date } from '#http/fields.js';
import { invalid, RejectedError } from '#kernel/rejection.js';
import { readState } from '#commands/execute.js';
import type { CommandServices } from '#commands/services.js';
import type { Cells } from '#csv-import/cells.js';
import type { FileColumns } from '#csv-import/columns.js';
import type { CsvRow } from '#csv-import/csv-rows.js';
import type { ImportReport, RowOutcome } from '#csv-import/import-report.js';
import { type ChangedRow, importRows } from '#csv-import/import-rows.js';
import type { ImportSettings } from '#csv-import/import-settings.js';
import { nameKey } from '#kernel/names.js';
import { findPeople, PeopleFound, personNamedBy } from '#people/import/find-people.js';
import { PEOPLE_FILE } from '#people/import/import-columns.js';
import { type TimeOffCategoryRow, timeOffCategoryTable } from '../category/time-off-category.js';
import { DAY_PARTS, type DayPart } from '../records/day-count.rules.js';
import { requestTimeOff, stepOf, type SteppedRecord, type TimeOffStep } from './request-time-off.js';
import { isOpen, isSame, timeOffAggregate, type TimeOffRecord } from '../records/time-off.js';
import { TIME_OFF_STATUSES, type TimeOffStatus } from '#kernel/time-off-statuses.js';
import { type Dates, type NamedDates, completeDates } from '../records/time-off.rules.js';

const TIME_OFF_COLUMNS = [
  'staff_id',
  'work_email',
  'category',
  'start_date',
  'end_date',
  'start_day_part',
  'end_day_part',
  'status',
] as const;

/** A file of time off. */
export const TIME_OFF_FILE: FileColumns = {
  columns: TIME_OFF_COLUMNS,
  synonyms: {
    staff_id: PEOPLE_FILE.synonyms['staff_id']!,
    work_email: PEOPLE_FILE.synonyms['work_email']!,
    category: ['type', 'leave type', 'absence type', 'time off type', 'leave category', 'absence category'],
    start_date: ['start', 'from', 'from date', 'date from', 'first day', 'leave start'],
    end_date: ['end', 'to', 'to date', 'date to', 'until', 'last day', 'leave end'],
    start_day_part: ['start half', 'start half day', 'from part'],
    end_day_part: ['end half', 'end half day', 'to part'],
    status: ['state', 'approval status', 'request status'],
  },
  needed: [['staff_id', 'work_email'], ['category'], ['start_date'], ['end_date']],
};

const WORDS_OF_DAY_PARTS: Readonly<Record<string, DayPart>> = {
  am: 'morning',
  pm: 'afternoon',
  'full day': 'full',
  'all day': 'full',
};
const WORDS_OF_STATUSES: Readonly<Record<string, TimeOffStatus>> = {
  requested: 'pending',
  accepted: 'approved',
  declined: 'rejected',
  denied: 'rejected',
  canceled: 'cancelled',
};

/** A row of the file. */
interface TimeOffRow extends NamedDates {
  readonly staffId: string | undefined;
  readonly workEmail: string | undefined;
  /** A label or an id. */
  readonly category: string;
  readonly status: TimeOffStatus | undefined;
}

/** The references of the rows. */
interface References {
  readonly people: PeopleFound;
  readonly categories: readonly TimeOffCategoryRow[];
}

/**
 * Imports time off, one record per row, by the rules of the API: each is requested, then approved, rejected
 * or cancelled according to its status. A row with the same person, category and days as a record refers to
 * that record, so a repeated import is safe. A record whose status has since moved on from the row's stays
 * unchanged.
 */
export function importTimeOff(settings: ImportSettings, rows: AsyncIterable<CsvRow>): Promise<ImportReport> {
  let references: References = { people: new PeopleFound([]), categories: [] };
  return importRows<TimeOffRow>(settings, rows, {
    ...TIME_OFF_FILE,
    read: readRow,
    prepare: async (services, organisationId, all) => void (references = await lookUp(services, organisationId, all)),
    subjectOf: (row) => references.people.keyOf(row),
    record: (services, context, row) => record(services, context, row, references),
    columnOf: (field) => (field === 'category_id' ? 'category' : field === 'status_code' ? 'status' : field),
  });
}

function readRow(cells: Cells): TimeOffRow {
  const [staffId, workEmail] = [cells.identifier('staff_id'), cells.raw('work_email')];
  if (staffId === undefined && workEmail === undefined) cells.refuse('staff_id', 'staff_id or work_email is required');
  for (const column of ['category', 'start_date', 'end_date']) cells.require(column);
  return {
    staffId,
    workEmail,
    category: cells.raw('category') ?? '',
    start_date: cells.date('start_date', date) ?? '',
    end_date: cells.date('end_date', date) ?? '',
    start_day_part: cells.choice('start_day_part', DAY_PARTS, WORDS_OF_DAY_PARTS),
    end_day_part: cells.choice('end_day_part', DAY_PARTS, WORDS_OF_DAY_PARTS),
    status: cells.choice('status', TIME_OFF_STATUSES, WORDS_OF_STATUSES),
  };
}

async function lookUp(
  { executor }: CommandServices,
  organisationId: string,
  rows: readonly TimeOffRow[],
): Promise<References> {
  const staffIds = rows.flatMap(({ staffId }) => staffId ?? []);
  const emailKeys = rows.flatMap(({ workEmail }) =>
    workEmail === undefined || workEmail === null ? [] : emailKey(workEmail),
  );
  const people = await findPeople(executor, organisationId, { staffIds, emailKeys, ids: [] });
  return { people, categories: await timeOffCategoryTable.list(executor, organisationId) };
}

async function record(
  services: CommandServices,
  context: CommandContext,
  row: TimeOffRow,
  references: References,
): Promise<RowOutcome | ChangedRow> {
  const personId = personNamedBy(row, references.people);
  const category = categoryOf(row.category, references.categories);
  const dates = completeDates(row);
  const known = await findSame(services, context.organisationId, personId, { ...dates, category_id: category.id });
  if (known === null) {
    if (row.status === 'pending' && !category.requires_approval) {
      throw new RejectedError(invalid('status', 'cannot be pending: this category needs no approval'));
    }
    const made = await requestTimeOff(services, context, { ...dates, person_id: personId, category_id: category.id });
    await lead(services, context, made, made.status_code, row.status);
    return 'created';
  }
  const same = {
    id: known.id,
    person_id: personId,
    display_name: personId,
    category_id: category.id,
    category_label: category.label,
  };
  if (!(await lead(services, context, same, known.status, row.status))) return 'unchanged';
  const subject = row.workEmail ?? row.staffId!;
  return [{ subject, field: 'status', before: known.status, after: row.status!, effective_date: dates.start_date }];
}

const STEP_TO: { readonly [status in Exclude<TimeOffStatus, 'pending'>]: TimeOffStep } = {
  approved: 'approve',
  rejected: 'reject',
  cancelled: 'cancel',
};

/** Brings a record to the status of the row; false if it already has that status or a later one. */
async function lead(
  services: CommandServices,
  context: CommandContext,
  record: SteppedRecord,
  from: TimeOffStatus,
  to: TimeOffStatus | undefined,
): Promise<boolean> {
  const isThere = to === undefined || to === from || to === 'pending' || (to === 'approved' && from === 'cancelled');
  if (isThere) return false;
  await stepOf(services, { ...context, seed: [...context.seed, 'step'] }, record, STEP_TO[to]);
  return true;
}

/** The record of the person with the same category and days; of several, the open one, otherwise the last. */
async function findSame(
  services: CommandServices,
  organisationId: string,
  personId: string,
  requested: Dates & { readonly category_id: string },
): Promise<TimeOffRecord | null> {
  const { records } = await readState(services.store, timeOffAggregate, organisationId, personId);
  const same = [...records.values()].filter((candidate) => isSame(candidate, requested));
  return same.find(isOpen) ?? same.at(-1) ?? null;
}

/**
 * Finds a category by id, or by label ignoring case; an active category takes precedence over an archived one
 * with the same label.
 */
function categoryOf(reference: string, categories: readonly TimeOffCategoryRow[]): TimeOffCategoryRow {
  const key = nameKey(reference);
  const labelled = categories.filter(({ label }) => nameKey(label) === key);
  const found =
    categories.find(({ id }) => id === reference) ??
    labelled.find(({ is_active: isActive }) => isActive) ??
    labelled[0];
  if (found === undefined)
    throw new RejectedError(invalid('category', `there is no such time-off category: ${reference}`));
  return found;
}
