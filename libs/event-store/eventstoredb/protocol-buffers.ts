import protobuf from 'protobufjs/minimal.js';

const VARINT = 0;
const DELIMITED = 2;
const BITS_OF_WIRE_TYPE = 3;
const WIRE_TYPE = 7;

/** The fields of an entry of a map. */
const KEY = 1;
const VALUE = 2;

/**
 * Writes one message of Protocol Buffers field by field, without objects in between. Fields with the default value are the caller's to leave
 * out.
 */
export class MessageWriter {
  private readonly writer = protobuf.Writer.create();

  /** An integer, 0 to 2^53. */
  number(field: number, value: number): void {
    this.tag(field, VARINT).uint64(value);
  }

  text(field: number, value: string): void {
    this.tag(field, DELIMITED).string(value);
  }

  bytesOf(field: number, value: Buffer): void {
    this.tag(field, DELIMITED).bytes(value);
  }

  /** A message within this one. */
  message(field: number, write: () => void): void {
    this.tag(field, DELIMITED).fork();
    write();
    this.writer.ldelim();
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
    // In Node.js the library allocates a Buffer.
    return this.writer.finish() as Buffer;
  }

  private tag(field: number, wireType: number): protobuf.Writer {
    return this.writer.uint32(((field << BITS_OF_WIRE_TYPE) | wireType) >>> 0);
  }
}

/** Reads one message of Protocol Buffers field by field, without objects in between. Throws RangeError for what is cut off. */
export class MessageReader {
  private readonly reader: protobuf.Reader;
  private wireType = VARINT;

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.reader = protobuf.Reader.create(bytes);
    this.reader.pos = start;
    this.reader.len = end;
  }

  /** The number of the next field, whose value must be read or skipped then; 0 at the end. */
  next(): number {
    if (this.reader.pos >= this.reader.len) return 0;
    const tag = this.reader.uint32();
    this.wireType = tag & WIRE_TYPE;
    return tag >>> BITS_OF_WIRE_TYPE;
  }

  /** A number up to 2^53; of larger ones not every digit is exact. */
  number(): number {
    return Number(this.reader.uint64());
  }

  /** A number of 64 bits without a sign, in decimal digits. */
  digits(): string {
    return this.reader.uint64().toString();
  }

  text(): string {
    return this.reader.string();
  }

  /** A view of the message's own bytes. */
  bytesOf(): Buffer {
    return this.reader.bytes() as Buffer;
  }

  message(): MessageReader {
    const { reader } = this;
    const length = reader.uint32();
    const start = reader.pos;
    reader.skip(length);
    return new MessageReader(reader.buf as Buffer, start, reader.pos);
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
    this.reader.skipType(this.wireType);
  }
}
