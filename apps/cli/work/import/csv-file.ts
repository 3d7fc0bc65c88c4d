import { createReadStream } from 'node:fs';
import type { CsvRow } from '#csv-import/csv-rows.js';
import { readCsv, UnreadableFileError } from '#csv-import/read-csv.js';

/**
 * The rows of a CSV file in UTF-8, or in UTF-16 with a byte-order mark; see `readCsv`. Throws
 * {@link UnreadableFileError}, and the errors of reading the file.
 */
export function readCsvFile(path: string, onBytes: (bytes: number) => void = () => undefined): AsyncGenerator<CsvRow> {
  return readCsv(asText(createReadStream(path), onBytes));
}

const NOT_UTF8 = 'is not UTF-8: save the file as CSV in UTF-8';
const NOT_UTF16 = 'is not UTF-16, as its first bytes say: save the file as CSV in UTF-8';

/** The text of a file, refused on the first line that is not in its encoding. */
async function* asText(bytes: AsyncIterable<Buffer>, onBytes: (bytes: number) => void): AsyncGenerator<string> {
  let first = Buffer.alloc(0);
  let decode: ((piece: Buffer | null) => string) | null = null;
  let read = 0;
  for await (const chunk of bytes) {
    onBytes((read += chunk.length));
    first = Buffer.concat([first, chunk]);
    // The byte-order mark has two bytes.
    if (first.length < 2) continue;
    const piece = decode === null ? first : chunk;
    decode ??= decoderOf(encodingOf(first));
    yield decode(piece);
    first = first.subarray(0, 2);
  }
  decode ??= decoderOf('utf-8');
  if (read < 2) yield decode(first);
  decode(null);
}

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

function encodingOf([one, other]: Buffer): Encoding {
  if (one === 0xff && other === 0xfe) return 'utf-16le';
  return one === 0xfe && other === 0xff ? 'utf-16be' : 'utf-8';
}

const NEW_LINE = 0x0a;

/**
 * Decodes piece by piece; null ends the file. Decodes each line separately, so that an error has its line.
 */
function decoderOf(encoding: Encoding): (piece: Buffer | null) => string {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: encoding === 'utf-8' });
  let line = 1;
  return (piece) => {
    let text = '';
    try {
      if (piece === null) return decoder.decode();
      for (let start = 0, end = 0; start < piece.length; start = end) {
        end = piece.indexOf(NEW_LINE, start) + 1 || piece.length;
        const decoded = decoder.decode(piece.subarray(start, end), { stream: true });
        if (decoded.includes('\n')) line += 1;
        text += decoded;
      }
      return text;
    } catch {
      throw new UnreadableFileError(line, encoding === 'utf-8' ? NOT_UTF8 : NOT_UTF16);
    }
  };
}
