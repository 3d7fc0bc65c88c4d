import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import { isLocalDate } from '#kernel/dates.js';
import { date, defineFields, integer, list, name, type ValuesOf } from '#kernel/field-list.js';
import { changesOf } from '#kernel/json.js';
import { nameKey } from '#kernel/names.js';
import { conflict, invalid, notFound, type Rejection } from '#kernel/rejection.js';
import { unreachable } from '#kernel/unreachable.js';
import { noteChangesOfNames } from '#projections/reference-versions.js';
import { defineTable, type Stored } from '#projections/table.js';

/** A working day of the cycle; days that are missing are off. */
export type PatternDay = {
  /** From 1 to the cycle's length. */
  readonly week: number;
  /** 1 (Monday) to 7. */
  readonly weekday: number;
  readonly morning_minutes: number;
  readonly afternoon_minutes: number;
};

export const MAX_CYCLE_WEEKS = 8;
export const MINUTES_PER_DAY = 1_440;

/**
 * The fields of a working pattern. Inside an event they are the storage format: never rename or remove one.
 */
export const WORKING_PATTERN = defineFields({
  label: name({ maximumLength: 200, example: 'Monday to Friday', option: ['<label>', 'its name'] }),
  cycle_weeks: integer({
    minimum: 1,
    maximum: MAX_CYCLE_WEEKS,
    initial: 1,
    isRequested: true,
    description: 'The number of weeks after which the pattern repeats.',
    example: 1,
    option: ['<weeks>', 'number of weeks after which the pattern repeats, 1 to 8 (of a new one: 1)'],
  }),
  anchor_date: date({
    problem: (day) => (isLocalDate(day) ? null : 'must be a date as YYYY-MM-DD'),
    initial: '2024-01-01',
    isRequested: true,
    description: 'A date in the first week of a cycle; weeks begin on Monday.',
    example: '2026-01-05',
    option: ['<date>', 'a Monday with which a first week of the cycle begins (of a new one: 2024-01-01)'],
  }),
  days: list<PatternDay>({}),
});

export type WorkingPattern = ValuesOf<typeof WORKING_PATTERN.fields>;

// These names are the storage format: add new ones, never rename or remove.
export type WorkingPatternEvent =
  | DomainEvent<'WorkingPatternCreated', WorkingPattern>
  | DomainEvent<'WorkingPatternChanged', { changes: Partial<WorkingPattern> }>
  | DomainEvent<'WorkingPatternArchived', Record<string, never>>;

export type WorkingPatternState =
  { readonly status: 'none' } | { readonly status: 'active' | 'archived'; readonly pattern: WorkingPattern };

export const initialWorkingPattern: WorkingPatternState = { status: 'none' };

/** The state with one more event. */
export function evolveWorkingPattern(state: WorkingPatternState, event: WorkingPatternEvent): WorkingPatternState {
  if (event.type === 'WorkingPatternCreated') return { status: 'active', pattern: event.data };
  if (state.status === 'none') return state;
  switch (event.type) {
    case 'WorkingPatternChanged':
      return { ...state, pattern: { ...state.pattern, ...event.data.changes } };
    case 'WorkingPatternArchived':
      return { ...state, status: 'archived' };
    default:
      return unreachable(event);
  }
}

export type WorkingPatternCommand =
  | { readonly type: 'create'; readonly pattern: WorkingPattern }
  | { readonly type: 'change'; readonly changes: Partial<WorkingPattern> }
  | { readonly type: 'archive' };

/**
 * The events of a command, or the reason for its refusal. A command without a change records nothing;
 * archiving an archived pattern is refused.
 */
export function decideWorkingPattern(
  command: WorkingPatternCommand,
  state: WorkingPatternState,
): Decision<WorkingPatternEvent> {
  if (command.type === 'create') {
    const rejection = patternRejection(command.pattern);
    if (rejection !== null) return reject(rejection);
    if (state.status !== 'none') return reject(conflict('id', 'a working pattern with this id exists already'));
    return accept({ type: 'WorkingPatternCreated', data: { ...command.pattern, days: inOrder(command.pattern.days) } });
  }
  if (state.status === 'none') return reject(notFound('working_pattern_id', 'there is no such working pattern'));
  if (state.status === 'archived') return reject(conflict('archived_at', 'this working pattern is archived'));
  switch (command.type) {
    case 'change':
      return decideChange(command.changes, state.pattern);
    case 'archive':
      return accept({ type: 'WorkingPatternArchived', data: {} });
    default:
      return unreachable(command);
  }
}

/** The mean of the cycle's weeks, in minutes, to four decimals. */
export function weeklyMinutes(pattern: Pick<WorkingPattern, 'cycle_weeks' | 'days'>): number {
  const total = pattern.days.reduce((sum, day) => sum + day.morning_minutes + day.afternoon_minutes, 0);
  return Math.round((total / pattern.cycle_weeks) * 10_000) / 10_000;
}

/** The whole pattern must be valid after the change: a shorter cycle cannot contain days of later weeks. */
function decideChange(named: Partial<WorkingPattern>, pattern: WorkingPattern): Decision<WorkingPatternEvent> {
  const rejection = patternRejection({ ...pattern, ...named });
  if (rejection !== null) return reject(rejection);
  const changes = changesOf(named.days === undefined ? named : { ...named, days: inOrder(named.days) }, pattern);
  return changes === null ? accept() : accept({ type: 'WorkingPatternChanged', data: { changes } });
}

/** Days in the order in which they are stored. */
function inOrder(days: readonly PatternDay[]): readonly PatternDay[] {
  const plain = days.map(({ week, weekday, morning_minutes, afternoon_minutes }) => ({
    week,
    weekday,
    morning_minutes,
    afternoon_minutes,
  }));
  return plain.sort((one, other) => one.week - other.week || one.weekday - other.weekday);
}

function patternRejection(pattern: WorkingPattern): Rejection | null {
  return WORKING_PATTERN.rejection(pattern) ?? daysRejection(pattern);
}

function daysRejection(pattern: WorkingPattern): Rejection | null {
  const named = new Set<string>();
  for (const [index, day] of pattern.days.entries()) {
    const rejection = dayRejection(day, `days[${index}]`, pattern.cycle_weeks);
    if (rejection !== null) return rejection;
    const key = `${day.week}.${day.weekday}`;
    if (named.has(key)) return invalid(`days[${index}]`, `week ${day.week} has weekday ${day.weekday} twice`);
    named.add(key);
  }
  return null;
}

function dayRejection(day: PatternDay, field: string, cycleWeeks: number): Rejection | null {
  if (!isIntegerBetween(day.week, 1, cycleWeeks))
    return invalid(`${field}.week`, `must be a week of the cycle, which has ${cycleWeeks}`);
  if (!isIntegerBetween(day.weekday, 1, 7))
    return invalid(`${field}.weekday`, 'must be a whole number from 1 (Monday) to 7');
  for (const half of ['morning_minutes', 'afternoon_minutes'] as const) {
    if (!isIntegerBetween(day[half], 0, MINUTES_PER_DAY))
      return invalid(`${field}.${half}`, `must be a whole number from 0 to ${MINUTES_PER_DAY}`);
  }
  const total = day.morning_minutes + day.afternoon_minutes;
  return total > MINUTES_PER_DAY ? invalid(field, `has ${total} minutes: a day has ${MINUTES_PER_DAY}`) : null;
}

function isIntegerBetween(value: number, minimum: number, maximum: number): boolean {
  return Number.isInteger(value) && value >= minimum && value <= maximum;
}

export const workingPatternAggregate = defineAggregate({
  category: 'working-pattern',
  idKind: 'workingPattern',
  initial: initialWorkingPattern,
  evolve: evolveWorkingPattern,
  publishedAs: {
    WorkingPatternCreated: ['working_pattern.created'],
    WorkingPatternChanged: ['working_pattern.updated'],
    WorkingPatternArchived: ['working_pattern.archived'],
  },
});

type Columns = WorkingPattern & { readonly weekly_minutes: number; readonly archived_at: Date | null };

/** A row of `working_patterns`. */
export type WorkingPatternRow = Stored<Columns>;

/** Working patterns, including archived ones. */
export const workingPatternTable = defineTable<Columns>()(workingPatternAggregate, {
  name: 'working_patterns',
  columns: { ...WORKING_PATTERN.columns, weekly_minutes: 'value', archived_at: 'time' },
  row: ({ pattern }, stream) => ({
    ...pattern,
    weekly_minutes: weeklyMinutes(pattern),
    archived_at: stream.find(({ type }) => type === 'WorkingPatternArchived')?.recordedAt ?? null,
  }),
  lookUps: { name_key: ({ label }) => nameKey(label) },
  naming: { column: 'label', isArchived: 'archived_at is not null' },
  order: 'name_key, id',
});

/** `days` has the form of the contract: days off are left out. */
export const WORKING_PATTERNS_SCHEMA = `
create table working_patterns (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  revision bigint not null,
  label text not null,
  name_key text collate "C" not null,
  cycle_weeks integer not null,
  anchor_date date not null,
  days jsonb not null,
  weekly_minutes double precision not null,
  archived_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organisation_id, id)
);
create index working_patterns_by_label on working_patterns (organisation_id, name_key);
${noteChangesOfNames('working_patterns', 'label')}`;
