import { type Faker, Faker as FakerClass, base, en, en_GB } from '@faker-js/faker';
import { addDays, type LocalDate } from '#kernel/dates.js';
import type { FieldValue } from '#people/custom-field-value/custom-field-value.rules.js';
import type { PersonalProfile } from '#people/profile/personal-profile.rules.js';
import type { MappingTerms } from '#payroll/provider-mapping/provider-mapping.js';
import { CERTIFICATE, CONTRACT, RIGHT_TO_WORK } from './policies.js';
import { FULL_TIME_MINUTES, type DemoPerson } from './demo-person.js';

/** A made-up document, of a type that its label names. */
export interface SampleDocument {
  readonly type: string;
  readonly name: string;
  readonly byteSize: number;
  readonly issuedOn: LocalDate;
  readonly expiresOn: LocalDate | null;
}

/** What two providers call a person. */
export interface SampleMapping extends MappingTerms {
  readonly provider: string;
}

/** Records of a made-up person besides their employment. */
export interface Particulars {
  /** Null where there is none. */
  readonly profile: PersonalProfile | null;
  /** By the keys of custom fields; empty where there are none. */
  readonly values: { readonly [key: string]: FieldValue };
  readonly documents: readonly SampleDocument[];
  readonly mappings: readonly SampleMapping[];
  readonly hasPicture: boolean;
}

/** Whose particulars, and around which day: the number identifies the person. */
export interface Subject {
  readonly seed: number;
  readonly number: number;
  readonly demoPerson: DemoPerson;
  readonly today: LocalDate;
}

/** Makes up a person's particulars: the same ones for the same subject. Some people lack some, as in life. */
export function generateParticulars(subject: Subject): Particulars {
  const faker = new FakerClass({ locale: [en_GB, en, base] });
  faker.seed([subject.seed, subject.number]);
  const { number } = subject;
  const [profile, values] = [profileOf(faker), valuesOf(faker, subject)];
  return {
    profile: number % 8 === 7 ? null : profile,
    values: number % 9 === 8 ? {} : values,
    documents: documentsOf(faker, subject),
    mappings: mappingsOf(faker, subject),
    hasPicture: number % 4 === 0,
  };
}

/** Numbers that Ofcom keeps free for drama, and addresses of a reserved domain. */
function profileOf(faker: Faker): PersonalProfile {
  return {
    middle_names: faker.helpers.maybe(() => faker.person.middleName(), { probability: 0.4 }) ?? null,
    date_of_birth: faker.date.between({ from: '1962-01-01', to: '1998-12-31' }).toISOString().slice(0, 10),
    personal_email:
      `${faker.word.adjective()}.${faker.word.noun()}${faker.number.int({ min: 10, max: 99 })}@mail.example`.toLowerCase(),
    personal_phone_number: `+44 7700 900${faker.string.numeric(3)}`,
    work_phone_number: `+44 20 7946 0${faker.string.numeric(3)}`,
    home_address: {
      address_line_1: faker.location.streetAddress(),
      address_line_2: null,
      address_line_3: null,
      city: faker.location.city(),
      region_state: faker.location.county(),
      postal_code: `ZZ${faker.number.int({ min: 1, max: 99 })} ${faker.number.int({ min: 1, max: 9 })}ZZ`,
      country_code: 'GB',
    },
  };
}

function valuesOf(faker: Faker, { number, demoPerson, today }: Subject): Particulars['values'] {
  return {
    shirt_size: faker.helpers.arrayElement(['s', 'm', 'l']),
    first_aider: number % 6 === 0,
    laptop_due: addDays(today, faker.number.int({ min: -60, max: 900 })),
    commute_km: faker.number.float({ min: 0.5, max: 60, fractionDigits: 1 }),
    first_language: faker.helpers.weightedArrayElement([
      { value: 'en', weight: 8 },
      { value: 'pl', weight: 1 },
      { value: 'other', weight: 1 },
    ]),
    payroll_group: demoPerson.minutes === FULL_TIME_MINUTES ? 'Monthly A' : 'Monthly B',
    ...(demoPerson.workPlace === 'Remote'
      ? {}
      : { desk: `${faker.number.int({ min: 1, max: 4 })}-${faker.string.numeric(2)}` }),
    ...(number % 4 === 1 ? { referred_by: faker.person.fullName() } : {}),
  };
}

function documentsOf(faker: Faker, { number, demoPerson, today }: Subject): readonly SampleDocument[] {
  const size = (): number => faker.number.int({ min: 40_000, max: 900_000 });
  const documents: SampleDocument[] = [
    {
      type: CONTRACT,
      name: `Contract of ${demoPerson.startDate.slice(0, 4)}`,
      byteSize: size(),
      issuedOn: demoPerson.startDate,
      expiresOn: null,
    },
  ];
  if (number % 3 === 0) {
    const expiresOn = addDays(today, faker.number.int({ min: -30, max: 1_500 }));
    documents.push({
      type: RIGHT_TO_WORK,
      name: 'Share code check',
      byteSize: size(),
      issuedOn: demoPerson.startDate < expiresOn ? demoPerson.startDate : expiresOn,
      expiresOn,
    });
  }
  if (number % 6 === 0) {
    documents.push({
      type: CERTIFICATE,
      name: 'First aid at work',
      byteSize: size(),
      issuedOn: addDays(today, -400),
      expiresOn: addDays(today, 695),
    });
  }
  return documents;
}

/**
 * Most people are known to payroll, those who are new to it wait, one failed; half of them have an account.
 */
function mappingsOf(faker: Faker, { number, demoPerson, today }: Subject): readonly SampleMapping[] {
  const lastNight = `${addDays(today, -1)}T02:00:00.000Z`;
  const account = {
    provider: 'identity',
    external_id: faker.string.uuid(),
    status: 'active',
    last_synced_at: lastNight,
  } as const;
  const employee = { provider: 'payroll', external_id: `EMP-${demoPerson.staffId.slice(2)}` };
  if (number % 13 === 12) return [{ ...employee, status: 'pending', last_synced_at: null }];
  const payroll = { ...employee, status: number % 21 === 10 ? 'error' : 'active', last_synced_at: lastNight } as const;
  return number % 2 === 0 ? [payroll, account] : [payroll];
}
