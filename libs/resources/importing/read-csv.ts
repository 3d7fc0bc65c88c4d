import { CsvError, parse, type Parser } from 'csv-parse';
import { dialectOf } from './csv-dialect.js';
import type { CsvRow } from './csv-rows.js';
import { ImportReport } from './import-report.js';

/** A file that is not text, or not in an encoding that imports read; `line` is the line of the problem. */
export class UnreadableFileError extends Error {
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(message);
    this.name = 'UnreadableFileError';
  }
}

/** A row of this size, in characters, means an unclosed quotation mark. */
const LONGEST_ROW = 1_000_000;
const LINE_END = /\r\n|\r|\n/;
/** A piece that ends between the two halves of a character or of a line end. */
const ENDS_BETWEEN_HALVES = /[\ud800-\udbff\r]$/;

/**
 * The rows of a CSV text with the lines where they begin, the header among them. Rows without content are left out. Any line ends will do; a
 * byte-order mark and a line `sep=…` are skipped, and the delimiter is detected ({@link dialectOf}). A quotation mark that does not belong
 * there refuses its line, and reading goes on with the next one. Memory use does not depend on the size of the text. Throws the errors of
 * reading the texts.
 */
export async function* readCsv(texts: Iterable<string> | AsyncIterable<string>): AsyncGenerator<CsvRow> {
  let reader: CsvReader | null = null;
  let held = '';
  for await (const text of texts) {
    held += text;
    // The first line tells the delimiter, and what has two halves stays whole.
    if ((reader === null && held.length < LONGEST_ROW && !LINE_END.test(held)) || ENDS_BETWEEN_HALVES.test(held)) continue;
    reader ??= new CsvReader(held);
    yield* await reader.read(held);
    held = '';
  }
  reader ??= new CsvReader(held);
  yield* await reader.read(held);
  yield* await reader.end();
}

/** Parses a text piece by piece, and begins again behind a line that is no CSV. */
class CsvReader {
  private readonly delimiter: string;
  private line = 1;
  private linesToSkip: number;
  private isAtStart = true;
  /** Whether a refused line goes on in the next piece. */
  private isInRefusedLine = false;
  /** The text from the row that is not complete yet. */
  private rest = '';
  /** How much of it complete rows take. */
  private settled = 0;
  private found: CsvRow[] = [];
  private parser: Parser;

  constructor(firstLines: string) {
    const { delimiter, linesBefore } = dialectOf(withoutMark(firstLines));
    this.delimiter = delimiter;
    this.linesToSkip = linesBefore;
    this.parser = this.newParser();
  }

  /** The rows that are complete with the next piece of the text. */
  async read(piece: string): Promise<readonly CsvRow[]> {
    const text = this.isAtStart ? withoutMark(piece) : piece;
    this.isAtStart = false;
    const usable = this.isInRefusedLine ? this.behindLine(text) : text;
    this.rest = this.rest.slice(this.settled) + usable;
    this.settled = 0;
    await this.parse(usable, false);
    return this.taken();
  }

  /** The rows that the end of the text completes. */
  async end(): Promise<readonly CsvRow[]> {
    await this.parse('', true);
    return this.taken();
  }

  private async parse(text: string, isLast: boolean): Promise<void> {
    for (let next = text; ;) {
      const error = await feed(this.parser, next, isLast);
      if (error === null) return;
      next = this.withoutLine(error);
    }
  }

  /** Refuses the line where the row begins that is no CSV, and returns the text behind it for a new parser. */
  private withoutLine(error: CsvError): string {
    this.found.push({ line: this.line, cells: [], issue: explain(error) });
    this.rest = this.behindLine(this.rest.slice(this.settled));
    this.settled = 0;
    this.parser.destroy();
    this.parser = this.newParser();
    return this.rest;
  }

  private behindLine(text: string): string {
    const end = LINE_END.exec(text);
    this.isInRefusedLine = end === null;
    if (end === null) return '';
    this.line += 1;
    return text.slice(end.index + end[0].length);
  }

  private newParser(): Parser {
    const parser = parse({
      delimiter: this.delimiter,
      relax_column_count: true,
      raw: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      max_record_size: LONGEST_ROW,
      // Taken while parsing, so that nothing waits in the stream, and a row before a broken one is not lost.
      on_record: (({ record, raw }: { record: string[]; raw: string }) => this.take(record, raw)) as never,
    });
    // Reported where a piece is written; a destroyed parser reports it again.
    return parser.on('error', () => undefined);
  }

  private take(cells: readonly string[], raw: string): null {
    const row = { line: this.line, cells };
    this.line += raw.split(LINE_END).length - 1;
    // Of a line end of two characters, the parser counts the first to the row.
    const end = this.settled + raw.length;
    this.settled = end + (raw.endsWith('\r') && this.rest[end] === '\n' ? 1 : 0);
    if (this.linesToSkip > 0) this.linesToSkip -= 1;
    else if (cells.some((cell) => cell.trim() !== '')) this.found.push(row);
    return null;
  }

  private taken(): readonly CsvRow[] {
    const found = this.found;
    this.found = [];
    return found;
  }
}

/** Gives a piece of text to the parser; returns the error of the first row that is no CSV, else null. */
function feed(parser: Parser, text: string, isLast: boolean): Promise<CsvError | null> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error | null): void => {
      parser.off('error', settle);
      if (error === null || error === undefined) resolve(null);
      else if (error instanceof CsvError) resolve(error);
      else reject(error);
    };
    parser.once('error', settle);
    if (text !== '')
      parser.write(text, (error) => ((error !== null && error !== undefined) || !isLast ? settle(error) : finish(parser, settle)));
    else if (isLast) finish(parser, settle);
    else settle();
  });
}

/** A readable side that holds no rows ends as soon as it flows. */
function finish(parser: Parser, settle: (error?: Error | null) => void): void {
  parser.once('end', () => settle()).resume();
  parser.end();
}

function withoutMark(text: string): string {
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
