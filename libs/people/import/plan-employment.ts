import { dayAfter, type LocalDate } from '#kernel/dates.js';
import { canonicalJson } from '#kernel/json.js';
import type { Issue, Rejection } from '#kernel/rejection.js';
import {
  decideEmployment,
  type EmploymentCommand,
  type EmploymentState,
  evolveEmployment,
} from '../employment/employment.js';
import { type Fact, kindOf, periodsOf, superseders, type Terms } from '../employment/timeline.js';
import type { EmploymentRequest } from '../record/people-writer.js';
import type { HistoryAction } from './import-columns.js';
import { columnOf, issuesOf } from './rejection-columns.js';
import type { RecordedFacts } from './recorded-facts.js';
import { changesOn, type EmploymentChange, namesOf } from './term-changes.js';

/** The data about the person and the import that planning needs. */
export interface PlanningContext {
  readonly personId: string;
  readonly today: LocalDate;
}

/**
 * The reason for corrections by an import. Without the file's name, which may contain a person's name: events
 * stay after an erasure.
 */
const REASON = 'Imported from a file';

/** The command of a row of a file, as in the API. */
export type FactRequest = Exclude<EmploymentRequest, { readonly type: 'withdraw' }>;

/** A fact to record, with the parts from which its ids derive: the same for every import of the same rows. */
export interface PlannedFact {
  readonly request: FactRequest;
  readonly seed: readonly string[];
}

/**
 * Facts to record, in order, with the state after them and the changes of an existing person; or the issues.
 */
export type Planned =
  | {
      readonly facts: readonly PlannedFact[];
      readonly state: EmploymentState;
      readonly changes: readonly EmploymentChange[];
    }
  | Refusal;

export interface Refusal {
  readonly issues: readonly Issue[];
}

/** The employment part of a row of people. */
export interface PeopleTerms {
  /** The hire date. */
  readonly startDate: LocalDate | null;
  readonly endDate: LocalDate | null;
  /** The effective date of the terms, if the row has one of its own. */
  readonly effectiveDate: LocalDate | null;
  readonly terms: Terms;
}

/**
 * Plans the facts of a row of people for the employment of its person (docs/how-to/import-people.md).
 *
 * A new person is employed from `start_date` on, on the terms from the row's own effective date, otherwise
 * from the first day. For an existing person, a term that differs from the timeline on the effective date,
 * the row's own or that of the whole file, becomes a change from that day on. Nothing earlier changes, so a
 * repeated row records nothing. Without an effective date the terms must be those of today. A row never moves
 * a hire date: a different one is refused.
 *
 * @param asOf - the effective date of the whole file for existing people
 */
export function planPeopleRow(
  row: PeopleTerms,
  asOf: LocalDate | null,
  state: EmploymentState,
  recorded: RecordedFacts,
  context: PlanningContext,
): Planned {
  const planner = new Planner(state, context);
  const issue =
    state.facts.length === 0 ? planStart(row, planner) : planExisting(row, row.effectiveDate ?? asOf, planner, context);
  if (issue !== null) return { issues: [issue] };
  if (row.endDate !== null && !recorded.hasEnd(row.endDate)) {
    planner.decide({ type: 'end', endDate: row.endDate });
    if (state.facts.length > 0)
      planner.note([{ field: 'end_date', before: null, after: row.endDate, effectiveDate: dayAfter(row.endDate) }]);
  }
  return planner.result('end_date');
}

function planStart({ startDate, effectiveDate, terms }: PeopleTerms, planner: Planner): Issue | null {
  if (effectiveDate === null || effectiveDate === startDate || namesOf(terms).length === 0) {
    planner.decide({ type: 'start', startDate, terms });
    return null;
  }
  if (startDate !== null && effectiveDate < startDate)
    return { field: 'effective_date', issue: `lies before the start_date, ${startDate}` };
  planner.decide({ type: 'start', startDate, terms: {} });
  planner.decideTerms(effectiveDate, terms);
  return null;
}

function planExisting(
  row: PeopleTerms,
  effectiveDate: LocalDate | null,
  planner: Planner,
  { today }: PlanningContext,
): Issue | null {
  const issue = row.startDate === null ? null : planHireDate(row.startDate, planner);
  if (issue !== null) return issue;
  const { facts } = planner.current;
  const changes = changesOn(facts, effectiveDate ?? today, row.terms);
  if (changes.length === 0) return null;
  const columns = changes.map(({ field }) => columnOf(field, field)).join(', ');
  if (effectiveDate === null) {
    const issueOfDay =
      'is required to change terms of an existing person: give the effective date in a column ' +
      'effective_date, or for ' +
      `the whole file (${columns})`;
    return { field: 'effective_date', issue: issueOfDay };
  }
  const overtaken = changes.flatMap(
    ({ field }) => dayOfLaterChange(facts, field as keyof Terms, effectiveDate, today) ?? [],
  )[0];
  if (overtaken !== undefined) {
    const issueOfOrder =
      `lies before a change that is recorded on ${overtaken} (${columns}): import earlier days ` +
      'with employment-history';
    return { field: 'effective_date', issue: issueOfOrder };
  }
  planner.decideTerms(effectiveDate, Object.fromEntries(changes.map(({ field, after }) => [field, after])));
  planner.note(changes);
  return null;
}

/** Sets the first day of an employment without one; refuses a day other than the recorded one. */
function planHireDate(startDate: LocalDate, planner: Planner): Issue | null {
  const periods = periodsOf(planner.current.facts);
  if (periods.some(({ start }) => start === startDate)) return null;
  const [first] = periods;
  const hasNone = first !== undefined && !first.startIsKnown && (first.start === null || startDate < first.start);
  if (!hasNone) {
    const days = periods.map(({ start }) => start).join(' or ');
    return {
      field: 'start_date',
      issue: `differs from the recorded hire date, ${days}: an import of people never moves a hire date`,
    };
  }
  planner.decide({ type: 'change', startDate, terms: {}, today: planner.today });
  planner.note([{ field: 'start_date', before: first.start, after: startDate, effectiveDate: startDate }]);
  return null;
}

/** The day after `day` on which an effective change contains the term; null if there is none. */
function dayOfLaterChange(
  facts: readonly Fact[],
  term: keyof Terms,
  day: LocalDate,
  today: LocalDate,
): LocalDate | null {
  const replaced = superseders(facts);
  const later = facts.filter(
    (fact) =>
      fact.date !== null &&
      fact.date > day &&
      fact.date <= today &&
      fact.terms[term] !== undefined &&
      kindOf(fact, facts) === 'change' &&
      !replaced.has(fact.factId),
  );
  return later.map(({ date }) => date!).toSorted()[0] ?? null;
}

/** A row of history with its references resolved. */
export interface HistoryFact {
  readonly action: HistoryAction;
  readonly date: LocalDate;
  readonly terms: Terms;
}

/** Plans the facts of a row of history; none if a fact of the person already matches the row. */
export function planHistoryRow(
  row: HistoryFact,
  state: EmploymentState,
  recorded: RecordedFacts,
  context: PlanningContext,
): Planned {
  const planner = new Planner(state, context);
  switch (row.action) {
    case 'change':
      if (recorded.takeChange(row.date, row.terms)) break;
      planner.note(changesOn(state.facts, row.date, row.terms));
      planner.change(row.date, row.terms);
      break;
    case 'end':
      if (recorded.takeEnd(row.date)) break;
      planner.note([{ field: 'end_date', before: null, after: row.date, effectiveDate: dayAfter(row.date) }]);
      planner.decide({ type: 'end', endDate: row.date });
      break;
    case 'reactivate':
      if (recorded.takeReactivation(row.date, row.terms)) break;
      planner.note([
        { field: 'start_date', before: null, after: row.date, effectiveDate: row.date },
        ...firstTerms(row),
      ]);
      planner.decide({ type: 'reactivate', startDate: row.date, terms: row.terms });
  }
  return planner.result('action');
}

/** The terms of a new period, which inherits no terms. */
function firstTerms({ date, terms }: HistoryFact): readonly EmploymentChange[] {
  return namesOf(terms).map((field) => ({ field, before: null, after: terms[field] ?? null, effectiveDate: date }));
}

/** The order in which the rows of one person apply on one day: a period begins, changes, ends. */
export const RANK_OF_ACTION: Readonly<Record<HistoryAction, number>> = { reactivate: 0, change: 1, end: 2 };

/** Decides one command after another through the API's decider. */
class Planner {
  private readonly facts: PlannedFact[] = [];
  private readonly changes: EmploymentChange[] = [];
  private rejected: Rejection | null = null;

  constructor(
    private state: EmploymentState,
    private readonly context: PlanningContext,
  ) {}

  /** The state after the decided events. */
  get current(): EmploymentState {
    return this.state;
  }

  get today(): LocalDate {
    return this.context.today;
  }

  note(changes: readonly EmploymentChange[]): void {
    this.changes.push(...changes);
  }

  decide(request: FactRequest): boolean {
    if (this.rejected !== null) return false;
    const seed = this.seedOf(request);
    const command = { ...request, personId: this.context.personId, factId: seed.join(' ') } as EmploymentCommand;
    const decision = decideEmployment(command, this.state);
    if ('rejection' in decision) {
      this.rejected = decision.rejection;
      return false;
    }
    if (decision.events.length > 0) this.facts.push({ request, seed });
    this.state = decision.events.reduce(evolveEmployment, this.state);
    return true;
  }

  /**
   * Records terms from their effective date on, in the current or the coming period; a rejection names the
   * column of that date.
   */
  decideTerms(effectiveDate: LocalDate, terms: Terms): void {
    if (
      this.rejected !== null ||
      this.decide({ type: 'change', startDate: effectiveDate, terms, today: this.context.today })
    )
      return;
    const rejected = this.rejected!;
    const details = rejected.details.map(({ field, issue }) => ({
      field: field === 'start_date' || field === 'status' ? 'effective_date' : field,
      issue,
    }));
    this.rejected = { ...rejected, details };
  }

  /**
   * Records a change if the day is in the current or the coming period and no later fact is recorded,
   * otherwise a correction.
   */
  change(startDate: LocalDate, terms: Terms): void {
    const { today } = this.context;
    const isLast = !this.state.facts.some(
      (fact) => fact.date !== null && fact.date > startDate && kindOf(fact, this.state.facts) !== 'end',
    );
    if (isLast && this.decide({ type: 'change', startDate, terms, today })) return;
    this.rejected = null;
    this.decide({ type: 'correct', startDate, terms, correctionReason: REASON, corrects: null });
  }

  result(columnOfStatus: string): Planned {
    const { facts, state, changes } = this;
    return this.rejected === null ? { facts, state, changes } : { issues: issuesOf(this.rejected, columnOfStatus) };
  }

  /** Facts of the same kind and day are numbered. */
  private seedOf(request: FactRequest): readonly string[] {
    const date = request.type === 'end' ? request.endDate : request.startDate;
    const action = request.type === 'correct' ? 'correction' : request.type;
    const alike = this.state.facts.filter((fact) => fact.date === date && fact.action === action).length;
    const terms = canonicalJson('terms' in request ? request.terms : {});
    return ['import', this.context.personId, request.type, date ?? '', terms, String(alike)];
  }
}
