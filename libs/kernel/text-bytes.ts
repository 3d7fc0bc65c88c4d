/** Longer texts are encoded by the runtime, shorter ones here: a call out of JavaScript costs more than a few dozen characters. */
const SHORT_TEXT = 64;
const LAST_ASCII = 0x7f;

/** The most bytes that UTF-8 needs for one unit of a JavaScript string. */
export const MOST_BYTES_A_CHARACTER = 3;

/** Writes a text in UTF-8; there must be room for {@link MOST_BYTES_A_CHARACTER} times its length. Returns the number of bytes. */
export function writeText(bytes: Buffer, at: number, text: string): number {
  return text.length <= SHORT_TEXT && writeAscii(bytes, at, text) ? text.length : bytes.write(text, at);
}

/** Returns whether all characters are ASCII; otherwise the bytes are of no use. */
function writeAscii(bytes: Buffer, at: number, text: string): boolean {
  const { length } = text;
  for (let index = 0; index < length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > LAST_ASCII) return false;
    bytes[at + index] = code;
  }
  return true;
}
