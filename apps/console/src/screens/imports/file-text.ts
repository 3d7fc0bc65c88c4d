import i18next from 'i18next';

/** The maximum size of `POST /imports` in characters and bytes (docs/reference/imports.md). */
const MAX_CHARACTERS = 4_000_000;
const MAX_BYTES = 4_194_304;

/** A file that cannot be sent; the message has the reason, for the user. */
export class UnusableFileError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnusableFileError';
  }
}

/**
 * Reads a file in UTF-8, or in UTF-16 with a byte order mark, as a text with line feeds. Throws
 * {@link UnusableFileError}.
 */
export async function textOfFile(file: Blob): Promise<string> {
  if (file.size > MAX_BYTES) throw new UnusableFileError(i18next.t('imports:file.tooLarge'));
  const bytes = await file.arrayBuffer();
  try {
    return usableText(new TextDecoder(encodingOf(new Uint8Array(bytes)), { fatal: true }).decode(bytes));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UnusableFileError(i18next.t('imports:file.notUtf8'));
  }
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

/** The same for pasted text. */
export function usableText(text: string): string {
  const plain = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  if (plain.trim() === '') throw new UnusableFileError(i18next.t('imports:file.empty'));
  if (plain.length > MAX_CHARACTERS || new Blob([JSON.stringify(plain)]).size > MAX_BYTES - 1_000)
    throw new UnusableFileError(i18next.t('imports:file.tooLong'));
  return plain;
}

/**
 * Texts of files that this page has sent, by import, for display next to problems. They exist only in the
 * page's memory.
 */
const sent = new Map<string, string>();

export const rememberText = (importId: string, text: string): void => void sent.set(importId, text);
export const rememberedText = (importId: string): string | null => sent.get(importId) ?? null;

/** The cells of a line of a file; a cell that continues on the next line ends with this one. */
export function cellsOfLine(line: string, delimiter: string): readonly string[] {
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let index = 0; index < line.length; index += 1) {
    const character = line[index]!;
    if (character === '"' && isQuoted && line[index + 1] === '"') {
      cell += '"';
      index += 1;
    } else if (character === '"') isQuoted = !isQuoted;
    else if (character === delimiter && !isQuoted) {
      cells.push(cell);
      cell = '';
    } else cell += character;
  }
  return [...cells, cell];
}
