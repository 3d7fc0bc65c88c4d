import { type JsonObject, parseJson } from '#kernel/json.js';
import { anchorOf, type Anchor } from './anchor.js';

/** The file is not a file of anchors, or was changed so that it cannot be read. */
export class AnchorFileError extends Error {
  constructor(line: number) {
    super(`Line ${line} of the file is not an anchor: use a file that workforce audit anchors export wrote.`);
    this.name = 'AnchorFileError';
  }
}

/** Converts anchors to text for external storage: one JSON object per line, with the exact signed text. */
export function anchorFileOf(anchors: readonly Anchor[]): string {
  return anchors.map(({ text, signature }) => `${JSON.stringify({ anchor: text, signature })}\n`).join('');
}

/** Parses the anchors of such a text. Throws {@link AnchorFileError}. */
export function anchorsOfFile(text: string): readonly Anchor[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) throw new AnchorFileError(1);
  return lines.map((line, index) => {
    const { anchor, signature } = objectOf(line, index + 1);
    const read = typeof anchor === 'string' && typeof signature === 'string' ? anchorOf(anchor, signature) : null;
    if (read === null) throw new AnchorFileError(index + 1);
    return read;
  });
}

function objectOf(line: string, number: number): JsonObject {
  try {
    const value = parseJson(line);
    if (typeof value === 'object' && value !== null) return value as JsonObject;
  } catch {
    // Reported below, in the same words.
  }
  throw new AnchorFileError(number);
}
