import type { CommandContext } from '#commands/command-context.js';
import { RejectedError } from '#kernel/rejection.js';
import type { CommandServices } from '#commands/services.js';
import { Cells } from './cells.js';
import { type FileColumns, openRows } from './columns.js';
import { type CsvRow, groupedBy, issueOfRepeat } from './csv-rows.js';
import { type ImportChange, ImportReport, type RowOutcome } from './import-report.js';
import type { ImportSettings } from './import-settings.js';
import { dryRunOf } from './dry-run.js';

/** The columns of a kind of file, and the reader of its rows. */
export interface RowForm<Row> extends FileColumns {
  /** Reads a row by its form alone, and refuses all invalid cells through `cells`. */
  readonly read: (cells: Cells) => Row;
}

/** How to turn the rows of a file into commands. */
export interface RowImport<Row> extends RowForm<Row> {
  /** The key of a row's subject, if a file may contain it only once; repeats are reported in `column`. */
  readonly keyOf?: (row: Row) => { readonly column: string; readonly key: string };
  /**
   * The common subject of several rows, which are recorded one after the other, in the order of lines. Called
   * after `prepare`.
   */
  readonly subjectOf?: (row: Row) => string;
  /**
   * Looks up the data that `record` needs from the read tables, for all valid rows together. Called before
   * the first row is recorded.
   */
  readonly prepare?: (services: CommandServices, organisationId: string, rows: readonly Row[]) => Promise<void>;
  /**
   * Executes a row with the commands of the resource, and returns the outcome, `unchanged` if it was recorded
   * before, or its changes. Throws {@link RejectedError} for a refused row. The context's seed is unique to
   * the row. In a dry run the services are those of `dry-run.ts`, and it must write only through them.
   */
  readonly record: (services: CommandServices, context: CommandContext, row: Row) => Promise<RowOutcome | ChangedRow>;
  /** The column of a rejection's field; by default the field's own name. */
  readonly columnOf?: (field: string) => string;
}

/** The changes of a row, or those that a dry run would make. */
export type ChangedRow = readonly Omit<ImportChange, 'line'>[];

/** A row of a file with its cells. A refused row is already reported. */
export interface ReadRow<Row> {
  readonly line: number;
  readonly row: Row;
  readonly isRefused: boolean;
}

/**
 * Imports a file in which each row is one or two commands. The whole file is read before anything is written,
 * so an unreadable file writes nothing. Valid rows are recorded, the others reported. An import that ends
 * with an error of the store can be run again with the whole file.
 */
export async function importRows<Row>(
  settings: ImportSettings,
  rows: AsyncIterable<CsvRow>,
  definition: RowImport<Row>,
): Promise<ImportReport> {
  const report = new ImportReport();
  const read = await readRows(settings, rows, definition, report);
  const valid = refuseRepeated(
    read.filter(({ isRefused }) => !isRefused),
    definition,
    report,
  );
  const services = settings.dryRun ? dryRunOf(settings.services) : settings.services;
  await definition.prepare?.(
    services,
    settings.context.organisationId,
    valid.map(({ row }) => row),
  );
  const bySubject = groupedBy(valid, ({ line, row }) => definition.subjectOf?.(row) ?? line);
  await forEachConcurrently(bySubject.values(), async (together) => {
    for (const { line, row } of together) {
      const context = {
        ...settings.context,
        seed: [...settings.context.seed, 'line', String(line)],
        today: settings.today(),
      };
      await settle(report, line, () => definition.record(services, context, row), definition.columnOf);
      settings.onSettled(report.settled, report.rows);
    }
  });
  return report;
}

/**
 * Reads a whole file; returns no rows if its header cannot be used. Rows with invalid cells are reported, and
 * returned as refused.
 */
export async function readRows<Row>(
  settings: ImportSettings,
  rows: AsyncIterable<CsvRow>,
  form: RowForm<Row>,
  report: ImportReport,
): Promise<readonly ReadRow<Row>[]> {
  const file = await openRows(rows, report, form, settings);
  if (file === null) return [];
  const all: ReadRow<Row>[] = [];
  for await (const { line, cells: texts } of file.rows) {
    const cells = new Cells(file.header, texts);
    const row = form.read(cells);
    const isRefused = cells.issues.length > 0;
    report.rows += 1;
    if (isRefused) report.fail(line, cells.issues);
    all.push({ line, row, isRefused });
    settings.onRead(report.rows);
  }
  return all;
}

/** The number of rows that an import records concurrently. */
const ROWS_AT_ONCE = 16;

/**
 * Does work for each item, sixteen at a time, started in their order. After a failure no further item is
 * started, and the first error is thrown when the started ones have ended.
 */
export async function forEachConcurrently<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const workOnNext = async (): Promise<void> => {
    for (let next = waiting.next(); next.done !== true && failures.length === 0; next = waiting.next()) {
      await work(next.value).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: ROWS_AT_ONCE }, workOnNext));
  if (failures.length > 0) throw failures[0];
}

/** Refuses every row whose subject is also in another row. */
function refuseRepeated<Row>(
  rows: readonly ReadRow<Row>[],
  { keyOf }: RowImport<Row>,
  report: ImportReport,
): readonly ReadRow<Row>[] {
  if (keyOf === undefined) return rows;
  const byKey = groupedBy(rows, ({ row }) => keyOf(row).key);
  return rows.filter(({ line, row }) => {
    const { column, key } = keyOf(row);
    const other = byKey.get(key)!.find((one) => one.line !== line);
    if (other !== undefined) report.fail(line, [{ field: column, issue: issueOfRepeat(other.line) }]);
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
    const issues = error.rejection.details.map(({ field, issue }) => ({ field: columnOf?.(field) ?? field, issue }));
    report.fail(line, issues);
  }
}
