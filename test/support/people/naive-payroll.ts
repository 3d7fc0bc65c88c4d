import type { RecordedEvent } from '#event-store/event-store.js';
import { addDays, type LocalDate } from '#kernel/dates.js';
import type { EmploymentEvent } from '#people/employment/employment.js';
import { DAYS, FIRST_DAY } from './histories.js';
import { isUndated, type NaiveDay, naiveDay } from './naive-timeline.js';

/**
 * A second implementation of the rules of docs/reference/payroll.md, from the raw events, day by day. It
 * shares no code with the implementation that it is compared with.
 */

/** What a run must show for one recorded event. */
export interface NaiveChange {
  readonly fact_id: string;
  readonly change_type: string;
  readonly effective_date: LocalDate;
  readonly corrected_effective_date: LocalDate | null;
  readonly recorded_at: string;
  readonly is_retroactive: boolean;
  readonly changed_fields: readonly string[];
}

/** Returns the changes in the window, for the employment stream of one person. */
export function naiveChanges(
  stream: readonly RecordedEvent[],
  window: { readonly from: LocalDate; readonly to: LocalDate },
  timeZone: string,
): readonly NaiveChange[] {
  const events = stream as unknown as readonly (EmploymentEvent & RecordedEvent)[];
  const isWithin = (date: LocalDate | null): boolean => date !== null && date >= window.from && date <= window.to;
  return events.flatMap((event, place): readonly NaiveChange[] => {
    const date = dateOf(event);
    const corrected =
      'corrects' in event.data
        ? events.find(({ data }) => data.fact_id === (event.data as { corrects: unknown }).corrects)
        : undefined;
    const correctedDate = corrected === undefined ? null : dateOf(corrected);
    if (date === null) return [];
    const dates = [date, ...(correctedDate === null ? [] : [correctedDate])];
    const recordedOn = new Date(event.recordedAt).toLocaleDateString('sv-SE', { timeZone });
    const isLate = isWithin(recordedOn) && dates.some((one) => one < window.from);
    if (!dates.some(isWithin) && !isLate) return [];
    const [before, after] = [daysOf(events.slice(0, place)), daysOf(events.slice(0, place + 1))];
    return [
      {
        fact_id: event.data.fact_id,
        change_type: typeOf(event, before, after),
        effective_date: date,
        corrected_effective_date: correctedDate,
        recorded_at: event.recordedAt,
        is_retroactive: dates.some((one) => one < recordedOn),
        changed_fields: changedFields(before, after),
      },
    ];
  });
}

function dateOf(event: EmploymentEvent): LocalDate | null {
  if (event.type === 'EmploymentFactWithdrawn') return event.data.effective_date;
  return event.type === 'EmploymentEnded' ? event.data.end_date : event.data.start_date;
}

/** Every day that a random history can affect. */
const CALENDAR = Array.from({ length: DAYS + 4 }, (_, day) => addDays(FIRST_DAY, day - 1));

type Days = readonly (NaiveDay | null)[];

/** Payroll ignores a period without a first day; the fact that sets this day starts the period. */
function daysOf(events: readonly EmploymentEvent[]): Days {
  return CALENDAR.map((date) => {
    const day = events.length === 0 ? null : naiveDay(events, date);
    return day !== null && day.employed && isUndated(events, day.period) ? null : day;
  });
}

const TYPES = {
  EmploymentStarted: 'starter',
  EmploymentChanged: 'employment_change',
  EmploymentCorrected: 'correction',
  EmploymentFactWithdrawn: 'correction',
  EmploymentEnded: 'leaver',
  EmploymentReactivated: 'rehire',
} as const;

function typeOf({ type }: EmploymentEvent, before: Days, after: Days): string {
  return firstDay(before, 0) === -1 && firstDay(after, 0) !== -1 ? 'starter' : TYPES[type];
}

function firstDay(days: Days, period: number): number {
  return days.findIndex((day) => day !== null && day.employed && day.period === period);
}

/** Returns the last day of a completed period; without a gap, it is the day before the next period begins. */
function finalDay(days: Days, period: number): number | null {
  const gap = days.findIndex((day) => day !== null && !day.employed && day.period === period);
  if (gap !== -1) return gap - 1;
  const next = firstDay(days, period + 1);
  return next === -1 ? null : next - 1;
}

const ORDER = [
  'start_date',
  'end_date',
  'job_title',
  'department',
  'manager',
  'work_place',
  'work_type',
  'working_pattern',
  'contracted_weekly_minutes',
  'full_time_weekly_minutes',
];

function changedFields(before: Days, after: Days): readonly string[] {
  const changed = new Set<string>();
  const differ = (was: NaiveDay['terms'], is: NaiveDay['terms']): void => {
    for (const [term, value] of Object.entries(is))
      if (value !== (was[term] ?? null)) changed.add(term.replace('_id', ''));
  };
  const periods = Math.max(...[...before, ...after].map((day) => day?.period ?? 0)) + 1;
  for (let period = 0; period < periods; period += 1) {
    if (firstDay(before, period) !== firstDay(after, period)) changed.add('start_date');
    if (finalDay(before, period) !== finalDay(after, period)) changed.add('end_date');
    if (firstDay(before, period) === -1 && firstDay(after, period) !== -1)
      differ({}, after[firstDay(after, period)]!.terms);
  }
  after.forEach((day, index) => {
    const was = before[index];
    if (day?.employed === true && was?.employed === true) differ(was.terms, day.terms);
  });
  return ORDER.filter((field) => changed.has(field));
}
