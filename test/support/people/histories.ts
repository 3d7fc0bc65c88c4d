import fc from 'fast-check';
import { addDays, type LocalDate } from '#kernel/dates.js';
import {
  decideEmployment,
  type EmploymentCommand,
  type EmploymentEvent,
  type EmploymentState,
  evolveEmployment,
  initialEmployment,
} from '#people/employment/employment.js';
import type { Fact, Terms } from '#people/employment/timeline.js';

/** All dates of random histories are within this number of days from here, so that borders often coincide. */
export const FIRST_DAY: LocalDate = '2026-01-30';
export const DAYS = 40;

/** Returns the date of a day of random histories. */
export function dateOf(day: number): LocalDate {
  return addDays(FIRST_DAY, day);
}

/** A command that a caller tries; the history omits what the decider refuses. */
interface Attempt {
  readonly kind: 'change' | 'correct' | 'correct a fact' | 'withdraw' | 'end' | 'reactivate';
  readonly day: number;
  readonly today: number;
  readonly target: number;
  readonly terms: Terms;
}

const arbitraryDay = fc.nat({ max: DAYS - 1 });

const arbitraryTerms: fc.Arbitrary<Terms> = fc.record(
  {
    job_title: fc.constantFrom('Engineer', 'Analyst', null),
    department_id: fc.constantFrom('org_unit_a', 'org_unit_b', null),
    work_type_id: fc.constantFrom('wt_a', null),
    contracted_weekly_minutes: fc.constantFrom(0, 1_125, null),
    full_time_weekly_minutes: fc.constantFrom(2_250, 10_080, null),
  },
  { requiredKeys: [] },
);

const arbitraryAttempt: fc.Arbitrary<Attempt> = fc.record({
  kind: fc.constantFrom(
    'change',
    'change',
    'correct',
    'correct a fact',
    'correct a fact',
    'withdraw',
    'withdraw',
    'end',
    'reactivate',
  ),
  day: arbitraryDay,
  today: arbitraryDay,
  target: fc.nat({ max: 30 }),
  terms: arbitraryTerms,
});

/**
 * The facts of one random person: dated and undated starts, changes, corrections, ends and rehires that the
 * decider accepted.
 */
export const arbitraryHistory: fc.Arbitrary<readonly EmploymentEvent[]> = fc
  .tuple(fc.option(arbitraryDay, { freq: 3 }), arbitraryTerms, fc.array(arbitraryAttempt, { maxLength: 16 }))
  .map(([day, terms, attempts]) => historyOf(day, terms, attempts));

function historyOf(day: number | null, terms: Terms, attempts: readonly Attempt[]): readonly EmploymentEvent[] {
  const startDate = day === null ? null : dateOf(day);
  const events: EmploymentEvent[] = [];
  let state: EmploymentState = initialEmployment;
  const attempt = (command: EmploymentCommand): void => {
    const decision = decideEmployment(command, state);
    if ('rejection' in decision) return;
    events.push(...decision.events);
    state = decision.events.reduce(evolveEmployment, state);
  };
  attempt({ type: 'start', personId: 'person', factId: factIdOf(0), startDate, terms });
  for (const one of attempts) attempt(commandOf(one, state.facts));
  return events;
}

function commandOf({ kind, day, today, target, terms }: Attempt, facts: readonly Fact[]): EmploymentCommand {
  const dated = { personId: 'person', factId: factIdOf(facts.length) };
  const date = dateOf(day);
  const corrected = facts[target % facts.length]!;
  switch (kind) {
    case 'change':
      return { ...dated, type: 'change', startDate: date, terms, today: dateOf(today) };
    case 'correct':
      return {
        ...dated,
        type: 'correct',
        startDate: date,
        terms,
        correctionReason: 'The letter says so.',
        corrects: null,
      };
    case 'correct a fact': {
      const named = isEnd(corrected, facts) ? {} : terms;
      return {
        ...dated,
        type: 'correct',
        startDate: date,
        terms: named,
        correctionReason: 'The letter says so.',
        corrects: corrected.factId,
      };
    }
    case 'withdraw':
      return { ...dated, type: 'withdraw', correctionReason: 'It never came.', corrects: corrected.factId };
    case 'end':
      return { ...dated, type: 'end', endDate: date };
    case 'reactivate':
      return { ...dated, type: 'reactivate', startDate: date, terms };
  }
}

function isEnd(fact: Fact, facts: readonly Fact[]): boolean {
  const corrected = facts.find((candidate) => candidate.factId === fact.corrects);
  return corrected === undefined ? fact.action === 'end' : isEnd(corrected, facts);
}

/** Returns a fact id of random histories, by its place in the stream. */
export function factIdOf(place: number): string {
  return `ef_${String(place).padStart(8, '0')}.AAAAAAAA.AAAAAAAAAAAA`;
}
