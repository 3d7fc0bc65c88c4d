import { WrittenJson } from '#kernel/json.js';

/**
 * A {@link WrittenJson} in the encoding in which it is sent: each character of `utf8` is one byte. A text with one character beyond Latin-1
 * makes every text that contains it two bytes wide, and a page of such texts costs ten times as much to send as its bytes do.
 */
export class EncodedJson extends WrittenJson {
  /** @param utf8 the bytes of the JSON, decoded as Latin-1 */
  constructor(readonly utf8: string) {
    super(utf8);
  }

  /** Encodes a text. */
  static of(text: string): EncodedJson {
    return new EncodedJson(Buffer.from(text).toString('latin1'));
  }

  override get text(): string {
    return Buffer.from(this.utf8, 'latin1').toString();
  }
}

/** Returns the bytes of `before`, a list of these values, and `after`; null where one of them is not encoded. `before` and `after` are ASCII. */
export function encodedList(before: string, values: readonly unknown[], after: string): Buffer | null {
  let utf8 = before;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    if (!(value instanceof EncodedJson)) return null;
    utf8 += index === 0 ? value.utf8 : `,${value.utf8}`;
  }
  return Buffer.from(utf8 + after, 'latin1');
}
