import type { CommandContext } from '#commands/command-context.js';
import type { Issue } from '#kernel/rejection.js';
import type { Stream } from '#projections/projection.js';
import { whileReferring } from '#commands/locks/references.js';
import { employmentAggregate, type EmploymentEvent, type EmploymentState } from '../employment/employment.decider.js';
import type { Terms } from '../employment/timeline.js';
import { findReferences, type References, streamsOfTerms } from '../people/references.js';
import type { ImportReport } from '../../importing/import-report.js';
import { type ImportSettings, MOST_ROUNDS, REASON } from './import-settings.js';
import { appendChanges, type LoadedPerson, loadPeople, storedRevisions } from './import-streams.js';
import type { NamedColumn } from './import-columns.js';
import { CYCLE_ISSUE, type ManagerCycles, type PlannedFacts } from './manager-cycles.js';
import { type NamedReferences, retiredIssues } from './named-references.js';
import { planHistoryRow, type Planned } from './plan-employment.js';
import { RecordedFacts } from './recorded-facts.js';
import type { StagedFact } from './staged-history.js';
import { type ChangesOfRow, reportChanges } from './term-changes.js';

type Rows = ReadonlyMap<string, readonly StagedFact[]>;
type Outcome = 'created' | 'unchanged' | readonly Issue[];

/** The events that the rows of one person record. */
interface Plan extends PlannedFacts {
  readonly loaded: LoadedPerson;
  readonly events: readonly EmploymentEvent[];
  readonly outcomes: readonly { readonly line: number; readonly outcome: Outcome; readonly changes?: ChangesOfRow }[];
}

/** The terms of rows, with the present state of the resources that they name. */
interface NamedTerms {
  readonly termsOf: (row: StagedFact) => Terms;
  readonly references: References;
}

/** Whether a single row that changes a person's facts makes a cycle; used where a batch contains one. */
type CycleCheck = (facts: PlannedFacts) => Promise<boolean>;

/** Writes the facts of batches of people; all facts of a person are one append. */
export class HistoryBatchWriter {
  constructor(
    private readonly settings: ImportSettings,
    private readonly report: ImportReport,
    private readonly references: NamedReferences,
    private readonly cycles: ManagerCycles,
  ) {}

  /** Settles every row of these people. */
  async write(rows: Rows): Promise<void> {
    let pending = rows;
    for (let round = 1; pending.size > 0; round += 1) {
      if (round > MOST_ROUNDS) throw new Error('other commands keep changing the people of this import: run it again when they have ended');
      pending = await this.writeRound(pending);
    }
  }

  /** Returns the rows of people whom another command changed in the meantime; they must be decided again. */
  private async writeRound(rows: Rows): Promise<Rows> {
    const { services, context, dryRun } = this.settings;
    const named = await this.references.create(
      [...rows.values()].flat().map(({ resolved }) => resolved),
      dryRun,
    );
    const termsOf = (row: StagedFact): Terms => ({
      ...named(row.resolved),
      ...(row.managerId === null ? {} : { manager_id: row.managerId }),
    });
    const terms = [...rows.values()].flat().map(termsOf);
    const settle = async (within: CommandContext): Promise<Rows> => {
      const references = await findReferences(services.executor, context.organisationId, terms);
      return this.settleRound(rows, { termsOf, references }, within);
    };
    if (dryRun) return settle(context);
    const streams = terms.flatMap((one) => streamsOfTerms(context.organisationId, one));
    return whileReferring(services, context, streams, (held) => settle(held.context));
  }

  private async settleRound(rows: Rows, named: NamedTerms, context: CommandContext): Promise<Rows> {
    const { services, dryRun } = this.settings;
    // A batch that names a manager holds the lock from here on: loaded data must stay valid until the batch is recorded.
    const mayNeedLock = [...rows.values()].flat().some(({ managerId }) => managerId !== null);
    try {
      if (mayNeedLock && !dryRun) await this.cycles.begin();
      const loaded = await loadPeople(services.store, context.organisationId, [...rows.keys()]);
      const plans = await this.plan(rows, loaded, named);
      return await this.record(rows, mayNeedLock || dryRun ? await this.withoutCycles(rows, plans, named) : plans, context);
    } finally {
      if (mayNeedLock || dryRun) await this.cycles.end(dryRun);
    }
  }

  private async plan(rows: Rows, loaded: ReadonlyMap<string, LoadedPerson>, named: NamedTerms): Promise<readonly Plan[]> {
    const plans: Plan[] = [];
    for (const [personId, own] of rows) plans.push(await this.planPerson(personId, own, loaded.get(personId)!, named, null));
    return plans;
  }

  private async planPerson(
    personId: string,
    rows: readonly StagedFact[],
    loaded: LoadedPerson,
    named: NamedTerms,
    makesCycle: CycleCheck | null,
  ): Promise<Plan> {
    const recorded = new RecordedFacts(loaded.state.facts);
    const events: EmploymentEvent[] = [];
    const outcomes: { line: number; outcome: Outcome; changes?: ChangesOfRow }[] = [];
    let state: EmploymentState = loaded.state;
    for (const row of rows) {
      const planned = this.planRow(personId, row, named, state, recorded);
      if ('issues' in planned) {
        outcomes.push({ line: row.line, outcome: planned.issues });
      } else if (makesCycle !== null && (await makesCycle({ personId, before: state.facts, after: planned.state.facts }))) {
        outcomes.push({ line: row.line, outcome: [CYCLE_ISSUE] });
      } else {
        const { line, subject, resolved } = row;
        const changes = { line, subject, employment: planned.changes, named: (column: string) => resolved.toCreate[column as NamedColumn] };
        outcomes.push({ line, outcome: planned.events.length > 0 ? 'created' : 'unchanged', changes });
        events.push(...planned.events);
        state = planned.state;
      }
    }
    return { personId, loaded, before: loaded.state.facts, after: state.facts, events, outcomes };
  }

  private planRow(personId: string, row: StagedFact, named: NamedTerms, state: EmploymentState, recorded: RecordedFacts): Planned {
    const { services, context } = this.settings;
    const terms = named.termsOf(row);
    const planned = planHistoryRow({ action: row.action, date: row.date, terms }, state, recorded, {
      personId,
      today: this.settings.today(),
      reason: REASON,
      factId: (...natural) => services.mint.prefixed('employmentFact', context.organisationId, 'import', personId, ...natural),
    });
    const issues = 'events' in planned && planned.events.length > 0 ? retiredIssues(terms, named.references, row.date) : null;
    return issues === null ? planned : { issues };
  }

  /** Where a batch as a whole makes a cycle, each row is checked separately, in order, and the rows that would make one are refused. */
  private async withoutCycles(rows: Rows, plans: readonly Plan[], named: NamedTerms): Promise<readonly Plan[]> {
    await this.cycles.plan(plans);
    if ((await this.cycles.find(plans)).size === 0) return plans;
    await this.cycles.plan(plans.map((plan) => ({ ...plan, after: plan.before })));
    const kept: Plan[] = [];
    for (const { personId, loaded } of plans) {
      const plan = await this.planPerson(
        personId,
        rows.get(personId)!,
        loaded,
        named,
        async (facts) => (await this.cycles.find([facts])).size > 0,
      );
      await this.cycles.plan([plan]);
      kept.push(plan);
    }
    return kept;
  }

  private async record(rows: Rows, plans: readonly Plan[], context: CommandContext): Promise<Rows> {
    const { services, dryRun } = this.settings;
    if (dryRun) {
      await this.count(plans);
      return new Map();
    }
    const streamOf = ({ personId }: PlannedFacts): string => employmentAggregate.streamOf(context.organisationId, personId);
    const landed = await appendChanges(
      services.store,
      context,
      plans.map((plan) => ({
        stream: streamOf(plan),
        loaded: plan.loaded.employment,
        events: plan.events.map((event) => ({ ...event, seed: event.data.fact_id })),
      })),
    );
    const refused = plans.filter((plan) => landed.get(streamOf(plan)) === 'refused');
    await this.count(plans.filter((plan) => !refused.includes(plan)));
    await this.project(plans, await this.streamsOf(plans.map(streamOf), landed));
    return new Map(refused.map(({ personId }) => [personId, rows.get(personId)!]));
  }

  /** Whole streams as they are now. Streams to which another command wrote the same events are read again. */
  private async streamsOf(names: readonly string[], landed: Awaited<ReturnType<typeof appendChanges>>): Promise<readonly Stream[]> {
    const repeated = names.filter((name) => landed.get(name) === 'repeated');
    const again = repeated.length === 0 ? [] : await this.settings.services.store.readStreams(repeated);
    return [...[...landed.values()].filter((stream) => typeof stream === 'object'), ...again];
  }

  private async project(plans: readonly Plan[], streams: readonly Stream[]): Promise<void> {
    const { services, context, pool } = this.settings;
    const ids = plans.map(({ personId }) => personId);
    const stored = await storedRevisions(pool, context.organisationId, ids);
    const revisions = new Map(ids.map((id) => [employmentAggregate.streamOf(context.organisationId, id), stored(id).employment]));
    const behind = streams.filter((stream) => stream.length > 0 && stream.at(-1)!.revision > revisions.get(stream[0]!.stream)!);
    const today = this.settings.today();
    await services.projector.project(services.executor, behind, { today: () => today, personKey: () => null });
  }

  private async count(plans: readonly Plan[]): Promise<void> {
    const outcomes = plans.flatMap((plan) => plan.outcomes);
    for (const { line, outcome } of outcomes) {
      if (typeof outcome === 'string') this.report.count(outcome);
      else this.report.fail(line, outcome);
    }
    await reportChanges(
      this.settings,
      this.report,
      outcomes.flatMap(({ changes }) => changes ?? []),
    );
  }
}
