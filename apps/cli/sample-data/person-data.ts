import { addDays, type LocalDate } from '#kernel/dates.js';
import type { FieldValue } from '#people/custom-field-value/custom-field-value.rules.js';
import type { DocumentMetadata } from '#people/document/document.js';
import type { CompleteIdentity } from '#people/person/person.js';
import type { PersonalProfile } from '#people/profile/personal-profile.rules.js';
import type { PayrollMarker } from '#payroll/marker/payroll-marker.js';
import type { ProviderMapping } from '#payroll/provider-mapping/provider-mapping.js';
import type { NewAdjustment } from '#time-off/balances/adjust-balance.js';
import { completeDates, type Dates } from '#time-off/records/time-off.rules.js';
import type { TimeOffStep } from '#time-off/requests/request-time-off.js';
import { type Calendar, dayOf } from './calendar.js';

export const FULL_TIME_MINUTES = 2_250;

/** The terms of a person; the manager is identified by their position in the list, from 1. */
export interface Job {
  readonly title: string;
  readonly department: string;
  readonly workPlace: string;
  readonly workType: string;
  readonly minutes: number;
  readonly manager: number | null;
}

/** One dated fact after the start, in the order in which facts are recorded. */
export interface SampleFact extends Partial<Pick<Job, 'title' | 'department' | 'minutes' | 'manager'>> {
  readonly type: 'change' | 'correct' | 'end' | 'reactivate';
  readonly on: LocalDate;
  /** By default the day of the fact itself. */
  readonly recordedOn?: LocalDate;
  readonly reason?: string;
  /** The fact that is replaced, counted from the start as 0; null for a fact that was missing. */
  readonly corrects?: number | null;
}

/** The employment of a person. */
export interface Career {
  /** Null for a person with only an e-mail address. */
  readonly job: Job | null;
  readonly startDate: LocalDate | null;
  /** The day on which the person was recorded; by default the day of the start. */
  readonly hiredOn?: LocalDate;
  readonly facts?: readonly SampleFact[];
  /** A later change of the last name. */
  readonly renamed?: { readonly lastName: string; readonly recordedOn: LocalDate };
}

/** A made-up document; `type` is the label of its document type. */
export type SampleDocument = Omit<DocumentMetadata, 'document_type_id' | 'content_type'> & { readonly type: string };

/** A mapping of a person to a provider's id. */
export type SampleMapping = Omit<ProviderMapping, 'resource_type' | 'resource_id'>;

/** Records of a person besides their employment. */
export interface Particulars {
  readonly profile?: PersonalProfile | null;
  /** By the keys of custom fields. */
  readonly values?: Readonly<Record<string, FieldValue>>;
  readonly documents?: readonly SampleDocument[];
  readonly mappings?: readonly SampleMapping[];
  /** The number of the portrait. */
  readonly picture?: number;
  /** The payroll markers of the person from the first day on. */
  readonly markers?: readonly PayrollMarker[];
  /** Adjustments of the annual leave. */
  readonly adjustments?: readonly AdjustmentData[];
}

/** An adjustment, and whether it is reversed. */
export type AdjustmentData = Pick<NewAdjustment, 'amount_minutes' | 'effective_date' | 'reason_code'> & {
  readonly isReversed?: boolean;
};

/** A made-up person with all that is recorded. */
export interface SamplePerson extends Career, Particulars {
  /** Identifies the person in the seeds of ids. */
  readonly key: string;
  readonly identity: CompleteIdentity;
  readonly absences: readonly Absence[];
}

/** A made-up record of time off, and its steps after the request. */
export interface Absence {
  /** Label of its category. */
  readonly category: string;
  readonly dates: Dates;
  readonly steps: readonly TimeOffStep[];
}

/** Time off in the data files. */
export interface AbsenceData extends Partial<Pick<Dates, 'start_day_part' | 'end_day_part'>> {
  /** The people who have it: those whose number divided by `every` leaves `remainder`; all by default. */
  readonly of?: readonly [every: number, remainder: number];
  readonly category: string;
  readonly from: string;
  /** The number of days by which each person's start is later than the previous one's, modulo `within`. */
  readonly spread?: readonly [days: number, within: number];
  /** From the first day to the last, both counted. */
  readonly days: number;
  readonly steps?: readonly TimeOffStep[];
}

/** Reads time off; the number identifies the person. */
export function absenceOf(
  { of: _, category, from, spread = [0, 1], days, steps = [], ...parts }: AbsenceData,
  calendar: Calendar,
  number = 0,
): Absence {
  const start = dayOf(from, calendar, (number * spread[0]) % spread[1]);
  return { category, dates: completeDates({ start_date: start, end_date: addDays(start, days - 1), ...parts }), steps };
}
