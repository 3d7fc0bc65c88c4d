import { openPersonKey } from '#database/key-rings/person-key-seal.js';
import { type Issue, RejectedError } from '#kernel/rejection.js';
import type { ImportReport, RowOutcome } from '#csv-import/import-report.js';
import { forEachConcurrently } from '#csv-import/import-rows.js';
import {
  employmentAggregate,
  type EmploymentEvent,
  type EmploymentState,
  evolveEmployment,
  initialEmployment,
} from '../employment/employment.js';
import { gainedManagers } from '../employment/manager-guard.js';
import { type Terms, timelineOf } from '../employment/timeline.js';
import {
  evolvePerson,
  type Identity,
  initialPerson,
  personAggregate,
  type PersonState,
  type CompleteIdentity,
} from '../person/person.js';
import { openPersonEvent } from '../person/person-seal.js';
import { archivedReference, findReferences, keyOf, type Reference, type References } from '../record/references.js';
import type { ImportSettings } from './import-settings.js';
import { PersonChangedError, PersonCommands } from './person-commands.js';
import type { PlannedFact, PlanningContext, Refusal } from './plan-employment.js';
import { CYCLE_ISSUE, PlannedManagers } from './planned-managers.js';
import { RecordedFacts } from './recorded-facts.js';
import { issuesOf } from './rejection-columns.js';
import { type ChangesOfRow, reportChanges } from './term-changes.js';

/** The recorded facts of a person, with the planned ones of the rows so far. */
export interface PersonWithPlan {
  readonly employment: EmploymentState;
  readonly identity: PersonState;
  /** The facts that were recorded before the import. */
  readonly recorded: RecordedFacts;
}

/** The facts that a row records of its person. */
export interface PlannedRow {
  readonly facts: readonly PlannedFact[];
  readonly state: EmploymentState;
  /** The identity of a new person. */
  readonly create?: CompleteIdentity;
  readonly change?: Identity;
  readonly outcome: RowOutcome;
  /** The changes of the row to an existing person. */
  readonly changes: ChangesOfRow | null;
}

/** A row of a file with its references resolved. */
export interface RowOfPerson {
  readonly line: number;
  readonly plan: (person: PersonWithPlan, context: PlanningContext) => PlannedRow | Refusal;
  /** The column of a refusal because of the person's status. */
  readonly columnOfStatus: string;
}

/** All rows of one person, in the order in which they apply. */
export interface PersonRows {
  readonly personId: string;
  readonly rows: readonly RowOfPerson[];
}

interface LoadedPerson extends Omit<PersonWithPlan, 'recorded'> {
  readonly key: Buffer | null;
  readonly identityRevision: number;
}

const NOT_RECORDED: LoadedPerson = {
  employment: initialEmployment,
  identity: initialPerson,
  identityRevision: -1,
  key: null,
};

/** A row that is planned on the facts of the previous rows. */
interface PlannedOn extends PlannedRow {
  readonly before: EmploymentState;
}

type Plans = ReadonlyMap<number, Refusal | PlannedOn>;

/** The maximum number of times that a person is planned again because of concurrent commands. */
const MAX_ROUNDS = 50;

/**
 * Processes the rows of people: plans what they record, and sends the commands, or only reports in a dry run.
 */
export class PeopleRecorder {
  private readonly commands: PersonCommands;
  private readonly managers: PlannedManagers;
  /** The state of people after the rows so far, in a dry run. */
  private readonly planned = new Map<string, EmploymentState>();
  private waiting: readonly PersonRows[] = [];

  constructor(
    private readonly settings: ImportSettings,
    private readonly report: ImportReport,
  ) {
    this.commands = new PersonCommands(settings);
    this.managers = new PlannedManagers(settings.services.executor, settings.context.organisationId);
  }

  /**
   * Processes people, sixteen at a time. Existing people who get a manager wait for {@link finish}, so that
   * the last of the rows that form a cycle is refused, in any order of execution.
   */
  async record(people: readonly PersonRows[]): Promise<void> {
    const waiting = new Set<PersonRows>();
    await forEachConcurrently(people, async (person) => {
      if (!(await this.settle(person, false))) waiting.add(person);
    });
    this.waiting = [...this.waiting, ...people.filter((person) => waiting.has(person))];
  }

  /** Processes the waiting people, one after the other in their order. */
  async finish(): Promise<void> {
    for (const person of this.waiting) await this.settle(person, true);
  }

  /** Returns false if the person has to wait. */
  private async settle(person: PersonRows, isAlone: boolean): Promise<boolean> {
    const refused = new Map<number, readonly Issue[]>();
    const settled = new Map<number, PlannedRow>();
    for (let round = 1; ; round += 1) {
      if (round > MAX_ROUNDS)
        throw new Error('other commands keep changing the people of this import: run it again when they have ended');
      const loaded = await this.load(person.personId);
      const rows = person.rows.filter(({ line }) => !refused.has(line));
      const plans = await this.plan({ ...person, rows }, loaded, isAlone);
      if (plans === null) return false;
      if (!(await this.send({ ...person, rows }, plans, loaded, { refused, settled }))) continue;
      for (const [line, plan] of plans) if ('issues' in plan && !settled.has(line)) refused.set(line, plan.issues);
      break;
    }
    await this.tell(person.rows, refused, settled);
    return true;
  }

  /** Loads a person, and projects them if a process ended between an append and its projection. */
  private async load(personId: string): Promise<LoadedPerson> {
    const { services, context, dryRun } = this.settings;
    const { store, executor, projector } = services;
    const { organisationId } = context;
    const { rows } = await executor.query<{ key: Buffer | null; employment: number | null; identity: number | null }>({
      name: 'import-person',
      text: `select k.key, p.employment_revision as employment, p.identity_revision as identity
               from person_keys k left join people p using (organisation_id, person_id)
                 where k.organisation_id = $1 and k.person_id = $2`,
      values: [organisationId, personId],
    });
    // The key is stored before the first event of either stream.
    if (rows[0] === undefined) return NOT_RECORDED;
    const key = await openPersonKey(executor, { organisationId, personId }, rows[0].key);
    const names = [
      employmentAggregate.streamOf(organisationId, personId),
      personAggregate.streamOf(organisationId, personId),
    ];
    const [employment = [], identity = []] = await store.readStreams(names);
    const isShown =
      employment.length - 1 <= (rows[0].employment ?? -1) && identity.length - 1 <= (rows[0].identity ?? -1);
    if (!isShown && !dryRun)
      await projector.project(
        executor,
        [employment, identity].filter(({ length }) => length > 0),
      );
    return {
      key,
      employment: employment.reduce(
        (state, event) => evolveEmployment(state, event as unknown as EmploymentEvent),
        initialEmployment,
      ),
      identity: identity.reduce<PersonState>(
        (state, event) => evolvePerson(state, openPersonEvent(event, key)),
        initialPerson,
      ),
      identityRevision: identity.length - 1,
    };
  }

  /** Plans the rows one after the other; null if the person has to wait. */
  private async plan({ personId, rows }: PersonRows, loaded: LoadedPerson, isAlone: boolean): Promise<Plans | null> {
    const recorded = new RecordedFacts(loaded.employment.facts);
    const plans = new Map<number, Refusal | PlannedOn>();
    let before = loaded.employment;
    for (const { line, plan } of rows) {
      const planned = plan(
        { employment: before, identity: loaded.identity, recorded },
        { personId, today: this.settings.today() },
      );
      const gained =
        'issues' in planned || before.facts.length === 0 ? [] : gainedManagers(before.facts, planned.state.facts);
      if (gained.length > 0 && !isAlone) return null;
      const issues = 'issues' in planned ? planned.issues : await this.issuesOf(personId, planned, gained);
      if (issues !== null || 'issues' in planned) {
        plans.set(line, { issues: issues ?? [] });
        continue;
      }
      plans.set(line, { ...planned, before });
      before = planned.state;
    }
    this.managers.plan(personId, this.settings.dryRun ? before.facts : null);
    if (this.settings.dryRun) this.planned.set(personId, before);
    return plans;
  }

  /**
   * The reason for which the row's commands would be refused because of concurrent writes; null if there is
   * none. A single command reports it itself; several would be recorded in part.
   */
  private async issuesOf(
    personId: string,
    { facts, change }: PlannedRow,
    gained: ReturnType<typeof gainedManagers>,
  ): Promise<readonly Issue[] | null> {
    if (!this.settings.dryRun && facts.length + (change === undefined ? 0 : 1) < 2) return null;
    const naming = facts.flatMap(({ request }) => ('terms' in request ? [request] : []));
    const references = await this.referencesOf(naming.map(({ terms }) => terms));
    for (const { terms, startDate } of naming) {
      const rejection = archivedReference(terms, references, startDate ?? this.settings.today());
      if (rejection !== null) return issuesOf(rejection, 'action');
    }
    return (await this.managers.wouldCycle(personId, gained)) ? [CYCLE_ISSUE] : null;
  }

  private async referencesOf(terms: readonly Terms[]): Promise<References> {
    const { services, context } = this.settings;
    const references = new Map(await findReferences(services.executor, context.organisationId, terms));
    for (const { manager_id: id } of terms) {
      const planned = typeof id === 'string' ? this.planned.get(id) : undefined;
      if (planned !== undefined)
        references.set(keyOf('manager_id', id!), { name: id!, isArchived: false, absences: absencesIn(planned) });
    }
    return references;
  }

  /**
   * Sends the commands of the rows. Returns false if the rest has to be planned again; records the refused
   * and the processed rows.
   */
  private async send(
    { personId, rows }: PersonRows,
    plans: Plans,
    loaded: LoadedPerson,
    {
      refused,
      settled,
    }: { readonly refused: Map<number, readonly Issue[]>; readonly settled: Map<number, PlannedRow> },
  ): Promise<boolean> {
    for (const { line, columnOfStatus } of rows) {
      const plan = plans.get(line)!;
      if ('issues' in plan) continue;
      try {
        const isAsPlanned = this.settings.dryRun || (await this.sendRow(personId, plan, loaded));
        if (!settled.has(line)) settled.set(line, plan);
        if (!isAsPlanned) return false;
      } catch (error) {
        if (error instanceof RejectedError) {
          const { employment, identityRevision } = await this.load(personId);
          const isAsLoaded =
            employment.facts.length === loaded.employment.facts.length && identityRevision === loaded.identityRevision;
          if (isAsLoaded) refused.set(line, issuesOf(error.rejection, columnOfStatus));
        } else if (!(error instanceof PersonChangedError)) throw error;
        return false;
      }
    }
    return true;
  }

  /** Returns false if an earlier attempt recorded the start, perhaps from another row. */
  private async sendRow(
    personId: string,
    { facts, before, create, change }: PlannedOn,
    { key, identityRevision }: LoadedPerson,
  ): Promise<boolean> {
    if (create !== undefined) {
      const { date: startDate = null, terms = {} } = before.facts[0] ?? {};
      const start = facts.map(({ request }) => request).find((request) => request.type === 'start') ?? {
        startDate,
        terms,
      };
      const isFirst = await this.commands.create({ identity: create, startDate: start.startDate, terms: start.terms });
      if (!isFirst) return false;
    }
    for (const [index, fact] of facts.entries()) {
      if (fact.request.type !== 'start')
        await this.commands.recordFact(personId, fact, before.facts.length + index - 1);
    }
    if (change !== undefined) await this.commands.changeIdentity(personId, key!, change, identityRevision);
    return true;
  }

  private async tell(
    rows: readonly RowOfPerson[],
    refused: ReadonlyMap<number, readonly Issue[]>,
    settled: ReadonlyMap<number, PlannedRow>,
  ): Promise<void> {
    for (const { line } of rows) {
      const issues = refused.get(line);
      if (issues !== undefined) this.report.fail(line, issues);
      else this.report.count(settled.get(line)!.outcome);
    }
    const changes = rows.flatMap(({ line }) => (refused.has(line) ? [] : (settled.get(line)!.changes ?? [])));
    if (changes.length > 0) await reportChanges(this.settings, this.report, changes);
    this.settings.onSettled(this.report.settled, this.report.rows);
  }
}

/** The days after an employment. */
function absencesIn({ facts }: EmploymentState): Reference['absences'] {
  return timelineOf(facts).segments.flatMap(({ employed, validFrom, validTo }) =>
    employed ? [] : [{ from: validFrom!, to: validTo }],
  );
}
