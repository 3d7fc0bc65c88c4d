import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import type { CommandContext } from '#commands/command-context.js';
import { evolvePerson, initialPerson, type PersonEvent } from './person.js';
import {
  openJson,
  openPersonEvent,
  PERSON_KEY_BYTES,
  sealJson,
  sealPersonEvent,
  withSealedFingerprint,
} from './person-seal.js';

const KEY = Buffer.alloc(PERSON_KEY_BYTES, 1);
const created: PersonEvent = {
  type: 'PersonCreated',
  data: {
    identity: {
      work_email: 'ada@example.com',
      first_name: 'Ada',
      preferred_name: null,
      last_name: 'Lovelace',
      staff_id: null,
    },
  },
};
const changed: PersonEvent = { type: 'PersonIdentityChanged', data: { identity: { first_name: 'Augusta' } } };

describe('sealed JSON', () => {
  it('opens to what it was', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) =>
        expect(openJson(sealJson(value as never, KEY), KEY)).toEqual(JSON.parse(JSON.stringify(value))),
      ),
    );
  });
  it('of an earlier version of this program can still be decrypted', () => {
    expect(openJson('AQkJCQkJCQkJCQkJCfL0P7ue1hGD4rPvdafsWUa/LUGnvENynhE1JyqM56dW7KALiUD+Fps=', KEY)).toEqual({
      first_name: 'Augusta',
    });
  });
});

describe('a sealed event', () => {
  it('is decrypted with its key to the original, whatever the names are', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.uint8Array({ minLength: PERSON_KEY_BYTES, maxLength: PERSON_KEY_BYTES }),
        (name, key) => {
          const event: PersonEvent = { type: 'PersonIdentityChanged', data: { identity: { first_name: name } } };
          expect(openPersonEvent(sealPersonEvent(event, Buffer.from(key)), Buffer.from(key))).toEqual(event);
        },
      ),
      { numRuns: 1_000 },
    );
  });
  it('contains nothing readable, and is encrypted differently every time', () => {
    const sealed = sealPersonEvent(created, KEY);
    expect(Object.keys(sealed.data)).toEqual(['sealed']);
    expect(Buffer.from(sealed.data['sealed'] as string, 'base64').toString('latin1')).not.toMatch(/lovelace/i);
    expect(JSON.stringify(sealed)).not.toMatch(/lovelace/i);
    expect(sealPersonEvent(created, KEY).data).not.toEqual(sealed.data);
  });
  it('reads as erased without its key: the first event whole, later ones naming nothing', () => {
    const events = [sealPersonEvent(created, KEY), sealPersonEvent(changed, KEY)];
    const state = events.map((event) => openPersonEvent(event, null)).reduce(evolvePerson, initialPerson);
    expect(state).toEqual({
      status: 'recorded',
      identity: {
        work_email: '[erased]',
        first_name: '[erased]',
        preferred_name: null,
        last_name: null,
        staff_id: null,
      },
    });
  });
});

describe('the fingerprint of a command', () => {
  const context = { fingerprint: 'f'.repeat(64) } as CommandContext;

  it('is the same for a repeat, and cannot be made without the key', () => {
    const sealed = withSealedFingerprint(context, KEY).fingerprint;
    expect(sealed).toBe(withSealedFingerprint(context, KEY).fingerprint);
    expect(sealed).not.toBe(context.fingerprint);
    expect(sealed).not.toBe(withSealedFingerprint(context, randomBytes(PERSON_KEY_BYTES)).fingerprint);
  });

  it('is null if the request has none', () => {
    expect(withSealedFingerprint({ ...context, fingerprint: null }, KEY).fingerprint).toBeNull();
  });
});
