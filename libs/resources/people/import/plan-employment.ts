import type { LocalDate } from '#kernel/dates.js';
import { canonicalJson } from '#kernel/json.js';
import type { Issue } from '#kernel/rejection.js';
import {
  decideEmployment,
  type EmploymentCommand,
  type EmploymentEvent,
  type EmploymentState,
  evolveEmployment,
} from '../employment/employment.decider.js';
import { believed, type Fact, kindOf, type Terms } from '../employment/timeline.js';
import type { EmploymentRequest } from '../people/people-writer.js';
import type { WholeIdentity } from '../person/person.decider.js';
import type { HistoryAction } from './import-columns.js';
import { issuesOf } from './rejection-columns.js';
import type { RecordedFacts } from './recorded-facts.js';

/** The data about the person and the import that planning needs. */
export interface PlanningContext {
  readonly personId: string;
  readonly today: LocalDate;
  /** The reason that a correction of history records. */
  readonly reason: string;
  /** The id of a fact, derived from its natural key: the same whenever the same rows are imported. */
  readonly factId: (...natural: readonly string[]) => string;
}

/** Facts to record, in order, with the state after them; or the issues. */
export type Planned =
  { readonly events: readonly EmploymentEvent[]; readonly state: EmploymentState } | { readonly issues: readonly Issue[] };

const NOTHING_RECORDED: EmploymentState = { facts: [] };

/** The employment part of a row of people. */
export interface PeopleTerms {
  readonly startDate: LocalDate | null;
  readonly endDate: LocalDate | null;
  readonly terms: Terms;
}

/**
 * Plans what a row of people records in the employment of its person.
 *
 * A row means: employed from start_date until end_date, on these terms from start_date on. For a person who has an employment, only what
 * was never recorded is added: terms that no fact of that day names with the same value become a change on that day (in a former period, a
 * correction), and a missing end is recorded. So a repeated row changes nothing, whatever was recorded for later days in between. A row
 * never moves a period: a start_date on which no period begins is refused.
 */
export function planPeopleRow(row: PeopleTerms, state: EmploymentState, recorded: RecordedFacts, context: PlanningContext): Planned {
  const planner = new Planner(state, context);
  if (state.facts.length === 0) planner.decide({ type: 'start', startDate: row.startDate, terms: row.terms });
  else {
    const issue = issueOfStart(row, state, recorded, context.today);
    if (issue !== null) return { issues: [issue] };
    planMissingTerms(row, recorded, planner);
  }
  if (row.endDate !== null && !recorded.hasEnd(row.endDate)) planner.decide({ type: 'end', endDate: row.endDate });
  return planner.result('end_date');
}

function issueOfStart({ startDate, terms }: PeopleTerms, state: EmploymentState, recorded: RecordedFacts, today: LocalDate): Issue | null {
  if (startDate !== null) {
    if (recorded.hasFirstDay(startDate) || recorded.hasUndatedStart()) return null;
    return { field: 'start_date', issue: 'is not the first day of a period of this person; import later days with employment-history' };
  }
  const missing = Object.entries(recorded.withoutRecorded(null, terms)) as [keyof Terms, unknown][];
  const inForce = believed(state.facts).findLast(({ validFrom }) => validFrom === null || validFrom <= today)?.terms;
  if (missing.every(([name, value]) => inForce?.[name] === value)) return null;
  return { field: 'start_date', issue: 'is required where the terms of an existing person change: they apply from that day on' };
}

function planMissingTerms(row: PeopleTerms, recorded: RecordedFacts, planner: Planner): void {
  const { startDate } = row;
  if (startDate === null) return;
  const missing = recorded.withoutRecorded(startDate, row.terms);
  if (Object.keys(missing).length > 0 || !recorded.hasFirstDay(startDate)) planner.change(startDate, missing);
}

/** A row of history with its references resolved. */
export interface HistoryFact {
  readonly action: HistoryAction;
  readonly date: LocalDate;
  readonly terms: Terms;
}

/** Plans what a row of history records; no event where a fact of the person matches the row already. */
export function planHistoryRow(row: HistoryFact, state: EmploymentState, recorded: RecordedFacts, context: PlanningContext): Planned {
  const planner = new Planner(state, context);
  switch (row.action) {
    case 'change':
      if (!recorded.takeChange(row.date, row.terms)) planner.change(row.date, row.terms);
      break;
    case 'end':
      if (!recorded.takeEnd(row.date)) planner.decide({ type: 'end', endDate: row.date });
      break;
    case 'reactivate':
      if (!recorded.takeReactivation(row.date, row.terms)) planner.decide({ type: 'reactivate', startDate: row.date, terms: row.terms });
  }
  return planner.result('action');
}

/** The order in which the rows of one person apply on one day: a period begins, changes, ends. */
export const RANK_OF_ACTION: Readonly<Record<HistoryAction, number>> = { reactivate: 0, change: 1, end: 2 };

/** An identity without any of the other fields. */
export const EMPTY_IDENTITY: Omit<WholeIdentity, 'work_email'> = {
  first_name: null,
  preferred_name: null,
  last_name: null,
  staff_id: null,
};

/** What rows of a file record. */
type PlannedRequest = Exclude<EmploymentRequest, { readonly type: 'withdraw' }>;

/** Decides one command after another through the decider that the API uses. */
class Planner {
  private readonly events: EmploymentEvent[] = [];
  private rejected: Parameters<typeof issuesOf>[0] | null = null;

  constructor(
    private state: EmploymentState,
    private readonly context: PlanningContext,
  ) {}

  decide(request: PlannedRequest): boolean {
    if (this.rejected !== null) return false;
    const command = { ...request, personId: this.context.personId, factId: this.factIdOf(request) } as EmploymentCommand;
    const decision = decideEmployment(command, this.state);
    if ('rejection' in decision) {
      this.rejected = decision.rejection;
      return false;
    }
    this.events.push(...decision.events);
    this.state = decision.events.reduce(evolveEmployment, this.state);
    return true;
  }

  /** Records a change where the day is in the current or the coming period and nothing later is recorded, else a correction. */
  change(startDate: LocalDate, terms: Terms): void {
    const { reason: correctionReason, today } = this.context;
    const isLast = !this.state.facts.some(
      (fact) => fact.date !== null && fact.date > startDate && kindOf(fact, this.state.facts) !== 'end',
    );
    if (isLast && this.decide({ type: 'change', startDate, terms, today })) return;
    this.rejected = null;
    this.decide({ type: 'correct', startDate, terms, correctionReason, corrects: null });
  }

  result(columnOfStatus: string): Planned {
    return this.rejected === null ? { events: this.events, state: this.state } : { issues: issuesOf(this.rejected, columnOfStatus) };
  }

  private factIdOf(request: PlannedRequest): string {
    const date = request.type === 'end' ? request.endDate : request.startDate;
    const terms = canonicalJson('terms' in request ? request.terms : {});
    return this.context.factId(
      request.type,
      date ?? '',
      terms,
      String(this.state.facts.filter((fact) => isAlike(fact, request.type, date)).length),
    );
  }
}

/** Whether a fact has this kind and day; facts of the same kind and day are numbered. */
function isAlike(fact: Fact, type: PlannedRequest['type'], date: LocalDate | null): boolean {
  return fact.date === date && fact.action === (type === 'correct' ? 'correction' : type);
}

export { NOTHING_RECORDED };
