import fc from 'fast-check';
import { MessageReader, MessageWriter } from './protocol-buffers.js';

const TEXTS = fc.string({ unit: 'binary', maxLength: 400, size: 'max' });

describe('a message', () => {
  it('is read as it was written, whatever lengths its fields have', () => {
    fc.assert(
      fc.property(
        TEXTS,
        fc.maxSafeNat(),
        TEXTS,
        TEXTS,
        fc.uint8Array({ maxLength: 300, size: 'max' }),
        (text, number, key, value, bytes) => {
          const writer = new MessageWriter();
          writer.message(1, () => writer.message(2, () => writer.text(3, text)));
          writer.number(4, number);
          writer.entry(5, key, value);
          writer.bytesOf(16, Buffer.from(bytes));
          const reader = new MessageReader(writer.finish());
          expect(reader.next()).toBe(1);
          const inner = reader.message();
          expect([inner.next(), inner.textOf(3), inner.next()]).toEqual([2, text, 0]);
          expect([reader.next(), reader.number()]).toEqual([4, number]);
          expect([reader.next(), reader.entry()]).toEqual([5, { key, value }]);
          expect([reader.next(), Buffer.compare(reader.bytesOf(), bytes)]).toEqual([16, 0]);
          expect(reader.next()).toBe(0);
        },
      ),
    );
  });

  it.each([
    ['0', '0800'],
    ['300', '08ac02'],
    ['4294967296', '088080808010'],
    ['9007199254740993', '0881808080808080 10'],
    ['18446744073709551615', '08ffffffffffffffffff01'],
  ])('has all digits of %s', (digits, hex) => {
    const reader = new MessageReader(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
    expect([reader.next(), reader.digits(), reader.next()]).toEqual([1, digits, 0]);
  });

  it('skips fields of every wire type, known or not', () => {
    const reader = new MessageReader(Buffer.from('08ac02 110102030405060708 1a0161 2501020304 3007'.replaceAll(' ', ''), 'hex'));
    const fields: number[] = [];
    for (let field = reader.next(); field !== 0; field = reader.next()) {
      fields.push(field);
      reader.skip();
    }
    expect(fields).toEqual([1, 2, 3, 4, 6]);
  });

  it.each([
    ['in a number', '08ac'],
    ['in a text', '0a0561'],
    ['in eight bytes', '0901'],
    ['by a number without an end', '08ffffffffffffffffffffff'],
    ['by an unknown wire type', '0b'],
  ])('is refused where it breaks off %s', (_, hex) => {
    const reader = new MessageReader(Buffer.from(hex, 'hex'));
    reader.next();
    expect(() => reader.skip()).toThrow(RangeError);
  });
});
