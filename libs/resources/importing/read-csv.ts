import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import type { CsvRow } from './csv-rows.js';
import { ImportReport } from './import-report.js';

/** A file is not CSV or not in UTF-8; `line` is the line of the problem. */
export class UnreadableFileError extends Error {
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(message);
    this.name = 'UnreadableFileError';
  }
}

/** A row of this size means an unclosed quotation mark. */
const LONGEST_ROW = 1_000_000;

/**
 * The rows of a CSV text (RFC 4180, any line ends, a byte-order mark allowed) with the lines where they begin, the header
 * among them. Rows without content are left out. Memory use does not depend on the size of the text. Throws
 * {@link UnreadableFileError}, and the errors of reading the texts.
 */
export async function* readCsv(texts: Iterable<string> | AsyncIterable<string>): AsyncGenerator<CsvRow> {
  let line = 1;
  // Counted while parsing: rows that are buffered when a later one turns out to be broken are never yielded.
  const numbered = ({ record, raw }: { record: string[]; raw: string }): CsvRow | null => {
    const row = { line, cells: record };
    line += lineEndsIn(raw);
    return record.some((cell) => cell.trim() !== '') ? row : null;
  };
  const parser = parse({
    bom: true,
    relax_column_count: true,
    raw: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: LONGEST_ROW,
    on_record: numbered as never,
  });
  try {
    yield* Readable.from(texts).compose(parser) as unknown as AsyncIterable<CsvRow>;
  } catch (error) {
    if (error instanceof CsvError) throw new UnreadableFileError(line, explain(error));
    throw error;
  }
}

function lineEndsIn(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0;
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

/** Turns an unreadable file into a report. Imports read all rows before the first write, so that such a file changes nothing. */
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
