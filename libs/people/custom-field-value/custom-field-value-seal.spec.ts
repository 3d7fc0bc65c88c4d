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
  it('opens to what it was, whatever it is', () => {
    const value = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 2_000 }),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0),
      fc.boolean(),
    );
    fc.assert(fc.property(value, (one) => expect(openValue(FIELD, sealValue(FIELD, one, KEY), KEY)).toEqual(one)));
  });

  it('is as long for every short value', () => {
    const lengths = [true, false, 1, -0.125, 'a', 'prefer not to say', '2026-01-31'].map(
      (value) => sealValue(FIELD, value, KEY).length,
    );
    expect(new Set(lengths).size).toBe(1);
  });

  it('does not open with another key, nor in the place of another field', () => {
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

  it('says which fields changed and which were cleared, and nothing of what they hold', () => {
    const sealed = sealValuesEvent(event, KEY);
    expect(Object.keys(sealed.data.values)).toEqual([FIELD, OTHER]);
    expect(sealed.data.values[OTHER]).toBeNull();
    expect(Buffer.from(sealed.data.values[FIELD]!, 'base64').toString('latin1')).not.toContain('marker');
    expect(openValuesEvent(sealed, KEY)).toEqual(event);
  });
});
