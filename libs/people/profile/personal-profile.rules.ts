import { text } from '#http/fields.js';
import { problemOf } from '#http/fields/rules.js';
import { EARLIEST_DATE, isLocalDate, type LocalDate } from '#kernel/dates.js';
import { invalid, type Rejection } from '#kernel/rejection.js';
import { unreachable } from '#kernel/unreachable.js';
import { nameProblem, normaliseOptional } from '#kernel/names.js';
import { POSTAL_ADDRESS, type PostalAddress } from '#organisation/country/postal-address.js';

/** A person's personal data outside work (contract part 2, "Person personal profile"). */
export type PersonalProfile = {
  readonly middle_names: string | null;
  readonly date_of_birth: LocalDate | null;
  readonly personal_email: string | null;
  readonly personal_phone_number: string | null;
  readonly work_phone_number: string | null;
  readonly home_address: PostalAddress | null;
};

/** The profile before its first change, with its fields in the contract's order. */
export const EMPTY_PROFILE: PersonalProfile = {
  middle_names: null,
  date_of_birth: null,
  personal_email: null,
  personal_phone_number: null,
  work_phone_number: null,
  home_address: null,
};

export const PROFILE_FIELDS = Object.keys(EMPTY_PROFILE) as readonly (keyof PersonalProfile)[];

const EMAIL = text({ format: 'email', maximumLength: 254 });
/** The minimum number of digits, for numbers of small countries; the maximum of ITU-T E.164. */
const [MIN_DIGITS, MAX_DIGITS] = [4, 15];
const PHONE = /^(\+?[0-9 ().\/-]+?)(?: ?(?:x|ext\.?) ?[0-9]{1,6})?$/i;
const PHONE_LENGTH = 40;

/**
 * Trims texts, converts blank ones to null if the field is nullable, and writes the country's code in its
 * usual case.
 */
export function normaliseProfile(changes: Partial<PersonalProfile>): Partial<PersonalProfile> {
  const { home_address: address, ...texts } = changes;
  const tidied = Object.fromEntries(
    Object.entries(texts).map(([field, value]) => [
      field,
      typeof value === 'string' ? normaliseOptional(value) : value,
    ]),
  ) as Partial<PersonalProfile>;
  if (address === undefined) return tidied;
  return { ...tidied, home_address: address === null ? null : (POSTAL_ADDRESS.normalise(address) as PostalAddress) };
}

/** Refuses the first invalid field. `today` is the current date of the organisation. */
export function profileRejection(changes: Partial<PersonalProfile>, today: LocalDate): Rejection | null {
  for (const field of PROFILE_FIELDS) {
    const value = changes[field];
    if (value === undefined || value === null) continue;
    if (typeof value === 'object') {
      const rejection = addressRejection(value);
      if (rejection !== null) return rejection;
      continue;
    }
    const problem = textProblem(field, value, today);
    if (problem !== null) return invalid(field, problem);
  }
  return null;
}

function textProblem(field: keyof PersonalProfile, value: string, today: LocalDate): string | null {
  switch (field) {
    case 'middle_names':
      return nameProblem(value);
    case 'date_of_birth':
      return birthProblem(value, today);
    case 'personal_email':
      return problemOf(EMAIL, value);
    case 'personal_phone_number':
    case 'work_phone_number':
      return isPhoneNumber(value)
        ? null
        : `must be a phone number of ${MIN_DIGITS} to ${MAX_DIGITS} digits, such as +44 20 7946 0000 or 020 7946 ` +
            '0000 x12';
    case 'home_address':
      return 'must be an address';
    default:
      return unreachable(field);
  }
}

function birthProblem(date: string, today: LocalDate): string | null {
  if (!isLocalDate(date)) return 'must be a date that exists, written YYYY-MM-DD';
  if (date < EARLIEST_DATE) return `must not lie before ${EARLIEST_DATE}`;
  return date > today ? 'must not lie in the future' : null;
}

function isPhoneNumber(number: string): boolean {
  const digits = number.length > PHONE_LENGTH ? undefined : PHONE.exec(number)?.[1]?.replace(/[^0-9]/g, '');
  return digits !== undefined && digits.length >= MIN_DIGITS && digits.length <= MAX_DIGITS;
}

function addressRejection(address: PostalAddress): Rejection | null {
  const [first] = POSTAL_ADDRESS.issues(address);
  return first === undefined ? null : invalid(`home_address.${first.field}`, first.issue);
}
