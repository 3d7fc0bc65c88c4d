import { type FieldList, nameOutside } from '#kernel/field-list.js';
import type { Issue } from '#kernel/rejection.js';
import type { CsvRow } from './csv-rows.js';
import type { ImportReport } from './import-report.js';

/** Columns of which the header must contain at least one. */
export type NeededColumns = readonly string[];

/** The columns of a kind of file. */
export interface FileColumns {
  /** All columns, named like the API's fields. */
  readonly columns: readonly string[];
  /** Other headers of a column, as other programs name it. Case, spaces and signs are ignored. */
  readonly synonyms: { readonly [column: string]: readonly string[] };
  /** The header must contain at least one column of each of these. */
  readonly needed: readonly NeededColumns[];
}

/** The columns of a file of plain resources: one for each field. */
export function columnsOf(list: FieldList): Pick<FileColumns, 'columns' | 'synonyms'> {
  const fields = Object.entries(list.fields).map(([name, { csv = [] }]) => [nameOutside(list, name), csv] as const);
  return { columns: fields.map(([column]) => column), synonyms: Object.fromEntries(fields) };
}

/** Headers of a file with their columns; null for a column to ignore. */
export type ColumnMapping = Readonly<Record<string, string | null>>;

/** How to recognise the columns of a file. */
export interface ColumnSettings {
  /** Takes precedence over the columns' names and synonyms. */
  readonly mapping?: ColumnMapping;
  /** Whether a file with an unknown column is refused; otherwise the column is ignored, with a warning. */
  readonly refusesUnknownColumns?: boolean;
}

/** The columns of a file by position: null for an ignored one, empty for one without a header. */
export type Header = readonly (string | null)[];

/** A file whose header is read. */
export interface OpenFile {
  readonly header: Header;
  /** The rows that are valid CSV; the others are reported and counted as they are read. */
  readonly rows: AsyncIterable<CsvRow>;
}

/** Reads the header of a file. Returns null if it cannot be used, and reports all its issues on its line. */
export async function openRows(
  rows: AsyncIterable<CsvRow>,
  report: ImportReport,
  known: FileColumns,
  settings: ColumnSettings,
): Promise<OpenFile | null> {
  const iterator = rows[Symbol.asyncIterator]();
  const first = await iterator.next();
  const { line, cells, issue } = first.done === true ? { line: 1, cells: [], issue: undefined } : first.value;
  if (issue !== undefined) {
    report.note(line, [{ field: 'file', issue }]);
    return null;
  }
  const { header, issues, warnings } = recogniseColumns(cells, known, settings);
  report.note(line, issues);
  report.warn(line, warnings);
  if (issues.length > 0) return null;
  return { header, rows: validRows(iterator, { line, header }, report) };
}

/** The columns of a file's headers, with their issues and the ignored ones. */
export function recogniseColumns(
  cells: readonly string[],
  known: FileColumns,
  { mapping = {}, refusesUnknownColumns = false }: ColumnSettings,
): { readonly header: Header; readonly issues: readonly Issue[]; readonly warnings: readonly Issue[] } {
  const names = cells.map((cell) => cell.trim());
  const meanings = names.map(meaningIn(known, mapping));
  const issues: Issue[] = [];
  const unknown: Issue[] = [];
  const header = names.map((name, index): string | null => {
    const meaning = meanings[index]!;
    if (name === '' || meaning === null) return meaning === null ? null : '';
    const { column, rank } = meaning;
    if (!known.columns.includes(column)) {
      const others = rank === UNKNOWN ? '' : `is mapped to ${column}, which `;
      unknown.push({
        field: name,
        issue: `${others}is not a column of this import; its columns are ${known.columns.join(', ')}`,
      });
      return null;
    }
    const rivals = meanings.filter((other, at) => at !== index && other?.column === column);
    if (rivals.some((other) => other!.rank < rank)) {
      unknown.push({ field: name, issue: `is left out, because another column is ${column}` });
      return null;
    }
    if (meanings.slice(0, index).some((other) => other?.column === column && other.rank === rank))
      issues.push({
        field: name,
        issue: `means ${column}, like another column: the header contains it more than once`,
      });
    return column;
  });
  for (const columns of known.needed) {
    if (!columns.some((column) => header.includes(column)))
      issues.push({ field: columns[0]!, issue: `the header needs a column ${columns.join(' or ')}` });
  }
  return refusesUnknownColumns
    ? { header, issues: [...unknown, ...issues], warnings: [] }
    : { header, issues, warnings: unknown };
}

/** A header without case, spaces and signs: `E-mail` and `e_mail` are the same. */
export function headerKey(header: string): string {
  return header
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

interface Meaning {
  readonly column: string;
  /** The certainty of a meaning; of several headers for one column the most certain wins. */
  readonly rank: number;
}

const MAPPED = 0;
const NAMED = 1;
const SYNONYM = 2;
const UNKNOWN = 3;

/** The column of a header; null for a column to ignore. */
function meaningIn({ columns, synonyms }: FileColumns, mapping: ColumnMapping): (header: string) => Meaning | null {
  const byKey = new Map<string, Meaning | null>();
  for (const column of columns)
    for (const name of synonyms[column] ?? []) byKey.set(headerKey(name), { column, rank: SYNONYM });
  for (const column of columns) byKey.set(headerKey(column), { column, rank: NAMED });
  for (const [header, column] of Object.entries(mapping))
    byKey.set(headerKey(header), column === null ? null : { column, rank: MAPPED });
  return (header) => {
    const meaning = byKey.get(headerKey(header));
    return meaning === undefined ? { column: header, rank: UNKNOWN } : meaning;
  };
}

/**
 * The rows that are valid CSV. Reports the others, a file without rows, and columns without a header once
 * they have content.
 */
async function* validRows(
  rows: AsyncIterator<CsvRow>,
  { line: headerLine, header }: { readonly line: number; readonly header: Header },
  report: ImportReport,
): AsyncGenerator<CsvRow> {
  let isEmpty = true;
  const unnamed = new Set(header.flatMap((name, index) => (name === '' ? [index] : [])));
  for (let next = await rows.next(); next.done !== true; next = await rows.next()) {
    const { line, cells, issue } = next.value;
    isEmpty = false;
    if (issue !== undefined) {
      report.rows += 1;
      report.fail(line, [{ field: 'row', issue }]);
      continue;
    }
    for (const index of unnamed) {
      if ((cells[index] ?? '').trim() === '') continue;
      unnamed.delete(index);
      report.warn(line, [{ field: `column ${index + 1}`, issue: 'has no header, and is ignored' }]);
    }
    yield next.value;
  }
  if (isEmpty) report.note(headerLine, [{ field: 'file', issue: 'has no rows below the header' }]);
}
