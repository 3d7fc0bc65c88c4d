import type { Issue } from '#kernel/rejection.js';
import type { ImportReport } from './import-report.js';

/** A row of a file, with the line where it begins; the header is line 1. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Columns of which the header must contain at least one. */
export type NeededColumns = readonly string[];

/** Reads the header from the rows. Returns null where it is invalid, and reports all its issues on line 1. */
export async function readHeader(
  rows: AsyncIterator<CsvRow>,
  report: Pick<ImportReport, 'note'>,
  known: readonly string[],
  needed: readonly NeededColumns[],
): Promise<readonly string[] | null> {
  const first = await rows.next();
  const header = first.done === true ? [] : first.value.cells.map((cell) => cell.trim());
  const issues = problemsOfHeader(header, known, needed);
  report.note(1, issues);
  return issues.length > 0 ? null : header;
}

/** Batches of a stream of rows. */
export async function* batchesOf<T>(rows: AsyncIterator<T>, size: number): AsyncGenerator<readonly T[]> {
  let batch: T[] = [];
  for (let next = await rows.next(); next.done !== true; next = await rows.next()) {
    batch.push(next.value);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** The issues of a header; none where every column is known and occurs once, and no needed column is missing. */
function problemsOfHeader(header: readonly string[], known: readonly string[], needed: readonly NeededColumns[]): readonly Issue[] {
  const issues: Issue[] = [];
  header.forEach((name, index) => {
    if (!known.includes(name)) issues.push({ field: name, issue: `is not a column of this import; its columns are ${known.join(', ')}` });
    else if (header.indexOf(name) < index) issues.push({ field: name, issue: 'occurs in the header more than once' });
  });
  for (const names of needed) {
    if (!names.some((name) => header.includes(name)))
      issues.push({ field: names[0]!, issue: `the header needs a column ${names.join(' or ')}` });
  }
  return issues;
}
