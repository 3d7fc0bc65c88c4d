import { emailKey } from '#http/fields/email-address.js';
import type { PoolClient } from 'pg';
import { type Header, openRows } from '../../importing/columns.js';
import { batchesOf, type CsvRow } from '../../importing/csv-rows.js';
import { ImportReport } from '../../importing/import-report.js';
import { PEOPLE_FILE, type PeopleRow, readPeopleRow, type ReadRow } from './import-columns.js';
import { type ImportSettings, PEOPLE_AT_ONCE, ROWS_AT_ONCE, withTemporaryTables } from './import-settings.js';
import { displayNameOf } from '../person/person.decider.js';
import { findNamesakes, findPeople, issueOfReference, type PeopleFound } from './find-people.js';
import { type Match, matchPerson } from './match-person.js';
import { CYCLE_ISSUE, ManagerCycles } from './manager-cycles.js';
import { issueOfRefusedManager, linesOnCycles } from './manager-order.js';
import { NamedReferences } from './named-references.js';
import { EMPTY_IDENTITY } from './plan-employment.js';
import { PeopleBatchWriter } from './people-batch-writer.js';
import { type RowToStage, StagedPeople } from './staged-people.js';

/**
 * Imports people, one a row, by their e-mail address. The file is read once into a temporary table, then written in batches, managers
 * before the people whom they manage. Safe to repeat after any interruption.
 */
export async function importPeople(settings: ImportSettings, rows: AsyncIterable<CsvRow>): Promise<ImportReport> {
  const report = new ImportReport();
  await withTemporaryTables(settings.pool, async (connection) => {
    const columns = { ...PEOPLE_FILE, needed: [[settings.matchBy ?? 'work_email']] };
    const file = await openRows(rows, report, columns, settings);
    if (file !== null) await new PeopleImport(settings, report, connection).run(file.header, file.rows);
  });
  return report;
}

class PeopleImport {
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
    const staged = await StagedPeople.open(this.connection);
    for await (const batch of batchesOf(rows, ROWS_AT_ONCE)) {
      report.rows += batch.length;
      await staged.add(
        await this.lookUp(batch.map((row) => ({ line: row.line, read: readPeopleRow(header, row, settings.matchBy ?? 'work_email') }))),
      );
      settings.onRead(report.rows);
    }
    await this.arrange(staged);
    const cycles = await ManagerCycles.open(this.connection, settings.context.organisationId);
    const writer = new PeopleBatchWriter(settings, report, this.references, cycles);
    await this.writeAll(staged, writer);
  }

  /** Looks up the next batch while one is written. */
  private async writeAll(staged: StagedPeople, writer: PeopleBatchWriter): Promise<void> {
    let next = writer.lookUp(await staged.next(PEOPLE_AT_ONCE));
    try {
      for (let ready = await next; ready.rows.length > 0; ready = await next) {
        const rows = await staged.next(PEOPLE_AT_ONCE);
        next = writer.lookUp(rows);
        // The promise is awaited below; without this handler, its rejection would be unhandled until then.
        next.catch(() => undefined);
        await writer.write(ready);
        this.settings.onSettled(this.report.settled, this.report.rows);
      }
      await writer.finish();
    } finally {
      await next.catch(() => undefined);
    }
  }

  /** Looks up the resources that the rows name, and the rows that concern existing people. */
  private async lookUp(rows: readonly { readonly line: number; readonly read: ReadRow<PeopleRow> }[]): Promise<readonly RowToStage[]> {
    const good = rows.flatMap(({ read }) => ('row' in read ? [read.row] : []));
    const emailKeys = rows.flatMap(({ read }) => emailKeyOf(read) ?? []);
    const found = await findPeople(this.settings.services.executor, this.settings.context.organisationId, {
      emailKeys,
      staffIds: good.flatMap(({ identity }) => identity.staff_id ?? []),
      ids: [],
    });
    const resolved = await this.references.resolve(good.map(({ terms }) => terms));
    const resolvedOf = new Map(good.map(({ line }, index) => [line, resolved[index]!]));
    const staged = rows.map(({ line, read }) => this.toStage(line, read, resolvedOf.get(line), found));
    await this.warnOfNamesakes(staged);
    return staged;
  }

  /** A new person with the name of another one may be the same: a second person is never made without a word. */
  private async warnOfNamesakes(staged: readonly RowToStage[]): Promise<void> {
    const news = staged.flatMap(({ line, row, is_known: isKnown }) => {
      const { first_name: first, last_name: last } = row?.identity ?? {};
      return row === null || isKnown || !first || !last ? [] : [{ line, name: displayNameOf({ ...EMPTY_IDENTITY, ...row.identity }) }];
    });
    const { services, context } = this.settings;
    const namesakes = await findNamesakes(
      services.executor,
      context.organisationId,
      news.map(({ name }) => name),
    );
    for (const { line, name } of news) {
      const email = namesakes.get(name);
      if (email === undefined) continue;
      const issue = `is new, and ${name} is here already, as ${email}: if this is the same person, give the row that address, or a staff_id that both have`;
      this.report.warn(line, [{ field: 'work_email', issue }]);
    }
  }

  private toStage(line: number, read: ReadRow<PeopleRow>, resolved: Resolved | undefined, found: PeopleFound): RowToStage {
    const { mint } = this.settings.services;
    const { organisationId } = this.settings.context;
    const match: Match = 'row' in read ? matchPerson(read.row, found, this.settings.matchBy ?? null) : { person: null };
    const known = 'person' in match ? match.person : null;
    // Where the staff_id names people, an address on the wrong row names nobody.
    const isUnnamed = 'issue' in match && this.settings.matchBy === 'staff_id';
    const email = isUnnamed ? null : (emailKeyOf(read) ?? known?.emailKey ?? null);
    const base = {
      line,
      email_key: email,
      staff_id: 'row' in read ? (read.row.identity.staff_id ?? null) : read.staffId,
      person_id: email === null ? null : (known?.personId ?? mint.newPerson(organisationId, ['import', email])),
      is_known: known !== null,
    };
    if ('row' in read && 'person' in match && resolved !== undefined && 'terms' in resolved) {
      const { startDate, endDate, effectiveDate, terms } = read.row;
      const identity = { ...read.row.identity, work_email: read.row.identity.work_email ?? known!.workEmail };
      const isRenamed = known !== null && known.emailKey !== email;
      return { ...base, manager: terms.manager, row: { identity, startDate, endDate, effectiveDate, isRenamed, resolved } };
    }
    const issues = [
      ...('issues' in read ? read.issues : []),
      ...('issue' in match ? [match.issue] : []),
      ...(resolved !== undefined && 'issues' in resolved ? resolved.issues : []),
    ];
    this.report.fail(line, issues);
    return { ...base, manager: null, row: null };
  }

  /** Resolves references between lines: refuses repeated addresses and staff_ids and invalid managers, and puts managers first. */
  private async arrange(staged: StagedPeople): Promise<void> {
    for (const { line, issues } of await staged.refuseRepeated()) this.report.fail(line, issues);
    for (const { line, reference, count } of await staged.findManagers(this.settings.context.organisationId)) {
      this.report.fail(line, [{ field: 'manager', issue: issueOfReference(reference, count) }]);
    }
    const unplaced = await staged.order();
    const managerOf = new Map(unplaced.map(({ line, manager_line: manager }) => [line, manager]));
    const onCycles = linesOnCycles(managerOf);
    for (const { line, manager_line: manager } of unplaced) {
      this.report.fail(line, [onCycles.has(line) ? CYCLE_ISSUE : { field: 'manager', issue: issueOfRefusedManager(manager) }]);
    }
  }
}

type Resolved = Awaited<ReturnType<NamedReferences['resolve']>>[number];

/** The person's e-mail address as addresses are compared; null where the row has no valid one. */
function emailKeyOf(read: ReadRow<PeopleRow>): string | null {
  const email = 'row' in read ? read.row.identity.work_email : read.workEmail;
  return typeof email === 'string' ? emailKey(email) : null;
}
