import { ERASED } from './person.decider.js';

/** What a work e-mail address reads as after erasure: no mail goes there (RFC 2606), and it has the form that readers were promised. */
export const ERASED_ADDRESS = 'erased@erased.invalid';

/** A work e-mail address as answers show it. */
export function shownAddress(workEmail: string): string {
  return workEmail === ERASED ? ERASED_ADDRESS : workEmail;
}

/** What a row knows of the period whose terms it shows, and of one that was recorded after that and comes later. */
interface RecordedPeriods<Value> {
  readonly start_date: Value;
  readonly end_date: Value;
  readonly coming_start_date: Value;
  readonly coming_end_date: Value;
}

/**
 * The dates that a person has (docs/reference/people-and-employment.md): those of the period that was recorded last, as their status is,
 * also while the terms of the one before it are in force. A period that comes after another one always has a first day.
 */
export function datesOf<Value>(row: RecordedPeriods<Value>): Pick<RecordedPeriods<Value>, 'start_date' | 'end_date'> {
  const { start_date, end_date, coming_start_date, coming_end_date } = row;
  return coming_start_date === null || coming_start_date === undefined
    ? { start_date, end_date }
    : { start_date: coming_start_date, end_date: coming_end_date };
}
