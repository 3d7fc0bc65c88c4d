import type { LocalDate } from '#kernel/dates.js';
import { POSTAL_ADDRESS, type PostalAddress } from '#organisation/country/postal-address.js';
import { EMPTY_PROFILE, type PersonalProfile } from '#people/profile/personal-profile.rules.js';
import { type Calendar, calendarOf, dayOf } from './calendar.js';
import { SANDBOX } from './data-files.js';
import { absenceOf, careerOf, type Particulars, type PersonData, type SamplePerson } from './person-data.js';

const LAST_SYNC = '2025-11-03T02:00:00.000Z';

/**
 * The people of every sandbox. What is over has fixed dates; what is still to come is calculated from the day
 * of the refresh.
 */
export function sandboxPeople(today: LocalDate): readonly SamplePerson[] {
  const calendar = calendarOf(today);
  return SANDBOX.people.map((person, index) => {
    const [firstName, lastName] = person.name;
    const staffId = `SBX-${String(index + 1).padStart(4, '0')}`;
    return {
      key: staffId,
      identity: {
        work_email: `${handleOf(firstName)}.sandbox@example.com`,
        first_name: firstName,
        preferred_name: person.preferredName ?? null,
        last_name: lastName,
        staff_id: staffId,
      },
      ...careerOf(person, SANDBOX.usual, calendar, 0),
      ...particularsOf(person, index + 1, calendar),
    };
  });
}

function handleOf(firstName: string | null): string {
  return (firstName ?? 'nobody')
    .normalize('NFD')
    .replace(/[^A-Za-z]/g, '')
    .toLowerCase();
}

function particularsOf(person: PersonData, number: number, calendar: Calendar): Particulars {
  const { profile, values = {}, documents = [], mappings = [], picture, absences = [], adjustments = [] } = person;
  return {
    profile: profile === undefined ? null : profileOf({ ...SANDBOX.usual.profile, ...profile }),
    values,
    documents: documents.map(([type, issuedOn, expiresOn]) => ({
      type,
      name: `${type}.pdf`,
      byteSize: SANDBOX.usual.byteSize,
      issuedOn: dayOf(issuedOn, calendar),
      expiresOn: expiresOn === null ? null : dayOf(expiresOn, calendar),
    })),
    mappings: mappings.map(([provider, externalId, status]) => ({
      provider,
      external_id: externalId,
      status,
      last_synced_at: status === 'pending' ? null : LAST_SYNC,
    })),
    picture: picture === true ? number : null,
    markers: [],
    absences: absences.map((absence) => absenceOf(absence, calendar)),
    adjustments: adjustments.map((adjustment) => ({ ...adjustment, on: dayOf(adjustment.on, calendar) })),
  };
}

function profileOf({ home_address: address, ...profile }: NonNullable<PersonData['profile']>): PersonalProfile {
  const home = { ...POSTAL_ADDRESS.initial, ...address } as PostalAddress;
  return {
    ...EMPTY_PROFILE,
    personal_email: `${home.city.toLowerCase().replace(/ /g, '.')}@home.example`,
    ...profile,
    home_address: home,
  };
}
