import { emailKey } from '#http/fields/email-address.js';
import type { CommandContext } from '#commands/command-context.js';
import type { DomainEvent } from '#kernel/aggregate.js';
import type { LocalDate } from '#kernel/dates.js';
import type { Issue } from '#kernel/rejection.js';
import type { Stream } from '#projections/projection.js';
import { holdReferences } from '#commands/locks/references.js';
import { type NamedReferences, retiredIssues } from './named-references.js';
import { employmentAggregate, type EmploymentEvent } from '../employment/employment.decider.js';
import type { Terms } from '../employment/timeline.js';
import {
  decidePerson,
  evolvePerson,
  initialPerson,
  personAggregate,
  type PersonEvent,
  type PersonState,
  type WholeIdentity,
} from '../person/person.decider.js';
import { openPersonEvent, sealPersonEvent } from '../person/person-seal.js';
import { findReferences, streamsOfTerms } from '../people/references.js';
import type { ImportReport, RowOutcome } from '../../importing/import-report.js';
import { issuesOf } from './rejection-columns.js';
import { type ImportSettings, MOST_ROUNDS, REASON } from './import-settings.js';
import { appendChanges, type LoadedPerson } from './import-streams.js';
import type { NamedColumn } from './import-columns.js';
import { CYCLE_ISSUE, ManagerCycles, type PlannedFacts } from './manager-cycles.js';
import { issueOfRefusedManager } from './manager-order.js';
import { PeopleRounds, type Round } from './people-rounds.js';
import { EMPTY_IDENTITY, planPeopleRow } from './plan-employment.js';
import { RecordedFacts } from './recorded-facts.js';
import type { ReadyRow } from './staged-people.js';
import { type ChangesOfRow, type EmploymentChange, reportChanges } from './term-changes.js';

/** A row to record: the events for the two streams of its person. */
interface Plan extends PlannedFacts {
  readonly row: ReadyRow;
  readonly loaded: LoadedPerson;
  readonly employment: readonly EmploymentEvent[];
  readonly identity: readonly PersonEvent[];
  readonly outcome: RowOutcome;
  /** What the row changes of a person who is there already. */
  readonly changes: ChangesOfRow | null;
  /** Terms that the person gets and whose resources may have been archived in the meantime. */
  readonly referring: readonly { readonly terms: Terms; readonly day: LocalDate | null }[];
}

const TAKEN: Issue = { field: 'work_email', issue: 'another person of the organisation has this e-mail address' };
const MOVED_ON: Issue = { field: 'work_email', issue: 'was imported before, as a person who has another address today' };
const ORDER_OF_OUTCOMES: readonly RowOutcome[] = ['unchanged', 'changed', 'created'];

/** What a row changes of a person; a manager who is not there yet is named by their line. */
function changesOf(
  { line, manager_line: managerLine, row: { resolved } }: ReadyRow,
  employment: readonly EmploymentChange[],
  events: readonly PersonEvent[],
  before: WholeIdentity,
): ChangesOfRow {
  const identity = events.flatMap((event) => (event.type === 'PersonIdentityChanged' ? [event.data.identity] : []))[0] ?? {};
  const named = (column: string): string | undefined =>
    column === 'manager' && managerLine !== null ? `the person of line ${managerLine}` : resolved.toCreate[column as NamedColumn];
  return { line, subject: before.work_email, identity, identityBefore: before, employment, named };
}

/** Writes batches of rows: employment streams first, identities last, so that a person exists only when everything is recorded. */
export class PeopleBatchWriter {
  private readonly outcomes = new Map<number, RowOutcome>();
  private readonly changes = new Map<number, ChangesOfRow>();
  private readonly refused = new Map<number, readonly Issue[]>();
  /** Refused lines of earlier batches: their people cannot become managers. */
  private readonly refusedBefore = new Set<number>();
  /** Projections in progress, while the next batch is decided. */
  private projecting: Promise<void> = Promise.resolve();
  private readonly rounds: PeopleRounds;

  constructor(
    private readonly settings: ImportSettings,
    private readonly report: ImportReport,
    references: NamedReferences,
    private readonly cycles: ManagerCycles,
  ) {
    this.rounds = new PeopleRounds(settings, references);
  }

  /** Settles every row of the batch. Batches come in the order in which their rows are ready. */
  async write(prepared: Round): Promise<void> {
    let pending = await this.writeRound(prepared);
    for (let rounds = 1; pending.length > 0; rounds += 1) {
      if (rounds === MOST_ROUNDS)
        throw new Error('other commands keep changing the people of this import: run it again when they have ended');
      pending = await this.writeRound(await this.lookUp(pending));
    }
    for (const { line } of prepared.rows) {
      const issues = this.refused.get(line);
      if (issues === undefined) this.report.count(this.outcomes.get(line) ?? 'unchanged');
      else this.report.fail(line, issues);
    }
    if (this.refused.size > 0) await this.rounds.release(prepared, (line) => this.refused.has(line));
    for (const line of this.refused.keys()) this.refusedBefore.add(line);
    const changes = prepared.rows.flatMap(({ line }) => (this.refused.has(line) ? [] : (this.changes.get(line) ?? [])));
    await reportChanges(this.settings, this.report, changes);
    this.outcomes.clear();
    this.changes.clear();
    this.refused.clear();
  }

  /** Waits until everything that was appended can be read. */
  finish(): Promise<void> {
    return this.projecting;
  }

  /** Returns the rows that must be decided again, because another command changed their people in the meantime. */
  private async writeRound(round: Round): Promise<readonly ReadyRow[]> {
    const { services, context, dryRun } = this.settings;
    const planned = this.plan(round);
    if (dryRun) return this.settleRound(round, await this.withoutRetired(planned), context);
    const streams = planned.flatMap(({ referring }) => referring.flatMap(({ terms }) => streamsOfTerms(context.organisationId, terms)));
    const held = await holdReferences(services, context, streams);
    try {
      return await this.settleRound(round, await this.withoutRetired(planned), held.context);
    } finally {
      // The tables must show all references before a resource that they name can be archived.
      void this.projecting.then(held.release, held.release);
    }
  }

  private async settleRound(round: Round, candidates: readonly Plan[], context: CommandContext): Promise<readonly ReadyRow[]> {
    const needsLock = ManagerCycles.isNeeded(candidates);
    if (!needsLock && !this.settings.dryRun) return this.record(round, candidates, context);
    try {
      if (needsLock) await this.cycles.begin();
      await this.finish();
      const again = await this.record(round, await this.withoutCycles(candidates), context);
      await this.finish();
      return again;
    } finally {
      await this.cycles.end(this.settings.dryRun);
    }
  }

  /** Leaves out the rows that name an archived resource or an erased manager. */
  private async withoutRetired(plans: readonly Plan[]): Promise<readonly Plan[]> {
    const { pool, context } = this.settings;
    const references = await findReferences(
      pool,
      context.organisationId,
      plans.flatMap(({ referring }) => referring.map(({ terms }) => terms)),
    );
    for (const { row, referring } of plans) {
      const issues =
        referring.map(({ terms, day }) => retiredIssues(terms, references, day)).find((found) => found !== null) ??
        this.issuesBelowRefused(row);
      if (issues !== null) this.refused.set(row.line, issues);
    }
    return plans.filter(({ row }) => !this.refused.has(row.line));
  }

  /** Why a row whose manager was refused is refused as well; null where none was. Managers come before those whom they manage. */
  private issuesBelowRefused({ manager_line: manager }: ReadyRow): readonly Issue[] | null {
    const isBelowRefused = manager !== null && (this.refused.has(manager) || this.refusedBefore.has(manager));
    return isBelowRefused ? [{ field: 'manager', issue: issueOfRefusedManager(manager) }] : null;
  }

  /** Looks up and reserves what deciding the rows needs, while the batch before is written. */
  lookUp(rows: readonly ReadyRow[]): Promise<Round> {
    return this.rounds.lookUp(rows);
  }

  /** Plans the rows in their order, so that a row whose manager is refused in this batch is refused as well. */
  private plan(round: Round): readonly Plan[] {
    const plans: Plan[] = [];
    for (const row of round.rows) {
      const issues = this.issuesBelowRefused(row);
      const planned = issues === null ? this.planRow(row, round) : { issues };
      if ('issues' in planned) this.refused.set(row.line, planned.issues);
      else plans.push(planned);
    }
    return plans;
  }

  private planRow(row: ReadyRow, { loaded: people, stored, keys, reserved, termsOf }: Round): Plan | { readonly issues: readonly Issue[] } {
    const { context, services, effectiveDate: asOf = null } = this.settings;
    const { identity: wanted, startDate, endDate, effectiveDate } = row.row;
    const personId = row.person_id;
    if (reserved.get(personId) === null) return { issues: [TAKEN] };
    const loaded = people.get(personId)!;
    const key = keys.get(personId) ?? null;
    const person = loaded.identity.reduce<PersonState>((state, event) => evolvePerson(state, openPersonEvent(event, key)), initialPerson);
    const isMoved = person.status === 'recorded' && emailKey(person.identity.work_email) !== emailKey(wanted.work_email);
    if (isMoved && !row.row.isRenamed) return { issues: [MOVED_ON] };
    const terms = termsOf(row);
    const written = { startDate, endDate, effectiveDate, terms };
    const planned = planPeopleRow(written, asOf, loaded.state, new RecordedFacts(loaded.state.facts), {
      personId,
      today: this.settings.today(),
      reason: REASON,
      factId: (...natural) => services.mint.prefixed('employmentFact', context.organisationId, 'import', personId, ...natural),
    });
    if ('issues' in planned) return planned;
    const whole: WholeIdentity = { ...EMPTY_IDENTITY, ...wanted };
    const decision = decidePerson(
      person.status === 'none' ? { type: 'create', identity: whole } : { type: 'change', identity: wanted },
      person,
    );
    if ('rejection' in decision) return { issues: issuesOf(decision.rejection, 'work_email') };
    const isNew = stored(personId).identity === -1;
    const outcome = isNew ? 'created' : planned.events.length + decision.events.length > 0 ? 'changed' : 'unchanged';
    // A person exists once their identity is recorded, whenever their terms were recorded.
    const referring =
      person.status === 'none'
        ? [{ terms, day: effectiveDate ?? startDate ?? this.settings.today() }]
        : planned.events.flatMap(({ data }) => ('terms' in data ? [{ terms: data.terms, day: data.start_date }] : []));
    return {
      row,
      personId,
      loaded,
      employment: planned.events,
      identity: decision.events,
      before: loaded.state.facts,
      after: planned.state.facts,
      outcome,
      changes:
        person.status === 'recorded' && outcome === 'changed' ? changesOf(row, planned.changes, decision.events, person.identity) : null,
      referring,
    };
  }

  /** Leaves out the rows by which a person would become their own manager; checks row by row only where there is a cycle. */
  private async withoutCycles(plans: readonly Plan[]): Promise<readonly Plan[]> {
    await this.cycles.plan(plans);
    const known = plans.filter(({ before }) => before.length > 0);
    if ((await this.cycles.find(known)).size === 0) return plans;
    await this.cycles.plan(plans.map((plan) => ({ ...plan, after: plan.before.length > 0 ? plan.before : plan.after })));
    const kept: Plan[] = [];
    for (const plan of plans) {
      if (plan.before.length > 0) {
        if ((await this.cycles.find([plan])).size > 0) {
          this.refused.set(plan.row.line, [CYCLE_ISSUE]);
          continue;
        }
        await this.cycles.plan([plan]);
      }
      kept.push(plan);
    }
    return kept;
  }

  private async record(round: Round, plans: readonly Plan[], context: CommandContext): Promise<readonly ReadyRow[]> {
    if (this.settings.dryRun) {
      for (const plan of plans) this.note(plan);
      return [];
    }
    const { services } = this.settings;
    const { organisationId } = context;
    const again: ReadyRow[] = [];
    const employment = await appendChanges(
      services.store,
      context,
      plans.map(({ personId, loaded, employment: events }) => ({
        stream: employmentAggregate.streamOf(organisationId, personId),
        loaded: loaded.employment,
        events: events.map((event): DomainEvent & { seed: string } => ({ ...event, seed: event.data.fact_id })),
      })),
    );
    const employed = plans.filter(({ personId }) => employment.get(employmentAggregate.streamOf(organisationId, personId)) !== 'refused');
    const identity = await appendChanges(
      services.store,
      context,
      employed.map(({ personId, loaded, identity: events }) => ({
        stream: personAggregate.streamOf(organisationId, personId),
        loaded: loaded.identity,
        events: events.map((event) => ({
          ...sealPersonEvent(event, round.keys.get(personId)!),
          seed: `identity ${loaded.identity.length}`,
        })),
      })),
    );
    const streams: Stream[] = [];
    for (const plan of plans) {
      const recorded = [
        employment.get(employmentAggregate.streamOf(organisationId, plan.personId))!,
        identity.get(personAggregate.streamOf(organisationId, plan.personId)),
      ];
      const whole = recorded.filter((stream) => typeof stream === 'object');
      if (whole.length < recorded.length) again.push(plan.row);
      if (!recorded.includes('refused')) this.note(plan);
      const { identity: identityRevision, employment: employmentRevision } = round.stored(plan.personId);
      const [first, second] = recorded;
      if (typeof first === 'object' && first.length - 1 > employmentRevision) streams.push(first);
      if (typeof second === 'object' && second.length - 1 > identityRevision) streams.push(second);
    }
    await this.project(streams, round);
    return again;
  }

  /** Starts to project as soon as the projection before is complete. */
  private async project(streams: readonly Stream[], { keys }: Round): Promise<void> {
    await this.finish();
    const { services } = this.settings;
    const today = this.settings.today();
    this.projecting = services.projector.project(services.executor, streams, {
      today: () => today,
      personKey: (_, personId) => keys.get(personId) ?? null,
    });
    // The next caller that awaits the promise gets its failure; without this handler, the rejection would be unhandled until then.
    this.projecting.catch(() => undefined);
  }

  private note({ row: { line }, outcome, changes }: Plan): void {
    const before = this.outcomes.get(line) ?? 'unchanged';
    if (changes !== null && !this.changes.has(line)) this.changes.set(line, changes);
    if (ORDER_OF_OUTCOMES.indexOf(outcome) >= ORDER_OF_OUTCOMES.indexOf(before)) this.outcomes.set(line, outcome);
  }
}
