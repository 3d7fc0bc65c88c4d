import { MOST_BYTES_A_CHARACTER, writeText } from '#kernel/text-bytes.js';

const VARINT = 0;
const FIXED_64 = 1;
const DELIMITED = 2;
const FIXED_32 = 5;

/** The fields of an entry of a map. */
const KEY = 1;
const VALUE = 2;

const TWO_TO_THE_32 = 2 ** 32;
/** From here on 64 bits are more than a number holds: 2^21 times 2^32. */
const LEAST_INEXACT_HIGH = 2 ** 21;

/**
 * Writes one message of Protocol Buffers field by field, without objects in between. Fields with the default value are the caller's to leave
 * out.
 */
export class MessageWriter {
  private bytes: Buffer;
  private at = 0;

  /** @param capacity - about how many bytes the message has; it may have more */
  constructor(capacity: number) {
    this.bytes = Buffer.allocUnsafe(capacity);
  }

  /** An integer, 0 to 2^53. */
  number(field: number, value: number): void {
    this.reserve(20);
    this.varint(field * 8 + VARINT);
    this.varint(value);
  }

  text(field: number, value: string): void {
    this.delimited(field, value.length, () => {
      this.reserve(value.length * MOST_BYTES_A_CHARACTER);
      this.at += writeText(this.bytes, this.at, value);
    });
  }

  bytesOf(field: number, value: Buffer): void {
    this.delimited(field, value.length, () => {
      this.reserve(value.length);
      this.at += value.copy(this.bytes, this.at);
    });
  }

  /** A message within this one. */
  message(field: number, write: () => void): void {
    this.delimited(field, 0, write);
  }

  /** An entry of a map of texts. */
  entry(field: number, key: string, value: string): void {
    this.message(field, () => {
      this.text(KEY, key);
      this.text(VALUE, value);
    });
  }

  /** The message, for the caller to keep. */
  finish(): Buffer {
    return this.bytes.subarray(0, this.at);
  }

  /** The length comes first and is known last: where it needs more bytes than expected, what was written moves. */
  private delimited(field: number, expectedLength: number, write: () => void): void {
    this.reserve(20);
    this.varint(field * 8 + DELIMITED);
    const before = this.at;
    const expected = sizeOfVarint(expectedLength);
    this.at += expected;
    const start = this.at;
    write();
    const end = this.at;
    const moved = sizeOfVarint(end - start) - expected;
    if (moved > 0) {
      this.reserve(moved);
      this.bytes.copyWithin(start + moved, start, end);
    }
    this.at = before;
    this.varint(end - start);
    this.at = end + moved;
  }

  private varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.bytes[this.at++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.bytes[this.at++] = rest;
  }

  private reserve(count: number): void {
    if (this.at + count <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.at + count));
    this.bytes.copy(larger, 0, 0, this.at);
    this.bytes = larger;
  }
}

function sizeOfVarint(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size += 1;
  return size;
}

/** Reads one message of Protocol Buffers field by field, without objects in between. Throws RangeError for what is none. */
export class MessageReader {
  private wireType = VARINT;
  private low = 0;
  private high = 0;

  constructor(
    private readonly bytes: Buffer,
    private at = 0,
    private readonly end = bytes.length,
  ) {}

  /** The number of the next field, whose value must be read or skipped then; 0 at the end. */
  next(): number {
    if (this.at >= this.end) return 0;
    this.varint();
    this.wireType = this.low & 7;
    return this.low >>> 3;
  }

  /** A number up to 2^53; of larger ones not every digit is exact. */
  number(): number {
    this.varint();
    return this.high * TWO_TO_THE_32 + this.low;
  }

  /** A number of 64 bits without a sign, in decimal digits. */
  digits(): string {
    const number = this.number();
    return this.high < LEAST_INEXACT_HIGH ? String(number) : String((BigInt(this.high) << 32n) | BigInt(this.low));
  }

  text(): string {
    const start = this.delimited();
    return this.bytes.toString('utf8', start, this.at);
  }

  /** A view of the message's own bytes. */
  bytesOf(): Buffer {
    const start = this.delimited();
    return this.bytes.subarray(start, this.at);
  }

  message(): MessageReader {
    const start = this.delimited();
    return new MessageReader(this.bytes, start, this.at);
  }

  /** An entry of a map of texts: its key and its value. */
  entry(): { readonly key: string; readonly value: string } {
    const entry = this.message();
    let key = '';
    let value = '';
    for (let field = entry.next(); field !== 0; field = entry.next()) {
      if (field === KEY) key = entry.text();
      else if (field === VALUE) value = entry.text();
      else entry.skip();
    }
    return { key, value };
  }

  /** The text of one field of a message within this one; empty where it has none. */
  textOf(wanted: number): string {
    const message = this.message();
    let text = '';
    for (let field = message.next(); field !== 0; field = message.next()) {
      if (field === wanted) text = message.text();
      else message.skip();
    }
    return text;
  }

  skip(): void {
    if (this.wireType === VARINT) this.varint();
    else if (this.wireType === DELIMITED) this.delimited();
    else if (this.wireType === FIXED_64) this.advance(8);
    else if (this.wireType === FIXED_32) this.advance(4);
    else throw new RangeError(`${this.wireType} is no wire type of a message`);
  }

  /** Goes past a value of a length and so many bytes; gives where these begin. */
  private delimited(): number {
    this.varint();
    const start = this.at;
    this.advance(this.low);
    return start;
  }

  private advance(count: number): void {
    this.at += count;
    if (this.at > this.end) throw new RangeError('the message was cut off');
  }

  /** Leaves a number of 64 bits in its two halves. */
  private varint(): void {
    const { bytes } = this;
    let low = 0;
    let high = 0;
    for (let shift = 0; ; shift += 7) {
      if (this.at >= this.end || shift > 63) throw new RangeError('the message was cut off');
      const byte = bytes[this.at++]!;
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high |= bits >>> 4;
      } else high |= bits << (shift - 32);
      if (byte < 0x80) break;
    }
    this.low = low >>> 0;
    this.high = high >>> 0;
  }
}
