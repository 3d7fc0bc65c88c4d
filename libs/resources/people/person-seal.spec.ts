import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import type { PersonEvent } from './person.decider.js';
import { evolvePerson, initialPerson } from './person.decider.js';
import { openPersonEvent, PERSON_KEY_BYTES, sealPersonEvent } from './person-seal.js';

const KEY = Buffer.alloc(PERSON_KEY_BYTES, 1);
const created: PersonEvent = {
  type: 'PersonCreated',
  data: { identity: { work_email: 'ada@example.com', first_name: 'Ada', preferred_name: null, last_name: 'Lovelace', staff_id: null } },
};
const changed: PersonEvent = { type: 'PersonIdentityChanged', data: { identity: { first_name: 'Augusta' } } };

describe('a sealed event', () => {
  it('opens to what it was, with its key, whatever the names are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.uint8Array({ minLength: PERSON_KEY_BYTES, maxLength: PERSON_KEY_BYTES }), (name, key) => {
        const event: PersonEvent = { type: 'PersonIdentityChanged', data: { identity: { first_name: name } } };
        expect(openPersonEvent(sealPersonEvent(event, Buffer.from(key)), Buffer.from(key))).toEqual(event);
      }),
      { numRuns: 1_000 },
    );
  });
  it('holds nothing that can be read, and is sealed otherwise every time', () => {
    const sealed = sealPersonEvent(created, KEY);
    expect(JSON.stringify(sealed)).not.toMatch(/ada|lovelace/i);
    expect(Object.keys(sealed.data)).toEqual(['sealed']);
    expect(Buffer.from(sealed.data['sealed'] as string, 'base64').toString('latin1')).not.toMatch(/ada|lovelace/i);
    expect(sealPersonEvent(created, KEY).data).not.toEqual(sealed.data);
  });
  it('does not open with another key, or where a byte was changed', () => {
    const sealed = sealPersonEvent(created, KEY);
    expect(() => openPersonEvent(sealed, randomBytes(PERSON_KEY_BYTES))).toThrow();
    const bytes = Buffer.from(sealed.data['sealed'] as string, 'base64');
    for (let place = 0; place < bytes.length; place += 1) {
      const edited = Buffer.from(bytes);
      edited[place]! ^= 1;
      expect(() => openPersonEvent({ ...sealed, data: { sealed: edited.toString('base64') } }, KEY)).toThrow();
    }
  });
  it('reads as erased without its key: the first event whole, later ones naming nothing', () => {
    const events = [sealPersonEvent(created, KEY), sealPersonEvent(changed, KEY)];
    const state = events.map((event) => openPersonEvent(event, null)).reduce(evolvePerson, initialPerson);
    expect(state).toEqual({
      status: 'recorded',
      identity: { work_email: '[erased]', first_name: '[erased]', preferred_name: '[erased]', last_name: '[erased]', staff_id: null },
    });
  });
});
