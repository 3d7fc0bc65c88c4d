import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import type { CsvRow } from '#resources/importing/csv-rows.js';
import { readCsv, UnreadableFileError } from '#resources/importing/read-csv.js';

const NEW_LINE = 0x0a;

/** The rows of a CSV file in UTF-8; see `readCsv`. Throws {@link UnreadableFileError}, and the errors of reading the file. */
export function readCsvFile(path: string, onBytes: (bytes: number) => void = () => undefined): AsyncGenerator<CsvRow> {
  return readCsv(asText(createReadStream(path), onBytes));
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
