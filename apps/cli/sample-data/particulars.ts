import type { Faker } from '@faker-js/faker';
import { addDays } from '#kernel/dates.js';
import type { CompleteIdentity } from '#people/person/person.js';
import { EMPTY_PROFILE, type PersonalProfile } from '#people/profile/personal-profile.rules.js';
import type { Calendar } from './calendar.js';
import { SETTINGS } from './data-files.js';
import { type Career, FULL_TIME_MINUTES, type Particulars } from './person-data.js';

/** The person of the particulars; the number is the position among all people, from 0. */
export interface Subject {
  readonly number: number;
  readonly identity: CompleteIdentity;
  readonly career: Career;
  readonly calendar: Calendar;
  /** Whether the person belongs to the story, whose people have all particulars. */
  readonly isOfStory: boolean;
}

const [CONTRACT, RIGHT_TO_WORK, CERTIFICATE] = SETTINGS.documentTypes as [string, string, string];

/**
 * Generates a person's particulars with the person's own random source. Some people lack some of them.
 */
export function particularsOf(faker: Faker, subject: Subject): Particulars {
  const { number, isOfStory } = subject;
  const [profile, values] = [profileOf(faker, subject), valuesOf(faker, subject)];
  return {
    profile: !isOfStory && number % 8 === 7 ? null : profile,
    values: !isOfStory && number % 9 === 8 ? {} : values,
    documents: documentsOf(faker, subject),
    mappings: mappingsOf(faker, subject),
    ...(isOfStory || number % 4 === 0 ? { picture: number } : {}),
    markers: !isOfStory && number % 5 === 4 ? [] : ['compensation', 'bank_details', 'tax_id'],
  };
}

/** A profile with phone numbers that Ofcom reserves for drama, and addresses of a reserved domain. */
function profileOf(faker: Faker, { identity }: Subject): PersonalProfile {
  const middleNames = faker.helpers.maybe(() => faker.person.middleName(), { probability: 0.4 }) ?? null;
  return {
    ...EMPTY_PROFILE,
    middle_names: identity.preferred_name ?? middleNames,
    date_of_birth: faker.date.birthdate({ mode: 'year', min: 1962, max: 1998 }).toISOString().slice(0, 10),
    personal_email: faker.internet.email({ firstName: identity.first_name!, provider: 'mail.example' }).toLowerCase(),
    personal_phone_number: `+44 7700 900${faker.string.numeric(3)}`,
    work_phone_number: `+44 20 7946 0${faker.string.numeric(3)}`,
    home_address: {
      address_line_1: faker.location.streetAddress(),
      address_line_2: null,
      address_line_3: null,
      city: faker.location.city(),
      region_state: faker.location.county(),
      postal_code: faker.helpers.replaceSymbols('ZZ## #ZZ'),
      country_code: 'GB',
    },
  };
}

function valuesOf(faker: Faker, { number, career, calendar }: Subject): NonNullable<Particulars['values']> {
  const { minutes, workPlace } = career.job!;
  return {
    shirt_size: faker.helpers.arrayElement(['s', 'm', 'l']),
    first_aider: number % 6 === 0,
    laptop_due: addDays(calendar.today, faker.number.int({ min: -60, max: 900 })),
    commute_km: faker.number.float({ min: 0.5, max: 60, fractionDigits: 1 }),
    first_language: faker.helpers.weightedArrayElement([
      { value: 'en', weight: 8 },
      { value: 'pl', weight: 1 },
      { value: 'other', weight: 1 },
    ]),
    payroll_group: minutes === FULL_TIME_MINUTES ? 'Monthly A' : 'Monthly B',
    ...(workPlace === 'Remote' ? {} : { desk: `${faker.number.int({ min: 1, max: 4 })}-${faker.string.numeric(2)}` }),
    ...(number % 4 === 1 ? { referred_by: faker.person.fullName() } : {}),
  };
}

type SampleDocuments = NonNullable<Particulars['documents']>;

function documentsOf(faker: Faker, { number, career, calendar: { today } }: Subject): SampleDocuments {
  const startDate = career.startDate!;
  const document = (
    type: string,
    name: string,
    issued: string,
    expires_on: string | null,
  ): SampleDocuments[number] => ({
    type,
    name,
    byte_size: faker.number.int({ min: 40_000, max: 900_000 }),
    issued_on: expires_on !== null && expires_on < issued ? expires_on : issued,
    expires_on,
  });
  const checkedUntil = addDays(today, faker.number.int({ min: -30, max: 1_500 }));
  return [
    document(CONTRACT, `Contract of ${startDate.slice(0, 4)}`, startDate, null),
    ...(number % 3 === 0 ? [document(RIGHT_TO_WORK, 'Share code check', startDate, checkedUntil)] : []),
    ...(number % 6 === 0
      ? [document(CERTIFICATE, 'First aid at work', addDays(today, -400), addDays(today, 695))]
      : []),
  ];
}

/**
 * Most people have an active mapping of payroll, some a pending or failed one; half of them have an account.
 */
function mappingsOf(faker: Faker, { number, identity, calendar }: Subject): NonNullable<Particulars['mappings']> {
  const lastNight = { status: 'active', last_synced_at: `${addDays(calendar.today, -1)}T02:00:00.000Z` } as const;
  const employee = { provider_name: 'payroll', external_id: `EMP-${identity.staff_id!.slice(2)}` };
  const account = { provider_name: 'identity', external_id: faker.string.uuid(), ...lastNight };
  if (number % 13 === 12) return [{ ...employee, status: 'pending', last_synced_at: null }];
  const payroll = { ...employee, ...lastNight, status: number % 21 === 10 ? 'error' : 'active' } as const;
  return number % 2 === 0 ? [payroll, account] : [payroll];
}
