import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import type { CsvRow } from '#resources/importing/csv-rows.js';

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
const NEW_LINE = 0x0a;

/**
 * The rows of a CSV file (RFC 4180, any line ends, a byte-order mark allowed) with the lines where they begin, the header
 * among them. Rows without content are left out. Memory use does not depend on the size of the file. Throws
 * {@link UnreadableFileError}, and the errors of reading the file.
 */
export async function* readCsvFile(path: string, onBytes: (bytes: number) => void = () => undefined): AsyncGenerator<CsvRow> {
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
    yield* Readable.from(asText(createReadStream(path), onBytes)).compose(parser) as unknown as AsyncIterable<CsvRow>;
  } catch (error) {
    if (error instanceof CsvError) throw new UnreadableFileError(line, explain(error));
    throw error;
  }
}

/** The text of a file, refused where it is not UTF-8. */
async function* asText(bytes: AsyncIterable<Buffer>, onBytes: (bytes: number) => void): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let lines = 1;
  let read = 0;
  let rest = Buffer.alloc(0);
  for await (const chunk of bytes) {
    const whole = Buffer.concat([rest, chunk]);
    const end = whole.lastIndexOf(NEW_LINE) + 1;
    if (!isUtf8(whole.subarray(0, end))) throw notUtf8(lines + lineOfBadByte(whole));
    let text: string;
    try {
      text = decoder.decode(chunk, { stream: true });
    } catch {
      throw notUtf8(lines + lineOfBadByte(whole));
    }
    lines += whole.subarray(0, end).reduce((count, byte) => count + (byte === NEW_LINE ? 1 : 0), 0);
    rest = Buffer.from(whole.subarray(end));
    onBytes((read += chunk.length));
    yield text;
  }
  if (!isUtf8(rest)) throw notUtf8(lines);
}

/** The number of lines before the first line that is not UTF-8. */
function lineOfBadByte(bytes: Buffer): number {
  let lines = 0;
  for (let start = 0, end = bytes.indexOf(NEW_LINE); end !== -1; start = end + 1, end = bytes.indexOf(NEW_LINE, start), lines += 1) {
    if (!isUtf8(bytes.subarray(start, end))) return lines;
  }
  return lines;
}

function notUtf8(line: number): UnreadableFileError {
  return new UnreadableFileError(line, 'is not UTF-8: save the file as CSV in UTF-8');
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
