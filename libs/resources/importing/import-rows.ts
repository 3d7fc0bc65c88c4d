import type { CommandContext } from '#commands/command-context.js';
import { type Issue, RejectedError } from '#kernel/rejection.js';
import type { CommandServices } from '#commands/execute.js';
import { Cells } from './cells.js';
import { type FileColumns, type Header, openRows } from './columns.js';
import { type CsvRow, issueOfRepeat } from './csv-rows.js';
import { type ImportChange, ImportReport, type RowOutcome } from './import-report.js';
import type { ImportSettings } from './import-settings.js';
import { dryRunOf } from './dry-run.js';

/** How to turn the rows of a file into commands, one after the other in the order of lines. */
export interface RowImport<Row> extends FileColumns {
  /** Reads a row by its form alone, and refuses all invalid cells through `cells`. */
  readonly read: (cells: Cells) => Row;
  /** The key of the thing that a row describes, where a file may name it only once; repeats are reported in `column`. */
  readonly keyOf?: (row: Row) => { readonly column: string; readonly key: string };
  /** Looks up the data from the read tables that `record` needs, for all valid rows together. Called before the first row is recorded. */
  readonly prepare?: (services: CommandServices, organisationId: string, rows: readonly Row[]) => Promise<void>;
  /**
   * Executes a row with the commands of the resource, and returns the outcome, `unchanged` where it was recorded before, or what it changed.
   * Throws {@link RejectedError} for a refused row. The context's seed is unique to the row. In a dry run the services are those of `dry-run.ts`, and it
   * must write only through them.
   */
  readonly record: (services: CommandServices, context: CommandContext, row: Row) => Promise<RowOutcome | ChangedRow>;
  /** The column of a rejection's field; by default the field's own name. */
  readonly columnOf?: (field: string) => string;
}

/** What a row changed, or would in a dry run. */
export type ChangedRow = readonly Omit<ImportChange, 'line'>[];

interface ReadRow<Row> {
  readonly line: number;
  readonly row: Row;
}

/**
 * Imports a file in which each row is a command or two. The whole file is read before anything is written, so an unreadable file writes
 * nothing; its valid rows are held in memory (some 300 bytes each). Valid rows are recorded, the others reported. An import that ends with
 * an error of the store can be run again with the whole file.
 */
export async function importRows<Row>(
  settings: ImportSettings,
  rows: AsyncIterable<CsvRow>,
  definition: RowImport<Row>,
): Promise<ImportReport> {
  const report = new ImportReport();
  const file = await openRows(rows, report, definition, settings);
  if (file === null) return report;
  const good = refuseRepeated(await readRows(settings, file.header, file.rows, definition, report), definition, report);
  const services = settings.dryRun ? dryRunOf(settings.services) : settings.services;
  await definition.prepare?.(
    services,
    settings.context.organisationId,
    good.map(({ row }) => row),
  );
  for (const { line, row } of good) {
    const context = { ...settings.context, seed: [...settings.context.seed, 'line', String(line)], today: settings.today() };
    await settle(report, line, () => definition.record(services, context, row), definition.columnOf);
    settings.onSettled(report.settled, report.rows);
  }
  return report;
}

async function readRows<Row>(
  settings: ImportSettings,
  header: Header,
  rows: AsyncIterable<CsvRow>,
  definition: RowImport<Row>,
  report: ImportReport,
): Promise<readonly ReadRow<Row>[]> {
  const good: ReadRow<Row>[] = [];
  for await (const { line, cells: written } of rows) {
    const cells = new Cells(header, written);
    const row = definition.read(cells);
    report.rows += 1;
    if (cells.issues.length === 0) good.push({ line, row });
    else report.fail(line, cells.issues);
    settings.onRead(report.rows);
  }
  return good;
}

/** Refuses all of several rows for one thing. */
function refuseRepeated<Row>(rows: readonly ReadRow<Row>[], { keyOf }: RowImport<Row>, report: ImportReport): readonly ReadRow<Row>[] {
  if (keyOf === undefined) return rows;
  const linesOf = new Map<string, number[]>();
  for (const { line, row } of rows) linesOf.set(keyOf(row).key, [...(linesOf.get(keyOf(row).key) ?? []), line]);
  return rows.filter(({ line, row }) => {
    const { column, key } = keyOf(row);
    const other = linesOf.get(key)!.find((one) => one !== line);
    if (other !== undefined) report.fail(line, [{ field: column, issue: issueOfRepeat(other) }]);
    return other === undefined;
  });
}

async function settle(
  report: ImportReport,
  line: number,
  record: () => Promise<RowOutcome | ChangedRow>,
  columnOf: RowImport<never>['columnOf'],
): Promise<void> {
  try {
    const outcome = await record();
    report.count(typeof outcome === 'string' ? outcome : 'changed');
    if (typeof outcome !== 'string') report.describe(outcome.map((change) => ({ line, ...change })));
  } catch (error) {
    if (!(error instanceof RejectedError)) throw error;
    const issues: readonly Issue[] = error.rejection.details;
    report.fail(
      line,
      issues.map(({ field, issue }) => ({ field: columnOf?.(field) ?? field, issue })),
    );
  }
}
