import type { TimeOffStatus } from '#kernel/time-off-statuses.js';
import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import { conflict, invalid, notFound, type Rejection } from '#kernel/rejection.js';
import { unreachable } from '#kernel/unreachable.js';
import type { DayMinutes } from './day-count.rules.js';
import { clash, type Dates } from './time-off.rules.js';

/** The content of a record, with its days and the rules of its category as they were when it was counted. */
export type Entry = Dates & {
  readonly category_id: string;
  /** Whether the rule about overlaps applies to it. */
  readonly is_standard: boolean;
  readonly requires_approval: boolean;
  readonly days: readonly DayMinutes[];
  readonly total_minutes: number;
  readonly total_days: number;
};

/** The status of a record that was requested or changed. */
type OpenStatus = 'pending' | 'approved';

/** The reason for which time off on days without employment is removed. */
export type NotEmployed = 'employment_ended' | 'employment_starts_later';

// These names and fields are the storage format: add new ones, never rename or remove.
export type TimeOffEvent =
  | DomainEvent<'TimeOffRequested', { time_off_id: string; status: OpenStatus; entry: Entry }>
  | DomainEvent<'TimeOffChanged', { time_off_id: string; status: OpenStatus; entry: Entry }>
  | DomainEvent<'TimeOffApproved', { time_off_id: string; sealed_note?: string }>
  | DomainEvent<'TimeOffRejected', { time_off_id: string; sealed_note?: string }>
  | DomainEvent<'TimeOffCancelled', { time_off_id: string; because: 'requested' | NotEmployed }>
  | DomainEvent<'TimeOffCut', { time_off_id: string; entry: Entry }>;

/** The current state of a record. */
export type TimeOffRecord = Entry & {
  readonly id: string;
  readonly status: TimeOffStatus;
  /** The revision of the last event about it. */
  readonly revision: number;
};

/** One person's time off: every record by its id, in the order of creation. */
export interface TimeOffCalendar {
  readonly records: ReadonlyMap<string, TimeOffRecord>;
  /** The number of events, which is the revision of the next one. */
  readonly length: number;
}

export const initialCalendar: TimeOffCalendar = { records: new Map(), length: 0 };

/** The calendar with one more event; every event concerns one record. */
export function evolveCalendar(calendar: TimeOffCalendar, event: TimeOffEvent): TimeOffCalendar {
  const before = calendar.records.get(event.data.time_off_id);
  const record = { ...evolveRecord(before, event), id: event.data.time_off_id, revision: calendar.length };
  return { records: new Map(calendar.records).set(record.id, record), length: calendar.length + 1 };
}

function evolveRecord(
  before: TimeOffRecord | undefined,
  event: TimeOffEvent,
): Entry & { readonly status: TimeOffStatus } {
  switch (event.type) {
    case 'TimeOffRequested':
    case 'TimeOffChanged':
      return { ...event.data.entry, status: event.data.status };
    case 'TimeOffCut':
      return { ...event.data.entry, status: before!.status };
    case 'TimeOffApproved':
      return { ...before!, status: 'approved' };
    case 'TimeOffRejected':
      return { ...before!, status: 'rejected' };
    case 'TimeOffCancelled':
      return { ...before!, status: 'cancelled' };
    default:
      return unreachable(event);
  }
}

/**
 * The part of a record that remains when the employment ends or begins inside it; `entry` is null if no
 * counted day remains.
 */
export interface Cut {
  readonly timeOffId: string;
  readonly entry: Entry | null;
  readonly because: NotEmployed;
}

export type TimeOffCommand =
  | { readonly type: 'request' | 'change'; readonly timeOffId: string; readonly entry: Entry }
  | { readonly type: 'approve' | 'reject'; readonly timeOffId: string; readonly sealedNote?: string | undefined }
  | { readonly type: 'cancel' | 'withdraw'; readonly timeOffId: string }
  | { readonly type: 'cut'; readonly cuts: readonly Cut[] };

/**
 * The events of a command, or the reason for its refusal. A change without an effect records nothing, nor
 * does a repeated cut.
 */
export function decideTimeOff(command: TimeOffCommand, calendar: TimeOffCalendar): Decision<TimeOffEvent> {
  switch (command.type) {
    case 'request':
      return decideRequest(command.timeOffId, command.entry, calendar);
    case 'change':
      return decideChange(command.timeOffId, command.entry, calendar);
    case 'approve':
    case 'reject':
      return decideStep(command.type, calendar.records.get(command.timeOffId), command.sealedNote);
    case 'cancel':
    case 'withdraw':
      return decideStep(command.type, calendar.records.get(command.timeOffId));
    case 'cut':
      return accept(...command.cuts.flatMap((cut) => cutRecord(cut, calendar.records.get(cut.timeOffId))));
    default:
      return unreachable(command);
  }
}

/** Whether the record occupies its days, so that it may still be changed, approved or cancelled. */
export function isOpen(record: Pick<TimeOffRecord, 'status'>): boolean {
  return record.status === 'pending' || record.status === 'approved';
}

/** Refuses to change a missing, rejected or cancelled record. */
export function changeRejection(record: TimeOffRecord | undefined): Rejection | null {
  if (record === undefined) return noSuchRecord();
  return isOpen(record) ? null : conflict('status_code', `this time off is ${record.status}, which is final`);
}

/** Whether a change would leave the record unchanged. */
export function isSame(record: TimeOffRecord, requested: Dates & Pick<Entry, 'category_id'>): boolean {
  const names = ['category_id', 'start_date', 'end_date', 'start_day_part', 'end_day_part'] as const;
  return names.every((name) => record[name] === requested[name]);
}

function decideRequest(timeOffId: string, entry: Entry, calendar: TimeOffCalendar): Decision<TimeOffEvent> {
  if (calendar.records.has(timeOffId)) return reject(conflict('id', 'a time-off record with this id exists already'));
  const rejection = entryRejection(entry, standingBeside(timeOffId, calendar));
  if (rejection !== null) return reject(rejection);
  return accept({ type: 'TimeOffRequested', data: { time_off_id: timeOffId, status: statusOf(entry), entry } });
}

function decideChange(timeOffId: string, entry: Entry, calendar: TimeOffCalendar): Decision<TimeOffEvent> {
  const record = calendar.records.get(timeOffId);
  const rejection = changeRejection(record);
  if (rejection !== null) return reject(rejection);
  if (isSame(record!, entry)) return accept();
  const problem = entryRejection(entry, standingBeside(timeOffId, calendar));
  if (problem !== null) return reject(problem);
  return accept({ type: 'TimeOffChanged', data: { time_off_id: timeOffId, status: statusOf(entry), entry } });
}

/** The target status of each step, and the statuses from which it is allowed. */
const STEPS = {
  approve: { event: 'TimeOffApproved', from: ['pending'] },
  reject: { event: 'TimeOffRejected', from: ['pending'] },
  cancel: { event: 'TimeOffCancelled', from: ['pending', 'approved'] },
  withdraw: { event: 'TimeOffCancelled', from: ['pending'] },
} as const;

function decideStep(
  step: keyof typeof STEPS,
  record: TimeOffRecord | undefined,
  sealedNote?: string,
): Decision<TimeOffEvent> {
  if (record === undefined) return reject(noSuchRecord());
  const { event, from } = STEPS[step];
  if (!(from as readonly TimeOffStatus[]).includes(record.status)) return reject(stepRejection(step, record.status));
  const time_off_id = record.id;
  if (event === 'TimeOffCancelled') return accept({ type: event, data: { time_off_id, because: 'requested' } });
  return accept({
    type: event,
    data: { time_off_id, ...(sealedNote === undefined ? {} : { sealed_note: sealedNote }) },
  });
}

function stepRejection(step: keyof typeof STEPS, status: TimeOffStatus): Rejection {
  const reached = { approve: 'approved', reject: 'rejected', cancel: 'cancelled', withdraw: 'cancelled' }[step];
  if (status === reached) return conflict('status_code', `this time off is already ${status}`);
  if (status !== 'approved') return conflict('status_code', `this time off is ${status}, which is final`);
  const instead = step === 'withdraw' ? 'only HR can cancel it' : 'it can be cancelled, not rejected';
  return conflict('status_code', `this time off is approved: ${instead}`);
}

function cutRecord({ timeOffId, entry, because }: Cut, record: TimeOffRecord | undefined): readonly TimeOffEvent[] {
  if (record === undefined || !isOpen(record) || (entry !== null && isSame(record, entry))) return [];
  if (entry === null) return [{ type: 'TimeOffCancelled', data: { time_off_id: timeOffId, because } }];
  return [{ type: 'TimeOffCut', data: { time_off_id: timeOffId, entry } }];
}

function entryRejection(entry: Entry, standing: Iterable<Dates>): Rejection | null {
  if (!entry.days.some((day) => day.counted))
    return invalid('start_date', 'none of these days counts: they are days off or public holidays');
  return entry.is_standard && overlaps(entry, standing) ? overlapRejection() : null;
}

function overlaps(entry: Dates, standing: Iterable<Dates>): boolean {
  for (const record of standing) if (clash(record, entry)) return true;
  return false;
}

/** Only standard records that are pending or approved conflict with each other. */
function* standingBeside(timeOffId: string, calendar: TimeOffCalendar): Iterable<Dates> {
  for (const record of calendar.records.values())
    if (record.id !== timeOffId && record.is_standard && isOpen(record)) yield record;
}

/**
 * The message is the same for every other record, because it must not reveal anything about it (contract part
 * 7, rule 3).
 */
function overlapRejection(): Rejection {
  return conflict('start_date', 'a selected date overlaps other time off of this person');
}

function statusOf(entry: Entry): OpenStatus {
  return entry.requires_approval ? 'pending' : 'approved';
}

function noSuchRecord(): Rejection {
  return notFound('time_off_id', 'there is no such time-off record');
}

export const timeOffAggregate = defineAggregate({
  category: 'time-off',
  initial: initialCalendar,
  evolve: evolveCalendar,
  publishedAs: {
    TimeOffRequested: ['time_off.created'],
    TimeOffChanged: ['time_off.updated'],
    TimeOffCut: ['time_off.updated'],
    TimeOffCancelled: ['time_off.cancelled'],
    TimeOffApproved: ['time_off.approved', 'time_off.updated'],
    TimeOffRejected: ['time_off.declined', 'time_off.updated'],
  },
  publishedOf: ({ data }) => data.time_off_id,
});
