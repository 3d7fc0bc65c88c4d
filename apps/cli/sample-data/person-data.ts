import { addDays, type LocalDate } from '#kernel/dates.js';
import type { FieldValue } from '#people/custom-field-value/custom-field-value.rules.js';
import type { PostalAddress } from '#organisation/country/postal-address.js';
import type { CompleteIdentity } from '#people/person/person.js';
import type { PersonalProfile } from '#people/profile/personal-profile.rules.js';
import type { PayrollMarker } from '#payroll/marker/payroll-marker.js';
import type { MappingTerms } from '#payroll/provider-mapping/provider-mapping.js';
import type { AdjustmentReason } from '#time-off/balances/ledger.js';
import { completeDates, type Dates } from '#time-off/records/time-off.rules.js';
import type { TimeOffStep } from '#time-off/requests/request-time-off.js';
import { type Calendar, dayOf, instantOn } from './calendar.js';

export const FULL_TIME_MINUTES = 2_250;

/** The terms of a person; the manager is named by their place in the list, from 1. */
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
  readonly reason?: string;
  /** The fact that is replaced, counted from the start as 0; null for a fact that was missing. */
  readonly corrects?: number | null;
  /** ISO 8601 in UTC. */
  readonly recordedAt: string;
}

/** A made-up document, of a type that its label names. */
export interface SampleDocument {
  readonly type: string;
  readonly name: string;
  readonly byteSize: number;
  readonly issuedOn: LocalDate;
  readonly expiresOn: LocalDate | null;
}

/** What a provider calls a person. */
export interface SampleMapping extends MappingTerms {
  readonly provider: string;
}

/** A made-up record of time off, and what happened to it after it was requested. */
export interface Absence {
  /** Label of its category. */
  readonly category: string;
  readonly dates: Dates;
  readonly steps: readonly TimeOffStep[];
}

/** A made-up adjustment of a person's annual leave. */
export interface Adjustment {
  /** Signed. */
  readonly minutes: number;
  readonly on: LocalDate;
  readonly reason: AdjustmentReason;
  /** Whether it is taken back again. */
  readonly isReversed?: boolean;
}

/** Records of a person besides their employment. */
export interface Particulars {
  /** Null where there is none. */
  readonly profile: PersonalProfile | null;
  /** By the keys of custom fields; empty where there are none. */
  readonly values: Readonly<Record<string, FieldValue>>;
  readonly documents: readonly SampleDocument[];
  readonly mappings: readonly SampleMapping[];
  /** The number of the portrait; null where there is none. */
  readonly picture: number | null;
  /** What payroll has of the person from the first day on. */
  readonly markers: readonly PayrollMarker[];
  readonly adjustments: readonly Adjustment[];
  readonly absences: readonly Absence[];
}

/** The employment of a person. */
export interface Career {
  /** Null terms throughout for a person of whom only the address is known. */
  readonly job: Job | null;
  readonly startDate: LocalDate | null;
  /** When the person was recorded, ISO 8601 in UTC. */
  readonly hiredAt: string;
  readonly facts: readonly SampleFact[];
  /** A later change of the last name; null where there is none. */
  readonly renamed: { readonly lastName: string; readonly recordedAt: string } | null;
}

/** A made-up person with all that is recorded. */
export interface SamplePerson extends Career, Particulars {
  /** Names the person in the seeds of ids. */
  readonly key: string;
  readonly identity: CompleteIdentity;
}

/** An adjustment in the data files, in which texts name days: see `dayOf`. */
export type AdjustmentData = Omit<Adjustment, 'on'> & { readonly on: string };

/** Time off in the data files. */
export interface AbsenceData {
  /** Every so many people have it, with this remainder of their number; without it all do. */
  readonly of?: readonly [every: number, remainder: number];
  readonly category: string;
  readonly from: string;
  /** So many days later for each person, within so many days. */
  readonly spread?: readonly [days: number, within: number];
  /** From the first day to the last, both counted. */
  readonly days: number;
  readonly startPart?: Dates['start_day_part'];
  readonly endPart?: Dates['end_day_part'];
  readonly steps?: readonly TimeOffStep[];
}

/** A person in the data files. */
export interface PersonData {
  readonly name: readonly [first: string | null, last: string | null];
  readonly preferredName?: string;
  readonly startDate?: string | null;
  /** The day on which the person was recorded; the day of the start where it is not given. */
  readonly hiredOn?: string;
  readonly job?: Partial<Job> | null;
  readonly facts?: readonly (Omit<SampleFact, 'on' | 'recordedAt'> & {
    readonly on: string;
    /** The day of the fact itself where it is not given. */
    readonly recordedOn?: string;
  })[];
  readonly renamed?: { readonly lastName: string; readonly recordedOn: string };
  readonly profile?: Partial<Omit<PersonalProfile, 'home_address'>> & {
    readonly home_address?: Partial<PostalAddress>;
  };
  readonly values?: Particulars['values'];
  readonly documents?: readonly (readonly [type: string, issuedOn: string, expiresOn: string | null])[];
  readonly mappings?: readonly (readonly [provider: string, externalId: string, status: MappingTerms['status']])[];
  readonly picture?: boolean;
  readonly absences?: readonly AbsenceData[];
  readonly adjustments?: readonly AdjustmentData[];
}

/** Reads a career; `usual` holds where the person says nothing else. */
export function careerOf(
  person: PersonData,
  usual: { readonly startDate: string; readonly job: Job },
  calendar: Calendar,
  minute: number,
): Career {
  const day = (text: string): LocalDate => dayOf(text, calendar);
  const recorded = (text: string): string => instantOn(calendar, day(text), minute);
  const { startDate = usual.startDate, hiredOn, job, facts = [], renamed } = person;
  return {
    job: job === null ? null : { ...usual.job, ...job },
    startDate: startDate === null ? null : day(startDate),
    hiredAt: recorded(hiredOn ?? startDate ?? 'firstDay'),
    facts: facts.map(({ on, recordedOn, ...fact }) => ({
      ...fact,
      on: day(on),
      recordedAt: recorded(recordedOn ?? on),
    })),
    renamed: renamed === undefined ? null : { lastName: renamed.lastName, recordedAt: recorded(renamed.recordedOn) },
  };
}

/** Reads time off; the number identifies the person. */
export function absenceOf(
  { category, from, spread = [0, 1], days, startPart, endPart, steps = [] }: AbsenceData,
  calendar: Calendar,
  number = 0,
): Absence {
  const start = dayOf(from, calendar, (number * spread[0]) % spread[1]);
  const named = {
    start_date: start,
    end_date: addDays(start, days - 1),
    start_day_part: startPart,
    end_day_part: endPart,
  };
  return { category, dates: completeDates(named), steps };
}
