import { RECORDED_AT } from '#commands/batches/batch-recorder.js';
import type { StreamEnd } from '#commands/batches/write-lookups.js';
import type { CommandContext } from '#commands/command-context.js';
import type { CommandServices } from '#commands/execute.js';
import { toNewEvents } from '#commands/handle-command.js';
import type { Condition } from '#event-store/event-store.js';
import { RejectedError, type Rejection } from '#kernel/rejection.js';
import { employmentAggregate } from '../../people/employment/employment.decider.js';
import { refuseErased } from '../../people/person/person-keys.js';
import { presentMoment } from '../balances/balance.queries.js';
import { overdraftRejection } from '../balances/balance-rejection.js';
import { ledgerAggregate } from '../balances/ledger.decider.js';
import { timeOffCategoryAggregate } from '../category/time-off-category.decider.js';
import type { TimeOffCategoryRow } from '../category/time-off-category.table.js';
import { balanceLock } from '../records/balance-lock.js';
import { decideNewRequest, evolveCalendar, timeOffAggregate, type TimeOffEvent, type TimeOffRecord } from '../records/time-off.decider.js';
import { newTimeOffRow } from '../records/time-off.projection.js';
import type { TimeOffRow } from '../records/time-off.queries.js';
import { type Dates, datesRejection, wholeDates } from '../records/time-off.rules.js';
import { type DecisionContext, decisionContextOf } from './decision-context.js';
import type { EmployedPerson } from './employment-days.js';
import { archivedRejection, type NewTimeOff, refuse, requestPreload } from './time-off.commands.js';
import { entryOf } from './time-off.writer.js';

/** A new record as the answer shows it: the time of recording is {@link RECORDED_AT}. */
export type RequestedTimeOff = Omit<TimeOffRow, 'created_at' | 'updated_at'> & { readonly created_at: string; readonly updated_at: string };

/** Everything that a request refers to, with an employment. */
type CompleteContext = DecisionContext & {
  readonly person: EmployedPerson & { readonly employmentRevision: number };
  readonly category: TimeOffCategoryRow;
};

/**
 * Decides a request on the rows of the calendar and has the session record it: event, row and receipt, all or nothing. Null where it has to be
 * done step by step: where something is missing, an attempt has recorded it, or the rows do not show the whole calendar.
 *
 * What it was decided on has to stand until it is recorded: the employment, the category and, under a limit, the ledger are at the revisions
 * that were read, and nobody holds the lock of the balance. So an end of the employment or an adjustment is either recorded before the
 * request, which is then overtaken, or it finds the request in the calendar.
 *
 * Throws {@link RejectedError}.
 */
export function requestAtOnce(services: CommandServices, context: CommandContext, wanted: NewTimeOff): RequestedTimeOff | null {
  const { organisationId, today, session } = context;
  const { person_id: personId } = wanted;
  const stream = timeOffAggregate.streamOf(organisationId, personId);
  const end = session?.endOf(stream) ?? null;
  const dates = wholeDates(wanted);
  if (session === undefined || end === null || datesRejection(dates, today) !== null) return null;
  const timeOffId = services.mint.prefixed('timeOff', organisationId, ...context.seed);
  const { name } = requestPreload(organisationId, timeOffId, wanted).row;
  const read = completeContext(session.preloadedRow(name, () => true)?.row, lengthOf(end));
  if (read === null) return null;
  const { events, record } = decide(read, { timeOffId, dates, length: lengthOf(end) });
  const [rows] = services.projector.writesOfRows('time-off', {
    time_off: [newTimeOffRow({ organisationId, personId }, record, RECORDED_AT)],
  });
  const previousHash = end === 'none' ? null : end.hash;
  const append = {
    stream,
    expected: end === 'none' ? end : end.revision,
    events: toNewEvents(context, stream, events, { previousHash }),
  } as const;
  session.recordLater({
    appends: [append],
    conditions: conditionsOf(organisationId, personId, read),
    rows: rows!,
    beforeAppend: context.beforeAppend,
  });
  return shownAs(record, { personId, ...read });
}

/** The context where a request can be decided on it: complete, of a new record, and with rows that show all events of the calendar. */
function completeContext(row: object | undefined, length: number): CompleteContext | null {
  if (row === undefined) return null;
  const read = decisionContextOf(row);
  const { person, category, recordedFor, shown } = read;
  if (person === null || category === null || recordedFor !== null || shown !== length) return null;
  return person.employmentRevision === null ? null : (read as CompleteContext);
}

function decide(
  read: CompleteContext,
  { timeOffId, dates, length }: { readonly timeOffId: string; readonly dates: Dates; readonly length: number },
): { readonly events: readonly TimeOffEvent[]; readonly record: TimeOffRecord } {
  const { person, category, settings, standing } = read;
  refuseErased({ work_email: person.workEmail });
  refuse(archivedRejection(category) ?? person.employment.rejection(dates));
  const decision = decideNewRequest(timeOffId, entryOf(dates, { category, employment: person.employment }, settings), standing);
  if ('rejection' in decision) throw new RejectedError(decision.rejection);
  const { events } = decision;
  const record = events.reduce(evolveCalendar, { records: new Map<string, TimeOffRecord>(), length }).records.get(timeOffId)!;
  refuse(overdraft(read, record));
  return { events, record };
}

function overdraft({ limitSources: sources, settings, category }: CompleteContext, record: TimeOffRecord): Rejection | null {
  if (sources === null) return null;
  return overdraftRejection({ sources, settings, category, after: [...sources.records, presentMoment(record)], record });
}

function conditionsOf(organisationId: string, personId: string, { person, category, limitSources }: CompleteContext): readonly Condition[] {
  const referred: readonly Condition[] = [
    { stream: employmentAggregate.streamOf(organisationId, personId), expected: person.employmentRevision },
    { stream: timeOffCategoryAggregate.streamOf(organisationId, category.id), expected: Number(category.revision) },
  ];
  if (limitSources === null) return referred;
  const { ledger_length: length } = limitSources;
  return [
    ...referred,
    { stream: ledgerAggregate.streamOf(organisationId, personId), expected: length === 0 ? 'none' : length - 1 },
    { stream: balanceLock(organisationId, personId), expected: 'none' },
  ];
}

function lengthOf(end: StreamEnd | 'none'): number {
  return end === 'none' ? 0 : end.revision + 1;
}

function shownAs(
  { status, is_standard: _, requires_approval: __, ...record }: TimeOffRecord,
  { personId, person, category }: { readonly personId: string } & CompleteContext,
): RequestedTimeOff {
  return {
    ...record,
    status_code: status,
    person_id: personId,
    display_name: person.displayName,
    category_label: category.label,
    created_at: RECORDED_AT,
    updated_at: RECORDED_AT,
  };
}
