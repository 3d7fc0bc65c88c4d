import { emailKey } from '#http/fields/email-address.js';
import type { PoolClient } from 'pg';
import type { Issue } from '#kernel/rejection.js';
import { type Header, openRows } from '../../importing/columns.js';
import { batchesOf, type CsvRow } from '../../importing/csv-rows.js';
import { ImportReport } from '../../importing/import-report.js';
import { findPeople, issueOfReference, type PeopleFound } from './find-people.js';
import { HistoryBatchWriter } from './history-batch-writer.js';
import { HISTORY_FILE, type HistoryRow, readHistoryRow } from './import-columns.js';
import { type ImportSettings, PEOPLE_AT_ONCE, ROWS_AT_ONCE, withTemporaryTables } from './import-settings.js';
import { ManagerCycles } from './manager-cycles.js';
import { NamedReferences } from './named-references.js';
import { type StagedFact, StagedHistory } from './staged-history.js';

/**
 * Imports the employment history of existing people, one fact a row. The file is read once into a temporary table, which puts the facts of
 * each person in the order of their dates. Safe to repeat after any interruption.
 */
export async function importEmploymentHistory(settings: ImportSettings, rows: AsyncIterable<CsvRow>): Promise<ImportReport> {
  const report = new ImportReport();
  await withTemporaryTables(settings.pool, async (connection) => {
    const file = await openRows(rows, report, HISTORY_FILE, settings);
    if (file !== null) await new HistoryImport(settings, report, connection).run(file.header, file.rows);
  });
  return report;
}

class HistoryImport {
  private readonly references: NamedReferences;

  constructor(
    private readonly settings: ImportSettings,
    private readonly report: ImportReport,
    private readonly connection: PoolClient,
  ) {
    this.references = new NamedReferences(settings.services, settings.context, settings.createMissing);
  }

  async run(header: Header, rows: AsyncIterable<CsvRow>): Promise<void> {
    const { settings, report } = this;
    const staged = await StagedHistory.open(this.connection);
    for await (const batch of batchesOf(rows, ROWS_AT_ONCE)) {
      report.rows += batch.length;
      const good: HistoryRow[] = [];
      for (const row of batch) {
        const read = readHistoryRow(header, row);
        if ('row' in read) good.push(read.row);
        else report.fail(row.line, read.issues);
      }
      await staged.add(await this.lookUp(good));
      settings.onRead(report.rows);
    }
    await staged.arrange();
    const writer = new HistoryBatchWriter(
      settings,
      report,
      this.references,
      await ManagerCycles.open(this.connection, settings.context.organisationId),
    );
    for (;;) {
      const batch = await staged.next(PEOPLE_AT_ONCE);
      if (batch.size === 0) return;
      await writer.write(batch);
      settings.onSettled(report.settled, report.rows);
    }
  }

  /** Looks up the people and resources that the rows name; reports rows that name missing ones. */
  private async lookUp(rows: readonly HistoryRow[]): Promise<readonly StagedFact[]> {
    const references = rows.flatMap(({ staffId, workEmail, terms }) => [staffId, workEmail, terms.manager]).filter((text) => text !== null);
    const names = references.filter((text) => !text.includes('@'));
    const found = await findPeople(this.settings.services.executor, this.settings.context.organisationId, {
      emailKeys: references.filter((text) => text.includes('@')).map(emailKey),
      staffIds: [...names, ...rows.flatMap(({ staffId }) => staffId ?? [])],
      ids: names,
    });
    const resolved = await this.references.resolve(rows.map(({ terms }) => terms));
    return rows.flatMap((row, index) => {
      const person = personOf(row, found);
      const manager = managerOf(row, found);
      const terms = resolved[index]!;
      if ('id' in person && 'id' in manager && 'terms' in terms) {
        const { line, action, date } = row;
        const subject = row.workEmail ?? row.staffId!;
        return [{ line, personId: person.id!, subject, action, date, managerId: manager.id, resolved: terms }];
      }
      this.report.fail(
        row.line,
        [person, manager, terms].flatMap((one): readonly Issue[] => ('issues' in one ? one.issues : [])),
      );
      return [];
    });
  }
}

type Found = { readonly id: string | null } | { readonly issues: readonly Issue[] };

function personOf({ staffId, workEmail }: HistoryRow, found: PeopleFound): Found {
  if (workEmail !== null) {
    const person = found.withEmail(workEmail);
    if (person === null) return { issues: [{ field: 'work_email', issue: issueOfReference(workEmail, 0) }] };
    if (staffId === null || staffId === person.staffId) return { id: person.personId };
    return { issues: [{ field: 'staff_id', issue: `is not the staff_id of ${workEmail}` }] };
  }
  const people = found.withStaffId(staffId!);
  if (people.length === 1) return { id: people[0]!.personId };
  return { issues: [{ field: 'staff_id', issue: issueOfReference(staffId!, people.length) }] };
}

function managerOf({ terms: { manager } }: HistoryRow, found: PeopleFound): Found {
  if (manager === null) return { id: null };
  const people = found.meantBy(manager);
  return people.length === 1
    ? { id: people[0]!.personId }
    : { issues: [{ field: 'manager', issue: issueOfReference(manager, people.length) }] };
}
