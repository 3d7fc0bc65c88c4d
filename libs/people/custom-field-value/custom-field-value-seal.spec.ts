import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { PERSON_KEY_BYTES } from '../person/person-seal.js';
import {
  type CustomFieldValuesEvent,
  openValue,
  openValuesEvent,
  sealValue,
  sealValuesEvent,
} from './custom-field-value.js';

const KEY = Buffer.alloc(PERSON_KEY_BYTES, 3);
const FIELD = 'cfd_aaaaaaaa.bbbbbbbb.cccccccccccc';
const OTHER = 'cfd_dddddddd.eeeeeeee.ffffffffffff';

describe('a sealed value', () => {
  it('decrypts to the original value of every type', () => {
    const value = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 2_000 }),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0),
      fc.boolean(),
    );
    fc.assert(fc.property(value, (one) => expect(openValue(FIELD, sealValue(FIELD, one, KEY), KEY)).toEqual(one)));
  });

  it('has the same length for every short value', () => {
    const lengths = [true, false, 1, -0.125, 'a', 'prefer not to say', '2026-01-31'].map(
      (value) => sealValue(FIELD, value, KEY).length,
    );
    expect(new Set(lengths).size).toBe(1);
  });

  it('cannot be decrypted with another key, nor as a value of another field', () => {
    const sealed = sealValue(FIELD, 'text', KEY);
    expect(() => openValue(FIELD, sealed, randomBytes(PERSON_KEY_BYTES))).toThrow();
    expect(() => openValue(OTHER, sealed, KEY)).toThrow('in place of');
  });

  it('reads as null without a key', () => expect(openValue(FIELD, sealValue(FIELD, 'text', KEY), null)).toBeNull());
});

describe('a sealed event', () => {
  const event: CustomFieldValuesEvent = {
    type: 'PersonCustomFieldsChanged',
    data: { values: { [FIELD]: 'marker', [OTHER]: null } },
  };

  it('shows which fields changed and which were cleared, but no value', () => {
    const sealed = sealValuesEvent(event, KEY);
    expect(Object.keys(sealed.data.values)).toEqual([FIELD, OTHER]);
    expect(sealed.data.values[OTHER]).toBeNull();
    expect(Buffer.from(sealed.data.values[FIELD]!, 'base64').toString('latin1')).not.toContain('marker');
    expect(openValuesEvent(sealed, KEY)).toEqual(event);
  });
});
