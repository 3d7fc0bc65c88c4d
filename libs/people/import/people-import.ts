import { emailKey } from '#http/fields/email-address.js';
import type { Issue } from '#kernel/rejection.js';
import { type CsvRow, groupedBy, issueOfRepeat } from '#csv-import/csv-rows.js';
import { ImportReport } from '#csv-import/import-report.js';
import { type ReadRow, readRows } from '#csv-import/import-rows.js';
import type { Terms } from '../employment/timeline.js';
import { completeIdentity, decidePerson, displayNameOf, type Identity } from '../person/person.js';
import { findNamesakes, findPeople, type FoundPerson, issueOfReference, type PeopleFound } from './find-people.js';
import { PEOPLE_FILE, type PeopleRow, readPeopleRow } from './import-columns.js';
import type { ImportSettings } from './import-settings.js';
import { issueOfRefusedManager, linesOnCycles } from './manager-order.js';
import { type Match, matchPerson } from './match-person.js';
import { NamedReferences, type ResolvedTerms } from './named-references.js';
import { idOfImported } from './person-commands.js';
import { planPeopleRow, type PlanningContext, type Refusal } from './plan-employment.js';
import { CYCLE_ISSUE } from './planned-managers.js';
import { PeopleRecorder, type PersonWithPlan, type PlannedRow } from './record-people.js';
import { issuesOf } from './rejection-columns.js';

/** A row of the file, and the person to whom it refers. */
interface Entry {
  readonly line: number;
  readonly row: PeopleRow;
  readonly staffId: string | null;
  /** The existing person; null for a new one. */
  readonly known: FoundPerson | null;
  readonly resolved: ResolvedTerms | null;
  /**
   * In the form in which addresses are compared; null if the row has no address, or repeats an earlier row.
   */
  emailKey: string | null;
  personId: string | null;
  manager: Manager | null;
}

interface Manager {
  readonly id: string;
  /** The line of a manager whom this file creates. */
  readonly line: number | null;
}

/**
 * Imports people, one per row. The whole file is read first, so that rows may refer to each other in any
 * order. Safe to repeat.
 */
export async function importPeople(settings: ImportSettings, rows: AsyncIterable<CsvRow>): Promise<ImportReport> {
  const report = new ImportReport();
  const key = settings.matchBy ?? 'work_email';
  const form = {
    ...PEOPLE_FILE,
    needed: [[key]],
    read: (cells: Parameters<typeof readPeopleRow>[0]) => readPeopleRow(cells, key),
  };
  await new PeopleImport(settings, report).run(await readRows(settings, rows, form, report));
  return report;
}

class PeopleImport {
  private readonly references: NamedReferences;

  constructor(
    private readonly settings: ImportSettings,
    private readonly report: ImportReport,
  ) {
    this.references = new NamedReferences(settings.services, settings.context, settings.createMissing);
  }

  async run(rows: readonly ReadRow<PeopleRow>[]): Promise<void> {
    const found = await this.lookUp(rows);
    const entries = await this.identify(rows, found);
    await this.warnOfNamesakes(this.accepted(entries));
    this.refuseRepeated(entries);
    this.findManagers(entries, found);
    const levels = this.inLevels(this.accepted(entries));
    const named = await this.references.create(
      levels.flat().map(({ resolved }) => resolved!),
      this.settings.dryRun,
    );
    const recorder = new PeopleRecorder(this.settings, this.report);
    for (const level of levels) {
      const placed = level.filter((entry) => !this.isBelowRefused(entry));
      await recorder.record(placed.map((entry) => this.rowsOf(entry, named(entry.resolved!))));
    }
    await recorder.finish();
  }

  private accepted(entries: readonly Entry[]): readonly Entry[] {
    return entries.filter(({ line }) => !this.report.hasRefused(line));
  }

  private lookUp(rows: readonly ReadRow<PeopleRow>[]): Promise<PeopleFound> {
    const managers = rows.flatMap(({ row }) => row.terms.manager ?? []);
    const ids = managers.filter((text) => !text.includes('@'));
    const addresses = [
      ...rows.flatMap(({ row }) => row.identity.work_email ?? []),
      ...managers.filter((text) => text.includes('@')),
    ];
    const staffIds = [...rows.flatMap(({ row }) => row.identity.staff_id ?? []), ...ids];
    const { services, context } = this.settings;
    return findPeople(services.executor, context.organisationId, { emailKeys: addresses.map(emailKey), staffIds, ids });
  }

  /**
   * Resolves the people and the references of the rows. Refused rows are kept: other rows may refer to their
   * people.
   */
  private async identify(rows: readonly ReadRow<PeopleRow>[], found: PeopleFound): Promise<readonly Entry[]> {
    const accepted = rows.filter(({ isRefused }) => !isRefused);
    const resolved = await this.references.resolve(accepted.map(({ row }) => row.terms));
    const resolvedOf = new Map(accepted.map(({ line }, index) => [line, resolved[index]!]));
    const { matchBy = null } = this.settings;
    return rows.map(({ line, row, isRefused }) => {
      const match: Match = isRefused ? { person: null } : matchPerson(row, found, matchBy);
      const terms = resolvedOf.get(line);
      const issues = [
        ...('issue' in match ? [match.issue] : []),
        ...(terms !== undefined && 'issues' in terms ? terms.issues : []),
      ];
      if (issues.length > 0) this.report.fail(line, issues);
      const known = 'person' in match ? match.person : null;
      // If the staff_id identifies people, an address on the wrong row identifies no person.
      const email = 'issue' in match && matchBy === 'staff_id' ? undefined : row.identity.work_email;
      const key = email === undefined ? (known?.emailKey ?? null) : emailKey(email);
      return {
        line,
        row,
        staffId: row.identity.staff_id ?? null,
        known,
        resolved: terms !== undefined && 'terms' in terms ? terms : null,
        emailKey: key,
        personId: known?.personId ?? (key === null ? null : idOfImported(this.settings, key)),
        manager: null,
      };
    });
  }

  /**
   * A new person with the name of another one may be the same: a possible duplicate is never created without
   * confirmation.
   */
  private async warnOfNamesakes(entries: readonly Entry[]): Promise<void> {
    const newPeople = entries.flatMap(({ line, row: { identity }, known }) => {
      const isNamed = known === null && Boolean(identity.first_name) && Boolean(identity.last_name);
      return isNamed ? [{ line, name: displayNameOf(completeIdentity({ work_email: '', ...identity })) }] : [];
    });
    const { services, context } = this.settings;
    const namesakes = await findNamesakes(
      services.executor,
      context.organisationId,
      newPeople.map(({ name }) => name),
    );
    for (const { line, name } of newPeople) {
      const email = namesakes.get(name);
      if (email === undefined) continue;
      const issue =
        `is new, and ${name} already exists, as ${email}: if this is the same person, give the ` +
        'row that address, or a staff_id that both have';
      this.report.warn(line, [{ field: 'work_email', issue }]);
    }
  }

  /**
   * Refuses all rows that share an address or a staff_id. The first row keeps its address, so that references
   * to a manager by it are found, and refused.
   */
  private refuseRepeated(entries: readonly Entry[]): void {
    const issues = new Map<number, Issue[]>();
    for (const column of ['work_email', 'staff_id'] as const) {
      const repeated = groupedBy(entries, (entry) => (column === 'work_email' ? entry.emailKey : entry.staffId));
      for (const group of repeated.values()) {
        if (group.length === 1) continue;
        for (const [index, entry] of group.entries()) {
          const other = group[index === 0 ? 1 : index - 1]!;
          issues.set(entry.line, [
            ...(issues.get(entry.line) ?? []),
            { field: column, issue: issueOfRepeat(other.line) },
          ]);
          if (column === 'work_email' && index > 0) Object.assign(entry, { emailKey: null, personId: null });
        }
      }
    }
    for (const [line, own] of issues) if (!this.report.hasRefused(line)) this.report.fail(line, own);
  }

  /**
   * Resolves the managers of the rows, in the file and among existing people: the staff_id of a row replaces
   * the recorded one of its person. Refuses rows whose reference matches no person, or several.
   */
  private findManagers(entries: readonly Entry[], found: PeopleFound): void {
    const named = entries.filter(({ personId }) => personId !== null);
    const byEmail = new Map(named.map((entry) => [entry.emailKey, entry.personId!]));
    const byStaffId = groupedBy(named, ({ staffId }) => staffId);
    const byId = groupedBy(named, ({ personId }) => personId);
    const meantBy = (reference: string): readonly string[] => {
      if (reference.includes('@'))
        return [byEmail.get(emailKey(reference)), found.withEmail(reference)?.personId].filter(
          (id) => id !== undefined,
        );
      const inFile = byStaffId.get(reference)?.map(({ personId }) => personId!) ?? [];
      const recorded = found.withStaffId(reference).map(({ personId }) => personId);
      const byNumber = [...inFile, ...recorded.filter((id) => !byId.get(id)?.some(({ staffId }) => staffId !== null))];
      return byNumber.length > 0 ? byNumber : [found.withId(reference)?.personId].filter((id) => id !== undefined);
    };
    for (const entry of this.accepted(entries)) {
      const reference = entry.row.terms.manager;
      if (reference === null) continue;
      const [id, ...others] = new Set(meantBy(reference));
      if (id === undefined || others.length > 0) {
        const count = id === undefined ? 0 : 1 + others.length;
        this.report.fail(entry.line, [{ field: 'manager', issue: issueOfReference(reference, count) }]);
      } else {
        const own = byId.get(id)?.find(({ line, known }) => line !== entry.line && known === null);
        entry.manager = { id, line: own?.line ?? null };
      }
    }
  }

  /**
   * Managers whom the file creates come before their reports. Refuses rows on cycles, and rows below refused
   * ones.
   */
  private inLevels(entries: readonly Entry[]): readonly (readonly Entry[])[] {
    const below = groupedBy(entries, ({ manager }) => manager?.line);
    const levels: (readonly Entry[])[] = [];
    let level = entries.filter(({ manager }) => (manager?.line ?? null) === null);
    while (level.length > 0) {
      levels.push(level);
      level = level.flatMap(({ line }) => below.get(line) ?? []).sort((one, other) => one.line - other.line);
    }
    const placed = new Set(levels.flat());
    const managerOf = new Map(
      entries.filter((entry) => !placed.has(entry)).map(({ line, manager }) => [line, manager!.line!]),
    );
    const onCycles = linesOnCycles(managerOf);
    for (const [line, manager] of managerOf)
      this.report.fail(line, [
        onCycles.has(line) ? CYCLE_ISSUE : { field: 'manager', issue: issueOfRefusedManager(manager) },
      ]);
    return levels;
  }

  /** Refuses a row whose manager's row has been refused. */
  private isBelowRefused({ line, manager }: Entry): boolean {
    const managerLine = manager?.line ?? null;
    if (managerLine === null || !this.report.hasRefused(managerLine)) return false;
    this.report.fail(line, [{ field: 'manager', issue: issueOfRefusedManager(managerLine) }]);
    return true;
  }

  private rowsOf(entry: Entry, named: Terms): Parameters<PeopleRecorder['record']>[0][number] {
    const { line, manager, personId } = entry;
    const terms = { ...named, ...(manager === null ? {} : { manager_id: manager.id }) };
    return {
      personId: personId!,
      rows: [
        {
          line,
          columnOfStatus: 'end_date',
          plan: (person, context) => planRow(entry, terms, this.settings.effectiveDate ?? null, person, context),
        },
      ],
    };
  }
}

const MOVED_ON: Issue = {
  field: 'work_email',
  issue: 'was imported before, as a person who has another address today',
};

function planRow(
  { line, row, known, emailKey: requestedKey, manager, resolved }: Entry,
  terms: Terms,
  asOf: string | null,
  { employment, identity: person, recorded }: PersonWithPlan,
  context: PlanningContext,
): PlannedRow | Refusal {
  const isRenamed = known !== null && known.emailKey !== requestedKey;
  if (person.status === 'recorded' && !isRenamed && emailKey(person.identity.work_email) !== requestedKey)
    return { issues: [MOVED_ON] };
  const planned = planPeopleRow({ ...row, terms }, asOf, employment, recorded, context);
  if ('issues' in planned) return planned;
  const requested = { ...row.identity, work_email: row.identity.work_email ?? known!.workEmail };
  const whole = completeIdentity(requested);
  const isNew = person.status === 'none';
  const decision = decidePerson(
    isNew ? { type: 'create', identity: whole } : { type: 'change', identity: requested },
    person,
  );
  if ('rejection' in decision) return { issues: issuesOf(decision.rejection, 'work_email') };
  if (isNew) return { ...planned, create: whole, outcome: 'created', changes: null };
  const [event] = decision.events;
  const change: Identity | undefined = event?.type === 'PersonIdentityChanged' ? event.data.identity : undefined;
  if (planned.facts.length === 0 && change === undefined) return { ...planned, outcome: 'unchanged', changes: null };
  const namedAs = (column: string): string | undefined =>
    column === 'manager' && manager?.line
      ? `the person of line ${manager.line}`
      : resolved!.toCreate[column as keyof ResolvedTerms['toCreate']];
  const changes = {
    line,
    subject: person.identity.work_email,
    identity: change ?? {},
    identityBefore: person.identity,
    employment: planned.changes,
    named: namedAs,
  };
  return { ...planned, ...(change === undefined ? {} : { change }), outcome: 'changed', changes };
}
