import { addDays, type LocalDate } from '#kernel/dates.js';
import type { EmploymentEvent } from '#people/employment/employment.js';

/**
 * A second implementation of the rules of docs/reference/people-and-employment.md, as simple as possible and
 * without regard for speed: every day is calculated separately. It shares no code with `timeline.ts`, which
 * it is compared with.
 */

type Value = string | number | null;

interface Standing {
  readonly id: string;
  readonly kind: 'start' | 'change' | 'end' | 'reactivate';
  readonly date: LocalDate | null;
  readonly terms: { readonly [term: string]: Value };
  /** The place of the fact in the stream. */
  readonly place: number;
  /** The place of the fact that it corrects, directly or through other corrections. */
  readonly origin: number;
}

interface NaivePeriod {
  readonly opened: Standing;
  start: LocalDate | null;
  ended: Standing | null;
}

/** The state in force on one day. */
export interface NaiveDay {
  readonly employed: boolean;
  readonly factId: string;
  readonly terms: { readonly [term: string]: Value };
  readonly period: number;
}

const TERMS = [
  'job_title',
  'department_id',
  'manager_id',
  'work_place_id',
  'work_type_id',
  'working_pattern_id',
  'contracted_weekly_minutes',
  'full_time_weekly_minutes',
];

const KINDS = { EmploymentStarted: 'start', EmploymentChanged: 'change', EmploymentReactivated: 'reactivate' } as const;

const NOTHING: NaiveDay['terms'] = Object.fromEntries(TERMS.map((term) => [term, null]));

/**
 * The events without withdrawals and without what they take back; each keeps its place. The last withdrawal
 * goes first.
 */
function withoutWithdrawn(events: readonly EmploymentEvent[]): readonly (EmploymentEvent | null)[] {
  const left: (EmploymentEvent | null)[] = [...events];
  for (let place = left.length - 1; place >= 0; place -= 1) {
    const event = left[place];
    if (event?.type !== 'EmploymentFactWithdrawn') continue;
    left[place] = null;
    const target = left.findIndex((one) => one?.data.fact_id === event.data.corrects);
    if (target !== -1) left[target] = null;
  }
  return left;
}

/** Returns the facts that no later fact replaced or withdrew. */
function standingFacts(events: readonly EmploymentEvent[]): readonly Standing[] {
  let standing: Standing[] = [];
  withoutWithdrawn(events).forEach((event, place) => {
    if (event === null) return;
    const id = event.data.fact_id;
    switch (event.type) {
      case 'EmploymentStarted':
      case 'EmploymentChanged':
      case 'EmploymentReactivated':
        standing.push({
          id,
          kind: KINDS[event.type],
          date: event.data.start_date,
          terms: event.data.terms as Standing['terms'],
          place,
          origin: place,
        });
        break;
      case 'EmploymentEnded':
        standing.push({ id, kind: 'end', date: event.data.end_date, terms: {}, place, origin: place });
        break;
      case 'EmploymentCorrected': {
        const { corrects, start_date: date } = event.data;
        const terms = event.data.terms as Standing['terms'];
        const replaced = standing.find((fact) => fact.id === corrects);
        standing = standing.filter((fact) => fact !== replaced);
        standing.push({ id, kind: replaced?.kind ?? 'change', date, terms, place, origin: replaced?.origin ?? place });
      }
    }
  });
  return standing;
}

function periods(facts: readonly Standing[]): readonly NaivePeriod[] {
  const found: NaivePeriod[] = [];
  for (const fact of [...facts].sort((one, other) => one.origin - other.origin)) {
    if (fact.kind === 'start' || fact.kind === 'reactivate')
      found.push({ opened: fact, start: fact.date, ended: null });
    if (fact.kind === 'end') found[found.length - 1]!.ended = fact;
  }
  const [first] = found;
  if (first !== undefined && first.start === null) {
    const final = first.ended?.date ?? null;
    const dates = facts
      .filter((fact) => fact.kind === 'change' && (final === null || fact.date! <= final))
      .map((fact) => fact.date!);
    first.start = dates.sort()[0] ?? null;
  }
  return found;
}

/** Whether no fact gives a period its first day. */
export function isUndated(events: readonly EmploymentEvent[], period: number): boolean {
  return periods(standingFacts(events))[period]!.start === null;
}

/** Returns the state in force on a day; null before the first one. */
export function naiveDay(events: readonly EmploymentEvent[], day: LocalDate): NaiveDay | null {
  const facts = standingFacts(events);
  const all = periods(facts);
  const holds = all.findIndex(
    ({ start, ended }) => (start === null ? ended !== null : start <= day) && (ended === null || day <= ended.date!),
  );
  if (holds !== -1) {
    const { opened, start } = all[holds]!;
    const inForce = facts
      .filter(
        (fact) =>
          fact === opened ||
          (fact.kind === 'change' && fact.place > opened.origin && fact.date! >= (start ?? '') && fact.date! <= day),
      )
      .map((fact) => ({ ...fact, date: fact.date ?? start ?? '' }))
      .sort((one, other) => one.date.localeCompare(other.date) || one.place - other.place);
    const terms = inForce.reduce((before, fact) => ({ ...before, ...fact.terms }), NOTHING);
    return { employed: true, factId: inForce.at(-1)!.id, terms, period: holds };
  }
  const over = all.findLastIndex(({ ended }) => ended !== null && ended.date! < day);
  return over === -1 ? null : { employed: false, factId: all[over]!.ended!.id, terms: NOTHING, period: over };
}

/** The fields that a person's record shows on a day. */
export interface NaiveEmployment {
  readonly period: number;
  readonly ended: boolean;
  readonly factId: string;
  readonly terms: NaiveDay['terms'];
}

/** Returns what the record shows on a day: from that day back to the first, and then forward to the last. */
export function naiveEmployment(
  events: readonly EmploymentEvent[],
  day: LocalDate,
  first: LocalDate,
  last: LocalDate,
): NaiveEmployment {
  const facts = standingFacts(events);
  const all = periods(facts);
  const found = all.findIndex(({ ended }) => ended === null || day <= ended.date!);
  const period = found === -1 ? all.length - 1 : found;
  const ended = all.at(-1)!.ended !== null;
  const shows = (date: LocalDate): NaiveEmployment | null => {
    const force = naiveDay(events, date);
    return force !== null && force.employed && force.period === period
      ? { period, ended, factId: force.factId, terms: force.terms }
      : null;
  };
  for (let date = day; date >= first; date = addDays(date, -1)) {
    const shown = shows(date);
    if (shown !== null) return shown;
  }
  for (let date = day; date <= last; date = addDays(date, 1)) {
    const shown = shows(date);
    if (shown !== null) return shown;
  }
  const { opened } = all[period]!;
  return { period, ended, factId: opened.id, terms: { ...NOTHING, ...opened.terms } };
}
