import { isLocalDate, type LocalDate } from '#kernel/dates.js';
import { accept, type Decision, type DomainEvent, reject } from '#kernel/decider.js';
import { conflict, invalid, notFound, type Rejection } from '#kernel/rejection.js';
import { unreachable } from '#kernel/unreachable.js';
import { nameProblem } from '../naming/name-key.js';

/** A working day of the cycle; days that are missing are off. */
export type PatternDay = {
  /** From 1 to the cycle's length. */
  readonly week: number;
  /** 1 (Monday) to 7. */
  readonly weekday: number;
  readonly morning_minutes: number;
  readonly afternoon_minutes: number;
};

/** What a working pattern is. */
export type WorkingPattern = {
  readonly label: string;
  /** 1 to 8. */
  readonly cycle_weeks: number;
  /** A date in the cycle's first week. */
  readonly anchor_date: LocalDate;
  readonly days: readonly PatternDay[];
};

// These names and fields are the storage format: add new ones, never rename or remove.
export type WorkingPatternEvent =
  | DomainEvent<'WorkingPatternCreated', WorkingPattern>
  | DomainEvent<'WorkingPatternArchived', Record<string, never>>;

export type WorkingPatternState =
  | { readonly status: 'none' }
  | { readonly status: 'active' | 'archived'; readonly pattern: WorkingPattern };

export const initialWorkingPattern: WorkingPatternState = { status: 'none' };

/** The state with one more event. */
export function evolveWorkingPattern(state: WorkingPatternState, event: WorkingPatternEvent): WorkingPatternState {
  switch (event.type) {
    case 'WorkingPatternCreated':
      return { status: 'active', pattern: event.data };
    case 'WorkingPatternArchived':
      return state.status === 'none' ? state : { ...state, status: 'archived' };
    default:
      return unreachable(event);
  }
}

export type WorkingPatternCommand = { readonly type: 'create'; readonly pattern: WorkingPattern } | { readonly type: 'archive' };

/** What a command records, or why it is refused. Archiving what is archived records nothing. */
export function decideWorkingPattern(command: WorkingPatternCommand, state: WorkingPatternState): Decision<WorkingPatternEvent> {
  switch (command.type) {
    case 'create': {
      const refusal = patternRefusal(command.pattern);
      if (refusal !== null) return reject(refusal);
      if (state.status !== 'none') return reject(conflict('id', 'a working pattern with this id exists already'));
      return accept({ type: 'WorkingPatternCreated', data: command.pattern });
    }
    case 'archive':
      if (state.status === 'none') return reject(notFound('working_pattern_id', 'there is no such working pattern'));
      return state.status === 'archived' ? accept() : accept({ type: 'WorkingPatternArchived', data: {} });
    default:
      return unreachable(command);
  }
}

/** The mean of the cycle's weeks, in minutes. */
export function weeklyMinutes(pattern: WorkingPattern): number {
  const total = pattern.days.reduce((sum, day) => sum + day.morning_minutes + day.afternoon_minutes, 0);
  return total / pattern.cycle_weeks;
}

const MAXIMUM_CYCLE_WEEKS = 8;
const MINUTES_PER_DAY = 1_440;

function patternRefusal(pattern: WorkingPattern): Rejection | null {
  const problem = nameProblem(pattern.label);
  if (problem !== null) return invalid('label', problem);
  if (!isWhole(pattern.cycle_weeks, 1, MAXIMUM_CYCLE_WEEKS)) return invalid('cycle_weeks', 'must be a whole number from 1 to 8');
  if (!isLocalDate(pattern.anchor_date)) return invalid('anchor_date', 'must be a date as YYYY-MM-DD');
  return daysRefusal(pattern);
}

function daysRefusal(pattern: WorkingPattern): Rejection | null {
  for (const day of pattern.days) {
    if (!isWhole(day.week, 1, pattern.cycle_weeks)) return invalid('days', 'name a week outside the cycle');
    if (!isWhole(day.weekday, 1, 7)) return invalid('days', 'name a weekday outside 1 (Monday) to 7');
    const parts = [day.morning_minutes, day.afternoon_minutes];
    if (!parts.every((minutes) => isWhole(minutes, 0, MINUTES_PER_DAY)) || parts[0]! + parts[1]! > MINUTES_PER_DAY) {
      return invalid('days', 'must have whole minutes, 1440 a day at most');
    }
  }
  const named = new Set(pattern.days.map((day) => `${day.week}.${day.weekday}`));
  return named.size < pattern.days.length ? invalid('days', 'name the same day twice') : null;
}

function isWhole(value: number, minimum: number, maximum: number): boolean {
  return Number.isInteger(value) && value >= minimum && value <= maximum;
}
