import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { fold } from '#kernel/aggregate.js';
import { PERSON_KEY_BYTES } from '../person/person-seal.js';
import {
  decidePersonalProfile,
  evolvePersonalProfile,
  evolveSealedProfile,
  initialPersonalProfile,
  initialSealedProfile,
  openProfile,
  openProfileEvent,
  type PersonalProfileEvent,
  sealProfileEvent,
} from './personal-profile.js';
import type { PostalAddress } from '#organisation/country/postal-address.js';
import { EMPTY_PROFILE, type PersonalProfile, normaliseProfile } from './personal-profile.rules.js';

const TODAY = '2026-03-01';
const ADDRESS: PostalAddress = {
  address_line_1: '12 Elm Grove',
  address_line_2: 'Flat 3',
  address_line_3: null,
  city: 'Bristol',
  region_state: '',
  postal_code: 'BS6 5AH',
  country_code: 'GB',
};
const PROFILE: PersonalProfile = {
  middle_names: 'Marie Noel',
  date_of_birth: '1988-12-10',
  personal_email: 'ada@example.net',
  personal_phone_number: '+44 7700 900123',
  work_phone_number: '020 7946 0000 x12',
  home_address: ADDRESS,
};

const changed = (changes: Partial<PersonalProfile>): PersonalProfileEvent => ({
  type: 'PersonalProfileChanged',
  data: { changes },
});

function when(changes: Partial<PersonalProfile>, ...given: readonly PersonalProfileEvent[]) {
  return decidePersonalProfile(
    { type: 'change', changes, today: TODAY },
    fold({ initial: initialPersonalProfile, evolve: evolvePersonalProfile }, given),
  );
}

describe('a profile that was never written', () => {
  it('is written', () => expect(when(PROFILE)).toEqual({ events: [changed(PROFILE)] }));

  it('is not written by clearing what is empty, nor by naming nothing', () => {
    expect(when({ middle_names: null, home_address: null })).toEqual({ events: [] });
    expect(when({})).toEqual({ events: [] });
  });

  it('accepts the earliest and the latest date of birth', () => {
    for (const date_of_birth of ['1900-01-01', '2024-02-29', TODAY])
      expect(when({ date_of_birth })).toEqual({ events: [changed({ date_of_birth })] });
  });

  it.each(['+1 (555) 010-9999', '0117 496 0123', '112233', '+4915112345678', '(020) 7946.0000 ext 4', '030/12345-67'])(
    'takes the phone number %s',
    (number) => {
      expect(when({ work_phone_number: number })).toEqual({ events: [changed({ work_phone_number: number })] });
    },
  );
});

describe('a written profile', () => {
  it('records only what changes', () => {
    expect(when({ ...PROFILE, middle_names: null }, changed(PROFILE))).toEqual({
      events: [changed({ middle_names: null })],
    });
    expect(when(PROFILE, changed(PROFILE))).toEqual({ events: [] });
  });

  it('has its address written whole: one line that differs is another address', () => {
    const moved = { ...ADDRESS, address_line_2: null };
    expect(when({ home_address: moved }, changed(PROFILE))).toEqual({ events: [changed({ home_address: moved })] });
    expect(when({ home_address: { ...ADDRESS } }, changed(PROFILE))).toEqual({ events: [] });
    expect(when({ home_address: null }, changed(PROFILE))).toEqual({ events: [changed({ home_address: null })] });
  });

  it.each<[Partial<PersonalProfile>, string, string]>([
    [{ middle_names: '' }, 'middle_names', 'must not be blank'],
    [{ middle_names: 'x'.repeat(201) }, 'middle_names', 'must be at most 200 characters long'],
    [{ date_of_birth: '1899-12-31' }, 'date_of_birth', 'must not lie before 1900-01-01'],
    [{ date_of_birth: '2026-03-02' }, 'date_of_birth', 'must not lie in the future'],
    [{ date_of_birth: '2025-02-29' }, 'date_of_birth', 'must be a date that exists, written YYYY-MM-DD'],
    [{ date_of_birth: '10.12.1988' }, 'date_of_birth', 'must be a date that exists, written YYYY-MM-DD'],
    [{ personal_email: 'ada@localhost' }, 'personal_email', 'must be an e-mail address'],
    [{ personal_email: `${'x'.repeat(250)}@example.com` }, 'personal_email', 'must be at most 254 characters long'],
    [{ home_address: { ...ADDRESS, address_line_1: '' } }, 'home_address.address_line_1', 'must not be blank'],
    [
      { home_address: { ...ADDRESS, address_line_3: 'a\u0000b' } },
      'home_address.address_line_3',
      'must not contain control characters',
    ],
    [{ home_address: { ...ADDRESS, city: '' } }, 'home_address.city', 'must not be blank'],
    [
      { home_address: { ...ADDRESS, country_code: 'UK' } },
      'home_address.country_code',
      'must be an ISO 3166-1 alpha-2 code, such as GB',
    ],
  ])('refuses %j', (changes, field, issue) => {
    expect(when(changes, changed(PROFILE))).toEqual({
      rejection: { kind: 'invalid_request', message: issue, details: [{ field, issue }] },
    });
  });

  it.each(['123', '1'.repeat(16), '+44 20 CALL ME', '12+34567', '1234 x', '+', `12345 ${' '.repeat(40)}6`])(
    'refuses the phone number %j',
    (number) => {
      expect(when({ personal_phone_number: number }, changed(PROFILE))).toMatchObject({
        rejection: {
          details: [
            {
              field: 'personal_phone_number',
              issue: expect.stringMatching(/^must be a phone number of 4 to 15 digits/),
            },
          ],
        },
      });
    },
  );
});

describe('a profile that is tidied before it is decided on', () => {
  it.each<[string, Partial<PersonalProfile>, Partial<PersonalProfile>]>([
    ['has no superfluous white space', { middle_names: ' Marie  Noel ' }, { middle_names: 'Marie Noel' }],
    ['has an upper-case country', { home_address: { ...ADDRESS, country_code: 'gb' } }, { home_address: ADDRESS }],
    [
      'has a tidy address',
      { home_address: { ...ADDRESS, address_line_1: ' 12  Elm Grove ', address_line_2: '', region_state: ' ' } },
      { home_address: { ...ADDRESS, address_line_2: null } },
    ],
    [
      'has blank texts cleared that may be empty',
      { middle_names: ' ', personal_email: '', personal_phone_number: '  ', date_of_birth: '', home_address: null },
      {
        middle_names: null,
        personal_email: null,
        personal_phone_number: null,
        date_of_birth: null,
        home_address: null,
      },
    ],
  ])('%s', (_, untidy, tidy) => expect(normaliseProfile(untidy)).toEqual(tidy));
});

describe('a sealed profile', () => {
  const key = randomBytes(PERSON_KEY_BYTES);
  const text = fc.option(fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }));
  const anyChanges: fc.Arbitrary<Partial<PersonalProfile>> = fc.record(
    {
      middle_names: text,
      date_of_birth: fc.option(fc.constant('1988-12-10')),
      work_phone_number: text,
      home_address: fc.option(fc.constant(ADDRESS)),
    },
    { requiredKeys: [] },
  );

  it('is decrypted to the state after each event, and reads as an empty profile without the key', () => {
    fc.assert(
      fc.property(fc.array(anyChanges, { maxLength: 6 }), (history) => {
        const events = history.map(changed);
        const sealed = events.map((event) => sealProfileEvent(event, key));
        expect(sealed.map((event) => openProfileEvent(event, key))).toEqual(events);
        for (let length = 0; length <= events.length; length += 1) {
          const state = sealed.slice(0, length).reduce(evolveSealedProfile, initialSealedProfile);
          expect(openProfile(state, key)).toEqual(
            events.slice(0, length).reduce(evolvePersonalProfile, initialPersonalProfile),
          );
          expect(openProfile(state, null)).toEqual(EMPTY_PROFILE);
        }
      }),
    );
  });

  it('shows which fields are written, but no value', () => {
    const { data } = sealProfileEvent(changed({ ...PROFILE, middle_names: null }), key);
    expect(Object.keys(data.sealed)).toEqual(Object.keys(PROFILE));
    expect(data.sealed.middle_names).toBeNull();
    const bytes = Object.values(data.sealed).map((value) => Buffer.from(value ?? '', 'base64').toString('latin1'));
    expect(JSON.stringify([data, bytes])).not.toMatch(/1988-12|example|Bristol|900123|Elm Grove/);
  });
});
