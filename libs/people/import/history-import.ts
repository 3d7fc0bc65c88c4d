import { emailKey } from '#http/fields/email-address.js';
import { type Issue, RejectedError } from '#kernel/rejection.js';
import { type CsvRow, groupedBy } from '#csv-import/csv-rows.js';
import { ImportReport } from '#csv-import/import-report.js';
import { readRows } from '#csv-import/import-rows.js';
import type { Terms } from '../employment/timeline.js';
import { findPeople, issueOfReference, type PeopleFound, personNamedBy } from './find-people.js';
import { HISTORY_FILE, type HistoryRow, readHistoryRow } from './import-columns.js';
import type { ImportSettings } from './import-settings.js';
import { NamedReferences, type ResolvedTerms } from './named-references.js';
import { planHistoryRow, RANK_OF_ACTION } from './plan-employment.js';
import { PeopleRecorder, type RowOfPerson } from './record-people.js';

/** A row of the file with its references resolved. */
interface HistoryFact {
  readonly line: number;
  readonly row: HistoryRow;
  readonly personId: string;
  readonly managerId: string | null;
  readonly resolved: ResolvedTerms;
}

/**
 * Imports the employment history of existing people, one fact per row. The whole file is read first; the
 * facts of each person are recorded in the order of their days. Safe to repeat.
 */
export async function importEmploymentHistory(
  settings: ImportSettings,
  rows: AsyncIterable<CsvRow>,
): Promise<ImportReport> {
  const report = new ImportReport();
  const references = new NamedReferences(settings.services, settings.context, settings.createMissing);
  const read = await readRows(settings, rows, { ...HISTORY_FILE, read: readHistoryRow }, report);
  const facts = await findOut(
    settings,
    references,
    read.filter(({ isRefused }) => !isRefused),
    report,
  );
  const named = await references.create(
    facts.map(({ resolved }) => resolved),
    settings.dryRun,
  );
  const recorder = new PeopleRecorder(settings, report);
  const people = [...groupedBy(facts, ({ personId }) => personId)].sort(
    ([, one], [, other]) => one.at(-1)!.line - other.at(-1)!.line,
  );
  await recorder.record(
    people.map(([personId, own]) => ({
      personId,
      rows: own.toSorted(byDay).map((fact) => rowOf(fact, named(fact.resolved))),
    })),
  );
  await recorder.finish();
  return report;
}

/** Looks up the people and resources in the rows; refuses rows with missing ones. */
async function findOut(
  { services, context }: ImportSettings,
  references: NamedReferences,
  rows: readonly { readonly line: number; readonly row: HistoryRow }[],
  report: ImportReport,
): Promise<readonly HistoryFact[]> {
  const managers = rows.flatMap(({ row }) => row.terms.manager ?? []);
  const ids = managers.filter((text) => !text.includes('@'));
  const addresses = [
    ...rows.flatMap(({ row }) => row.workEmail ?? []),
    ...managers.filter((text) => text.includes('@')),
  ];
  const found = await findPeople(services.executor, context.organisationId, {
    emailKeys: addresses.map(emailKey),
    staffIds: [...rows.flatMap(({ row }) => row.staffId ?? []), ...ids],
    ids,
  });
  const resolved = await references.resolve(rows.map(({ row }) => row.terms));
  return rows.flatMap(({ line, row }, index) => {
    const person = personOf(row, found);
    const manager = managerOf(row, found);
    const terms = resolved[index]!;
    if ('id' in person && 'id' in manager && 'terms' in terms)
      return [{ line, row, personId: person.id!, managerId: manager.id, resolved: terms }];
    report.fail(
      line,
      [person, manager, terms].flatMap((one) => ('issues' in one ? one.issues : [])),
    );
    return [];
  });
}

type Found = { readonly id: string | null } | { readonly issues: readonly Issue[] };

function personOf({ staffId, workEmail }: HistoryRow, found: PeopleFound): Found {
  try {
    return { id: personNamedBy({ staffId: staffId ?? undefined, workEmail: workEmail ?? undefined }, found) };
  } catch (error) {
    if (error instanceof RejectedError) return { issues: error.rejection.details };
    throw error;
  }
}

function managerOf({ terms: { manager } }: HistoryRow, found: PeopleFound): Found {
  if (manager === null) return { id: null };
  const people = found.meantBy(manager);
  return people.length === 1
    ? { id: people[0]!.personId }
    : { issues: [{ field: 'manager', issue: issueOfReference(manager, people.length) }] };
}

function byDay({ line, row }: HistoryFact, other: HistoryFact): number {
  if (row.date !== other.row.date) return row.date < other.row.date ? -1 : 1;
  return RANK_OF_ACTION[row.action] - RANK_OF_ACTION[other.row.action] || line - other.line;
}

function rowOf({ line, row, managerId, resolved }: HistoryFact, named: Terms): RowOfPerson {
  const { action, date } = row;
  const terms = { ...named, ...(managerId === null ? {} : { manager_id: managerId }) };
  return {
    line,
    columnOfStatus: 'action',
    plan: ({ employment, recorded }, context) => {
      const planned = planHistoryRow({ action, date, terms }, employment, recorded, context);
      if ('issues' in planned) return planned;
      const changes = {
        line,
        subject: row.workEmail ?? row.staffId!,
        employment: planned.changes,
        named: (column: string) => resolved.toCreate[column as keyof ResolvedTerms['toCreate']],
      };
      return { ...planned, outcome: planned.facts.length > 0 ? 'created' : 'unchanged', changes };
    },
  };
}
