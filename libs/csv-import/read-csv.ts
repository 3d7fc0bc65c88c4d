import { CsvError, parse } from 'csv-parse/sync';
import { dialectOf } from './csv-dialect.js';
import type { CsvRow } from './csv-rows.js';
import { ImportReport } from './import-report.js';

/** A file that is not text, or not in a supported encoding; `line` is the line of the problem. */
export class UnreadableFileError extends Error {
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(message);
    this.name = 'UnreadableFileError';
  }
}

/** The maximum length of a row, in characters: a longer one means an unclosed quotation mark. */
const MAX_ROW_LENGTH = 1_000_000;
const LINE_END = /\r\n|\r|\n/;
/** All complete lines of a text. A line end at its very end may be half of one. */
const COMPLETE_LINES = /^[^]*(?:\r\n|\r(?=[^])|\n)/;

/**
 * The rows of a CSV text with the lines where they begin, the header among them. Rows without content are
 * skipped. All kinds of line ends are accepted; a byte-order mark and a line `sep=…` are skipped, and the
 * delimiter is detected ({@link dialectOf}). An invalid quotation mark refuses its line, and reading
 * continues with the next one. Throws the errors of reading the texts.
 */
export async function* readCsv(texts: Iterable<string> | AsyncIterable<string>): AsyncGenerator<CsvRow> {
  const reader = new CsvReader();
  for await (const text of texts) yield* reader.read(text, false);
  yield* reader.read('', true);
}

/** Parses a text piece by piece, and resumes after an invalid line. */
class CsvReader {
  private delimiter: string | null = null;
  private line = 1;
  /** The unread text, from the beginning of a row. */
  private rest = '';
  /** Whether a refused line continues in the next piece. */
  private isInRefusedLine = false;

  /** The rows that the next piece of the text completes. */
  *read(text: string, isLast: boolean): Generator<CsvRow> {
    this.rest += text;
    if (this.isInRefusedLine) this.skipLine();
    if (this.delimiter === null && this.readable(isLast) === '') return;
    this.delimiter ??= this.begin();
    for (let text = this.readable(isLast); text !== ''; text = this.readable(isLast)) {
      const { rows, error } = this.parse(text, this.delimiter);
      yield* rows;
      if (error === null || (error.code === 'CSV_QUOTE_NOT_CLOSED' && !isLast && this.rest.length <= MAX_ROW_LENGTH))
        return;
      yield { line: this.line, cells: [], issue: explain(error) };
      this.skipLine();
    }
  }

  /** The part that can be parsed now: complete lines, and text longer than any row. */
  private readable(isLast: boolean): string {
    if (isLast) return this.rest;
    return COMPLETE_LINES.exec(this.rest)?.[0] ?? (this.rest.length > MAX_ROW_LENGTH ? this.rest : '');
  }

  private begin(): string {
    this.rest = withoutByteOrderMark(this.rest);
    const { delimiter, linesBefore } = dialectOf(this.rest);
    if (linesBefore > 0) this.skipLine();
    return delimiter;
  }

  private skipLine(): void {
    const end = LINE_END.exec(this.rest);
    this.isInRefusedLine = end === null;
    if (end !== null) this.line += 1;
    this.rest = end === null ? '' : this.rest.slice(end.index + end[0].length);
  }

  /** Reads rows while they are valid CSV. */
  private parse(
    text: string,
    delimiter: string,
  ): { readonly rows: readonly CsvRow[]; readonly error: CsvError | null } {
    const rows: CsvRow[] = [];
    let read = 0;
    const take = ({ record: cells, raw }: { readonly record: readonly string[]; readonly raw: string }): null => {
      if (cells.some((cell) => cell.trim() !== '')) rows.push({ line: this.line, cells });
      this.line += raw.split(LINE_END).length - 1;
      // The parser counts the first character of a two-character line end to the row.
      read += raw.length;
      if (raw.endsWith('\r') && text[read] === '\n') read += 1;
      return null;
    };
    const options = {
      delimiter,
      relax_column_count: true,
      raw: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      max_record_size: MAX_ROW_LENGTH,
    };
    try {
      parse(text, { ...options, on_record: take as never });
      this.rest = this.rest.slice(text.length);
      return { rows, error: null };
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      this.rest = this.rest.slice(read);
      return { rows, error };
    }
  }
}

function withoutByteOrderMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

function explain(error: CsvError): string {
  switch (error.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
    case 'CSV_MAX_RECORD_SIZE':
      return 'is not CSV: a quotation mark that opens in this row is not closed';
    case 'INVALID_OPENING_QUOTE':
    case 'CSV_INVALID_CLOSING_QUOTE':
      return 'is not CSV: put a cell that contains a quotation mark in quotation marks, and double the mark in it';
    default:
      return `is not CSV: ${error.message}`;
  }
}

/**
 * Converts an unreadable file into a report. Imports read all rows before the first write, so that such a
 * file changes nothing.
 */
export async function reportingUnreadable(work: () => Promise<ImportReport>): Promise<ImportReport> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    const report = new ImportReport();
    report.note(error.line, [{ field: 'file', issue: error.message }]);
    return report;
  }
}
