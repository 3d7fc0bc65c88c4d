import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import type { LocalDate } from '#kernel/dates.js';
import { lineProblem } from '#kernel/plain-text.js';
import { conflict, invalid, notFound, type Rejection } from '#kernel/rejection.js';
import { unreachable } from '#kernel/unreachable.js';
import { normaliseOptional } from '#kernel/names.js';
import {
  type Contradiction,
  contradictionIn,
  type Fact,
  kindOf,
  type Period,
  periodsOf,
  superseders,
  type Terms,
} from './timeline.js';

// These names and fields are the storage format: add new ones, never rename or remove.
export type EmploymentEvent =
  | DomainEvent<'EmploymentStarted', { fact_id: string; start_date: LocalDate | null; terms: Terms }>
  | DomainEvent<'EmploymentChanged', { fact_id: string; start_date: LocalDate; terms: Terms }>
  | DomainEvent<
      'EmploymentCorrected',
      { fact_id: string; start_date: LocalDate; terms: Terms; correction_reason: string; corrects: string | null }
    >
  | DomainEvent<
      'EmploymentFactWithdrawn',
      { fact_id: string; effective_date: LocalDate; correction_reason: string; corrects: string }
    >
  | DomainEvent<'EmploymentEnded', { fact_id: string; end_date: LocalDate }>
  | DomainEvent<'EmploymentReactivated', { fact_id: string; start_date: LocalDate; terms: Terms }>;

/** Every fact of a person's employment, in the order of recording: the index of a fact is its revision. */
export interface EmploymentState {
  readonly facts: readonly Fact[];
}

export const initialEmployment: EmploymentState = { facts: [] };

/** The state with one more fact. */
export function evolveEmployment(state: EmploymentState, event: EmploymentEvent): EmploymentState {
  return { facts: [...state.facts, factOf(event, state.facts.length)] };
}

/**
 * The fact that an event records. Each field is written out, because a rebuild creates a fact of every event
 * and a spread costs several times as much.
 */
export function factOf(event: EmploymentEvent, revision: number): Fact {
  const factId = event.data.fact_id;
  switch (event.type) {
    case 'EmploymentStarted':
      return {
        factId,
        action: 'start',
        revision,
        date: event.data.start_date,
        terms: event.data.terms,
        correctionReason: null,
        corrects: null,
      };
    case 'EmploymentChanged':
      return {
        factId,
        action: 'change',
        revision,
        date: event.data.start_date,
        terms: event.data.terms,
        correctionReason: null,
        corrects: null,
      };
    case 'EmploymentCorrected': {
      const { start_date: date, terms, correction_reason: correctionReason, corrects } = event.data;
      return { factId, action: 'correction', revision, date, terms, correctionReason, corrects };
    }
    case 'EmploymentFactWithdrawn': {
      const { effective_date: date, correction_reason: correctionReason, corrects } = event.data;
      return { factId, action: 'withdrawal', revision, date, terms: {}, correctionReason, corrects };
    }
    case 'EmploymentEnded':
      return {
        factId,
        action: 'end',
        revision,
        date: event.data.end_date,
        terms: {},
        correctionReason: null,
        corrects: null,
      };
    case 'EmploymentReactivated':
      return {
        factId,
        action: 'reactivate',
        revision,
        date: event.data.start_date,
        terms: event.data.terms,
        correctionReason: null,
        corrects: null,
      };
    default:
      return unreachable(event);
  }
}

interface Dated {
  readonly personId: string;
  readonly factId: string;
}

export type EmploymentCommand =
  | (Dated & { readonly type: 'start'; readonly startDate: LocalDate | null; readonly terms: Terms })
  | (Dated & {
      readonly type: 'change';
      readonly startDate: LocalDate;
      readonly terms: Terms;
      readonly today: LocalDate;
    })
  | (Dated & {
      readonly type: 'correct';
      readonly startDate: LocalDate;
      readonly terms: Terms;
      readonly correctionReason: string;
      readonly corrects: string | null;
    })
  | (Dated & { readonly type: 'withdraw'; readonly correctionReason: string; readonly corrects: string })
  | (Dated & { readonly type: 'end'; readonly endDate: LocalDate })
  | (Dated & { readonly type: 'reactivate'; readonly startDate: LocalDate; readonly terms: Terms });

/**
 * The events of a command (docs/reference/people-and-employment.md), or the reason for its refusal. Titles
 * are normalised like names.
 */
export function decideEmployment(requested: EmploymentCommand, state: EmploymentState): Decision<EmploymentEvent> {
  const command = 'terms' in requested ? { ...requested, terms: normalised(requested.terms) } : requested;
  const rejection = 'terms' in command ? termsRejection(command.personId, command.terms) : null;
  if (rejection !== null) return reject(rejection);
  switch (command.type) {
    case 'start':
      return decideStart(command, state);
    case 'change':
      return decideChange(command, state);
    case 'correct':
      return decideCorrection(command, state);
    case 'withdraw':
      return decideWithdrawal(command, state);
    case 'end':
      return decideEnd(command, state);
    case 'reactivate':
      return decideReactivation(command, state);
    default:
      return unreachable(command);
  }
}

function normalised(terms: Terms): Terms {
  return typeof terms.job_title === 'string' ? { ...terms, job_title: normaliseOptional(terms.job_title) } : terms;
}

type Of<Type extends EmploymentCommand['type']> = Extract<EmploymentCommand, { type: Type }>;

function decideStart(command: Of<'start'>, state: EmploymentState): Decision<EmploymentEvent> {
  // The id of a new person derives from the command, so this is a repeat of the same command.
  if (state.facts.length > 0) return accept();
  const { factId: fact_id, startDate: start_date, terms } = command;
  return accept({ type: 'EmploymentStarted', data: { fact_id, start_date, terms } });
}

function decideChange(command: Of<'change'>, state: EmploymentState): Decision<EmploymentEvent> {
  const reachable = periodsOf(state.facts).filter(
    (period) => period.finalDay === null || period.finalDay >= command.today,
  );
  if (reachable.length === 0) return reject(noPeriodToChange());
  if (!reachable.some((period) => holds(period, command.startDate))) {
    return reject(
      conflict('start_date', 'lies outside the current and the coming period; use employment-history for former ones'),
    );
  }
  const { factId: fact_id, startDate: start_date, terms } = command;
  return accept({ type: 'EmploymentChanged', data: { fact_id, start_date, terms } });
}

function decideCorrection(command: Of<'correct'>, state: EmploymentState): Decision<EmploymentEvent> {
  const reasonProblem = lineProblem(command.correctionReason);
  if (reasonProblem !== null) return reject(invalid('correction_reason', reasonProblem));
  const rejection =
    command.corrects === null
      ? outsideEveryPeriod(command, state)
      : correctionRejection(command, command.corrects, state);
  if (rejection !== null) return reject(rejection);
  const { factId: fact_id, startDate: start_date, terms, correctionReason: correction_reason, corrects } = command;
  return accept({ type: 'EmploymentCorrected', data: { fact_id, start_date, terms, correction_reason, corrects } });
}

function decideWithdrawal(command: Of<'withdraw'>, state: EmploymentState): Decision<EmploymentEvent> {
  const { factId: fact_id, correctionReason: correction_reason, corrects } = command;
  const reasonProblem = lineProblem(correction_reason);
  if (reasonProblem !== null) return reject(invalid('correction_reason', reasonProblem));
  const found = replaceableFact(corrects, state);
  if ('rejection' in found) return reject(found.rejection);
  const { fact } = found;
  if (fact.revision === 0) return reject(conflict('corrects', 'is the first fact of the person: correct it instead'));
  const restored = state.facts.find(({ factId }) => factId === fact.corrects);
  // Only a start has no date, and its correction adds one.
  const effective_date = (restored?.date ?? fact.date)!;
  const event: EmploymentEvent = {
    type: 'EmploymentFactWithdrawn',
    data: { fact_id, effective_date, correction_reason, corrects },
  };
  const contradiction = contradictionIn(evolveEmployment(state, event).facts);
  return contradiction === null ? accept(event) : reject(conflict('corrects', WITHDRAWAL_ISSUES[contradiction]));
}

/** The reasons for which a fact cannot be withdrawn before others are. */
const WITHDRAWAL_ISSUES: Readonly<Record<Contradiction, string>> = {
  'replaced twice': 'the fact that would be restored has been corrected or withdrawn: withdraw that first',
  'ended twice': 'the employment would end twice: withdraw the later recorded end first',
  'rehired while employed': 'the person has been hired again: withdraw that rehire first',
  'days that overlap':
    'the day that would be restored does not fit the other periods of employment: correct those first',
};

function decideEnd(command: Of<'end'>, state: EmploymentState): Decision<EmploymentEvent> {
  const period = periodsOf(state.facts).at(-1);
  if (period === undefined) return reject(notFound('person_id', 'has no employment'));
  if (period.finalDay !== null)
    return reject(conflict('status', `has already ended, with ${period.finalDay} as the final day`));
  if (period.start !== null && command.endDate < period.start) {
    return reject(conflict('end_date', `lies before the start of the period on ${period.start}`));
  }
  return accept({ type: 'EmploymentEnded', data: { fact_id: command.factId, end_date: command.endDate } });
}

function decideReactivation(command: Of<'reactivate'>, state: EmploymentState): Decision<EmploymentEvent> {
  const period = periodsOf(state.facts).at(-1);
  if (period === undefined) return reject(notFound('person_id', 'has no employment'));
  if (period.finalDay === null) return reject(conflict('status', 'is active: only an ended person can be reactivated'));
  if (command.startDate <= period.finalDay) {
    return reject(conflict('start_date', `must be after the final day of the prior period, ${period.finalDay}`));
  }
  const { factId: fact_id, startDate: start_date, terms } = command;
  return accept({ type: 'EmploymentReactivated', data: { fact_id, start_date, terms } });
}

/** The fact of this id, unless another fact has replaced or withdrawn it. */
function replaceableFact(
  factId: string,
  { facts }: EmploymentState,
): { readonly fact: Fact } | { readonly rejection: Rejection } {
  const fact = facts.find((candidate) => candidate.factId === factId);
  if (fact === undefined) return { rejection: notFound('corrects', 'is not a fact of this person') };
  const superseder = superseders(facts).get(factId);
  if (superseder === undefined) return { fact };
  const issue =
    superseder.action === 'withdrawal'
      ? 'was already withdrawn'
      : 'was already corrected: correct or withdraw the fact that replaced it';
  return { rejection: conflict('corrects', issue) };
}

function correctionRejection(command: Of<'correct'>, corrects: string, state: EmploymentState): Rejection | null {
  const found = replaceableFact(corrects, state);
  if ('rejection' in found) return found.rejection;
  const { fact } = found;
  if (fact.action === 'withdrawal')
    return conflict('corrects', 'is a withdrawal: withdraw it, or record the right fact');
  const kind = kindOf(fact, state.facts);
  switch (kind) {
    case 'change':
      return outsideEveryPeriod(command, state);
    case 'end':
      return endCorrectionRejection(command, fact, state);
    case 'start':
    case 'reactivate':
      return startCorrectionRejection(command, fact, state);
    default:
      return unreachable(kind);
  }
}

function startCorrectionRejection(command: Of<'correct'>, fact: Fact, state: EmploymentState): Rejection | null {
  const periods = periodsOf(state.facts);
  const at = periods.findIndex((period) => period.startFactId === fact.factId);
  const finalDay = periods[at]!.finalDay;
  const previousFinalDay = periods[at - 1]?.finalDay ?? null;
  if (finalDay !== null && command.startDate > finalDay)
    return conflict('start_date', `lies after the final day of the period, ${finalDay}`);
  if (previousFinalDay !== null && command.startDate <= previousFinalDay) {
    return conflict('start_date', `must be after the final day of the prior period, ${previousFinalDay}`);
  }
  return null;
}

function endCorrectionRejection(command: Of<'correct'>, fact: Fact, state: EmploymentState): Rejection | null {
  const named = Object.keys(command.terms)[0];
  if (named !== undefined) return invalid(named, 'an end of employment has no terms');
  const periods = periodsOf(state.facts);
  const at = periods.findIndex((period) => period.endFactId === fact.factId);
  const start = periods[at]!.start;
  const nextStart = periods[at + 1]?.start ?? null;
  if (start !== null && command.startDate < start)
    return conflict('start_date', `lies before the start of the period on ${start}`);
  if (nextStart !== null && command.startDate >= nextStart) {
    return conflict('start_date', `must be before the start of the next period on ${nextStart}`);
  }
  return null;
}

function outsideEveryPeriod(command: Of<'correct'>, state: EmploymentState): Rejection | null {
  if (periodsOf(state.facts).some((period) => holds(period, command.startDate))) return null;
  return conflict('start_date', 'lies outside every period of employment');
}

/**
 * Whether a fact of this date belongs to the period. A period with an unknown start accepts any earlier date.
 */
function holds(period: Period, date: LocalDate): boolean {
  const started = period.startIsKnown ? period.start !== null && date >= period.start : true;
  return started && (period.finalDay === null || date <= period.finalDay);
}

function noPeriodToChange(): Rejection {
  return conflict('status', 'has ended: reactivate the person, or correct former periods through employment-history');
}

function termsRejection(personId: string, terms: Terms): Rejection | null {
  if (terms.manager_id === personId) return conflict('manager_id', 'a person may not be their own manager');
  const titleProblem = typeof terms.job_title === 'string' ? lineProblem(terms.job_title) : null;
  if (titleProblem !== null) return invalid('job_title', titleProblem);
  const contracted = terms.contracted_weekly_minutes;
  if (!isWithin(contracted, 0)) return invalid('contracted_weekly_minutes', 'must be a whole number from 0 to 10080');
  if (!isWithin(terms.full_time_weekly_minutes, 1))
    return invalid('full_time_weekly_minutes', 'must be a whole number from 1 to 10080');
  return null;
}

/** Contract part 8: weekly minutes are at most those of a whole week, 10080. */
function isWithin(minutes: number | null | undefined, minimum: number): boolean {
  return (
    minutes === null || minutes === undefined || (Number.isInteger(minutes) && minutes >= minimum && minutes <= 10_080)
  );
}

export const employmentAggregate = defineAggregate({
  category: 'employment',
  initial: initialEmployment,
  evolve: evolveEmployment,
  publishedAs: {
    EmploymentChanged: ['person.updated'],
    EmploymentCorrected: ['person.updated'],
    // Also if an end is withdrawn: the person was employed all the time, so it is not a rehire.
    EmploymentFactWithdrawn: ['person.updated'],
    EmploymentEnded: ['person.ended'],
    EmploymentReactivated: ['person.reactivated'],
  },
});
