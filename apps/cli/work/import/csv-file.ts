import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import type { CsvRow } from '#csv-import/csv-rows.js';
import { readCsv, UnreadableFileError } from '#csv-import/read-csv.js';

const NEW_LINE = 0x0a;

/**
 * The rows of a CSV file in UTF-8, or in UTF-16 with a byte-order mark; see `readCsv`. Throws
 * {@link UnreadableFileError}, and the errors of reading the file.
 */
export function readCsvFile(path: string, onBytes: (bytes: number) => void = () => undefined): AsyncGenerator<CsvRow> {
  return readCsv(asText(createReadStream(path), onBytes));
}

/** The text of a file, refused where it is neither. */
async function* asText(bytes: AsyncIterable<Buffer>, onBytes: (bytes: number) => void): AsyncGenerator<string> {
  let decoder: Decoder | null = null;
  let read = 0;
  let first = Buffer.alloc(0);
  for await (const chunk of bytes) {
    onBytes((read += chunk.length));
    first = Buffer.concat([first, chunk]);
    if (decoder === null && first.length < 2) continue;
    const piece: Buffer = decoder === null ? first : chunk;
    decoder ??= decoderOf(first);
    yield decoder.decode(piece);
    first = Buffer.alloc(0);
  }
  yield (decoder ?? new Utf8()).decode(first);
  (decoder ?? new Utf8()).end();
}

interface Decoder {
  decode(chunk: Buffer): string;
  /** Refuses a file that ends within a character. */
  end(): void;
}

function decoderOf(first: Buffer): Decoder {
  if (first[0] === 0xff && first[1] === 0xfe) return new Utf16('utf-16le');
  return first[0] === 0xfe && first[1] === 0xff ? new Utf16('utf-16be') : new Utf8();
}

class Utf16 implements Decoder {
  private readonly decoder: InstanceType<typeof TextDecoder>;
  private lines = 1;

  constructor(encoding: 'utf-16le' | 'utf-16be') {
    this.decoder = new TextDecoder(encoding, { fatal: true });
  }

  decode(chunk: Buffer): string {
    const text = this.decoded(chunk, true);
    this.lines += text.split('\n').length - 1;
    return text;
  }

  end(): void {
    this.decoded(Buffer.alloc(0), false);
  }

  private decoded(chunk: Buffer, stream: boolean): string {
    try {
      return this.decoder.decode(chunk, { stream });
    } catch {
      throw new UnreadableFileError(this.lines, 'is not UTF-16, as its first bytes say: save the file as CSV in UTF-8');
    }
  }
}

class Utf8 implements Decoder {
  private readonly decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  private lines = 1;
  private rest = Buffer.alloc(0);

  decode(chunk: Buffer): string {
    const whole = Buffer.concat([this.rest, chunk]);
    const end = whole.lastIndexOf(NEW_LINE) + 1;
    if (!isUtf8(whole.subarray(0, end))) throw notUtf8(this.lines + lineOfBadByte(whole));
    let text: string;
    try {
      text = this.decoder.decode(chunk, { stream: true });
    } catch {
      throw notUtf8(this.lines + lineOfBadByte(whole));
    }
    this.lines += whole.subarray(0, end).reduce((count, byte) => count + (byte === NEW_LINE ? 1 : 0), 0);
    this.rest = Buffer.from(whole.subarray(end));
    return text;
  }

  end(): void {
    if (!isUtf8(this.rest)) throw notUtf8(this.lines);
  }
}

/** The number of lines before the first line that is not UTF-8. */
function lineOfBadByte(bytes: Buffer): number {
  let lines = 0;
  for (
    let start = 0, end = bytes.indexOf(NEW_LINE);
    end !== -1;
    start = end + 1, end = bytes.indexOf(NEW_LINE, start), lines += 1
  ) {
    if (!isUtf8(bytes.subarray(start, end))) return lines;
  }
  return lines;
}

function notUtf8(line: number): UnreadableFileError {
  return new UnreadableFileError(line, 'is not UTF-8: save the file as CSV in UTF-8');
}
