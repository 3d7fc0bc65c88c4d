import type { CommandContext } from '#commands/command-context.js';
import { assertMatches, type CommandResult } from '#commands/handle-command.js';
import { IdempotencyMismatchError } from '#commands/idempotency-errors.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import { type Preload, readRow } from '#commands/write-session.js';
import type { LocalDate } from '#kernel/dates.js';
import { type Decision, reject } from '#kernel/aggregate.js';
import { conflict, notFound, RejectedError, type Rejection } from '#kernel/rejection.js';
import { type HeldReferences, whileReferring } from '#commands/locks/references.js';
import type { CommandServices } from '#commands/execute.js';
import { refuseErased, requireNotErased, requirePersonKey } from '../../people/person/person-keys.js';
import { sealJson, withSealedFingerprint } from '../../people/person/person-seal.js';
import { timeOffCategoryAggregate } from '../category/time-off-category.decider.js';
import { type TimeOffCategoryRow, timeOffCategoryTable } from '../category/time-off-category.table.js';
import { type EmployedPerson, readEmploymentDays } from './employment-days.js';
import { settleTimeOff } from './ending.js';
import { missingRejection } from '../records/missing-references.js';
import { decisionContextOf, decisionContextStatement, type DecisionContext } from './decision-context.js';
import {
  changeRejection,
  decideTimeOff,
  type Entry,
  isSame,
  timeOffAggregate,
  type TimeOffCalendar,
  type TimeOffCommand,
  type TimeOffEvent,
} from '../records/time-off.decider.js';
import { findTimeOff, type TimeOffRow, timeOffTag } from '../records/time-off.queries.js';
import { changedDates, type Dates, datesRejection, type NamedDates, wholeDates } from '../records/time-off.rules.js';
import { countEntry, entryOf, recordTimeOff } from './time-off.writer.js';

/** The fields of a new record. */
export interface NewTimeOff extends NamedDates {
  readonly person_id: string;
  readonly category_id: string;
}

/** The fields that a change names; the rest stays. */
export type TimeOffChanges = Partial<NamedDates> & { readonly category_id?: string | undefined };

/** The steps that change the status of a record. */
export type TimeOffStep = 'approve' | 'reject' | 'cancel';

/** The record of a step, with the names for its response and its entity tag. */
export type SteppedRecord = Pick<TimeOffRow, 'id' | 'person_id' | 'display_name' | 'category_id' | 'category_label'>;

/** The preload of a request: {@link decisionContextStatement} and the calendar. */
export function requestPreload(
  organisationId: string,
  timeOffId: string,
  { person_id: personId, category_id: categoryId, start_date, end_date }: NewTimeOff,
): Preload {
  const [first, last] = [start_date, end_date].sort() as [LocalDate, LocalDate];
  const row = decisionContextStatement(organisationId, { timeOffId, personId, categoryId, dates: { start_date: first, end_date: last } });
  return { row, stream: timeOffAggregate.streamOf(organisationId, personId) };
}

/**
 * Records a request: pending, or approved where its category needs no approval. Throws {@link RejectedError}, and
 * {@link IdempotencyMismatchError} where the context's key recorded time off of another person.
 */
export async function requestTimeOff(services: CommandServices, context: CommandContext, wanted: NewTimeOff): Promise<TimeOffRow> {
  const { organisationId, today } = context;
  const dates = wholeDates(wanted);
  refuse(datesRejection(dates, today));
  const timeOffId = services.mint.prefixed('timeOff', organisationId, ...context.seed);
  const category = timeOffCategoryAggregate.streamOf(organisationId, wanted.category_id);
  const { decisionContext, result } = await whileReferring(services, context, [category], (held) =>
    appendRequest(services, held, wanted, dates, timeOffId),
  );
  const { person } = decisionContext;
  const settled = await settleTimeOff(services, context, { personId: wanted.person_id, ...person, isNew: result.outcome === 'appended' });
  const names = { personId: wanted.person_id, personName: person.displayName, categories: [decisionContext.category] };
  return asRow(settled ?? result, timeOffId, names);
}

/** The decision context of a request, with all references found. */
type CompleteDecisionContext = DecisionContext & { readonly person: EmployedPerson; readonly category: TimeOffCategoryRow };

async function appendRequest(
  services: CommandServices,
  held: HeldReferences,
  wanted: NewTimeOff,
  dates: Dates,
  timeOffId: string,
): Promise<{ readonly decisionContext: CompleteDecisionContext; readonly result: CommandResult<TimeOffCalendar> }> {
  const { context } = held;
  const statement = requestPreload(context.organisationId, timeOffId, wanted).row;
  // The preloaded row is valid where the category could not be archived since it was read.
  const row = await readRow(services.executor, context, statement, (since) => held.wereHeldAt(since));
  const read = decisionContextOf(row!);
  const { person, category, settings, seen, recordedFor } = read;
  if (person === null || category === null)
    throw new RejectedError(missingRejection({ person: person === null, category: category === null }));
  refuseErased({ work_email: person.workEmail });
  if (recordedFor !== null && recordedFor !== wanted.person_id) throw new IdempotencyMismatchError();
  const decide = (calendar: TimeOffCalendar): Decision<TimeOffEvent> => {
    const rejection = archivedRejection(category) ?? person.employment.rejection(dates);
    if (rejection !== null) return reject(rejection);
    const entry = entryOf(dates, { category, employment: person.employment }, settings);
    return decideTimeOff({ type: 'request', timeOffId, entry }, calendar);
  };
  const subject = { personId: wanted.person_id, usesUp: { timeOffId, category }, settings, seen };
  const result = await recordTimeOff(services, context, subject, decide);
  return { decisionContext: { ...read, person, category }, result };
}

/**
 * Changes a record's dates or category, and counts it again. The record becomes pending again unless its category needs no approval.
 * `ifMatch`: the entity tags that the caller expects. Throws {@link RejectedError}, and 412 where the record has another tag.
 */
export async function changeTimeOff(
  services: CommandServices,
  context: CommandContext,
  timeOffId: string,
  changes: TimeOffChanges,
  ifMatch: readonly string[] | null = null,
): Promise<TimeOffRow> {
  const { organisationId } = context;
  const row = await existingTimeOff(services, organisationId, timeOffId);
  const { person_id: personId } = row;
  let employmentRevision: number | null = null;
  const named = changes.category_id === undefined ? [] : [timeOffCategoryAggregate.streamOf(organisationId, changes.category_id)];
  const { category, result } = await whileReferring(services, context, named, async (held) => {
    const wanted = await timeOffCategoryTable.find(services.executor, organisationId, changes.category_id ?? row.category_id);
    if (wanted === null) throw new RejectedError(missingRejection({ person: false, category: true }));
    const recorded = await recordTimeOff(
      services,
      held.context,
      { personId, usesUp: { timeOffId, category: wanted } },
      async (calendar) => {
        const record = calendar.records.get(timeOffId);
        if (record !== undefined) assertMatches(ifMatch, timeOffTag({ ...row, revision: record.revision }));
        const rejection = changeRejection(record);
        if (rejection !== null) return reject(rejection);
        const dates = changedDates(record!, changes);
        if (isSame(record!, { ...dates, category_id: wanted.id })) return { events: [] };
        const counted = await countChanged(services, context, personId, dates, wanted, record!);
        if ('rejection' in counted) return reject(counted.rejection);
        ({ employmentRevision } = counted);
        return decideTimeOff({ type: 'change', timeOffId, entry: counted.entry }, calendar);
      },
    );
    return { category: wanted, result: recorded };
  });
  const settled =
    result.outcome === 'unchanged'
      ? null
      : await settleTimeOff(services, context, { personId, employmentRevision, isNew: result.outcome === 'appended' });
  const categories = [category, { id: row.category_id, label: row.category_label }];
  return asRow(settled ?? result, timeOffId, { personId, personName: row.display_name, categories });
}

/** Approves, rejects or cancels a record; `ifMatch` as with {@link changeTimeOff}. Throws {@link RejectedError}. */
export async function stepTimeOff(
  services: CommandServices,
  context: CommandContext,
  timeOffId: string,
  step: TimeOffStep,
  ifMatch: readonly string[] | null = null,
): Promise<TimeOffRow> {
  const row = await existingTimeOff(services, context.organisationId, timeOffId);
  return stepOf(services, context, row, step, ifMatch);
}

/** The same for a record that was just read or recorded. */
export async function stepOf(
  services: CommandServices,
  context: CommandContext,
  row: SteppedRecord,
  step: TimeOffStep,
  ifMatch: readonly string[] | null = null,
): Promise<TimeOffRow> {
  return asRecord(row, await recordStep(services, context, row, { type: step, timeOffId: row.id }, ifMatch));
}

/** A decision about a record, as a caller wants it. */
export interface WantedDecision {
  readonly step: 'approve' | 'reject';
  /** Stored encrypted with the person's key; null for none. */
  readonly note: string | null;
}

/**
 * Approves or rejects a record, with a note. Returns the record right after it, and the event of the decision; `ifMatch` as with {@link
 * changeTimeOff}. Throws {@link RejectedError}.
 */
export async function decideAbout(
  services: CommandServices,
  context: CommandContext,
  timeOffId: string,
  { step, note }: WantedDecision,
  ifMatch: readonly string[] | null,
): Promise<{ readonly row: TimeOffRow; readonly event: RecordedEvent }> {
  const { organisationId } = context;
  const row = await existingTimeOff(services, organisationId, timeOffId);
  const key = note === null ? null : await requirePersonKey(services.executor, organisationId, row.person_id);
  const sealed = key === null ? context : withSealedFingerprint(context, key);
  const sealedNote = key === null ? undefined : sealJson(note, key);
  const result = await recordStep(services, sealed, row, { type: step, timeOffId, sealedNote }, ifMatch);
  const event = result.events.findLast(({ data, type }) => data['time_off_id'] === timeOffId && type === EVENT_OF_STEP[step])!;
  return { row: asRecord(row, result), event };
}

const EVENT_OF_STEP = { approve: 'TimeOffApproved', reject: 'TimeOffRejected' } as const;

/** A command that decides about a record or ends it. */
type StepCommand = Extract<TimeOffCommand, { type: TimeOffStep }>;

async function recordStep(
  services: CommandServices,
  context: CommandContext,
  row: SteppedRecord,
  command: StepCommand,
  ifMatch: readonly string[] | null,
): Promise<CommandResult<TimeOffCalendar>> {
  const { person_id: personId } = row;
  // Only an approval uses up the category's limit; the other steps give minutes back.
  const category =
    command.type === 'approve' ? await timeOffCategoryTable.find(services.executor, context.organisationId, row.category_id) : null;
  const usesUp = category === null ? null : { timeOffId: row.id, category };
  return recordTimeOff(services, context, { personId, usesUp }, (calendar) => {
    const record = calendar.records.get(row.id);
    if (record !== undefined) assertMatches(ifMatch, timeOffTag({ ...row, revision: record.revision }));
    return decideTimeOff(command, calendar);
  });
}

function asRecord(row: SteppedRecord, result: CommandResult<TimeOffCalendar>): TimeOffRow {
  const categories = [{ id: row.category_id, label: row.category_label }];
  return asRow(result, row.id, { personId: row.person_id, personName: row.display_name, categories });
}

async function countChanged(
  services: CommandServices,
  { organisationId, today }: CommandContext,
  personId: string,
  dates: Dates,
  category: TimeOffCategoryRow,
  before: Pick<Entry, 'category_id'>,
): Promise<{ readonly entry: Entry; readonly employmentRevision: number | null } | { readonly rejection: Rejection }> {
  const problem = datesRejection(dates, today) ?? (category.id === before.category_id ? null : archivedRejection(category));
  if (problem !== null) return { rejection: problem };
  const person = await readEmploymentDays(services.executor, { organisationId, personId }, dates.start_date, dates.end_date);
  const { employment, employmentRevision } = person!;
  const rejection = employment.rejection(dates);
  return rejection !== null
    ? { rejection }
    : { entry: await countEntry(services, organisationId, dates, { category, employment }), employmentRevision };
}

async function existingTimeOff(services: CommandServices, organisationId: string, timeOffId: string): Promise<TimeOffRow> {
  const row = await findTimeOff(services.executor, organisationId, timeOffId);
  if (row === null) throw new RejectedError(notFound('time_off_id', 'there is no such time-off record'));
  await requireNotErased(services.executor, organisationId, row.person_id);
  return row;
}

/** The record right after a command, without later changes. */
function asRow(
  { state, events }: CommandResult<TimeOffCalendar>,
  timeOffId: string,
  names: {
    readonly personId: string;
    readonly personName: string;
    readonly categories: readonly { readonly id: string; readonly label: string }[];
  },
): TimeOffRow {
  const { status, is_standard: _, requires_approval: __, ...record } = state.records.get(timeOffId)!;
  const first = events.find((event) => event.data['time_off_id'] === timeOffId)!;
  return {
    ...record,
    status_code: status,
    person_id: names.personId,
    display_name: names.personName,
    category_label: names.categories.find(({ id }) => id === record.category_id)?.label ?? record.category_id,
    created_at: new Date(first.recordedAt),
    updated_at: new Date(events[record.revision]!.recordedAt),
  };
}

/** Refuses a category that takes no more records. */
export function archivedRejection(category: Pick<TimeOffCategoryRow, 'is_active'>): Rejection | null {
  return category.is_active ? null : conflict('category_id', 'this time-off category is archived');
}

/** Throws {@link RejectedError} for a rejection. */
export function refuse(rejection: Rejection | null): void {
  if (rejection !== null) throw new RejectedError(rejection);
}
