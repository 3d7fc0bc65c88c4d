import type { LocalDate } from '#kernel/dates.js';
import { POSTAL_ADDRESS, type PostalAddress } from '#organisation/country/postal-address.js';
import { completeIdentity } from '#people/person/person.js';
import { EMPTY_PROFILE } from '#people/profile/personal-profile.rules.js';
import { absenceOf } from './person-data.js';
import { calendarOf, withDays } from './calendar.js';
import { SANDBOX } from './data-files.js';
import type { SamplePerson } from './person-data.js';

/**
 * The people of every sandbox. Past facts have fixed dates; future ones are calculated from the day of the
 * refresh.
 */
export function sandboxPeople(today: LocalDate): readonly (SamplePerson & { readonly example: string })[] {
  const calendar = calendarOf(today);
  const { usual, people } = withDays(SANDBOX, calendar);
  return people.map(({ name: [firstName, lastName], preferredName = null, ...person }, index) => {
    const { job, profile, documents, mappings, absences } = person;
    const staffId = `SBX-${String(index + 1).padStart(4, '0')}`;
    const home = { ...POSTAL_ADDRESS.initial, ...profile?.home_address } as PostalAddress;
    return {
      startDate: usual.startDate,
      ...person,
      key: staffId,
      identity: completeIdentity({
        work_email: `${handleOf(firstName)}.sandbox@example.com`,
        first_name: firstName,
        preferred_name: preferredName,
        last_name: lastName,
        staff_id: staffId,
      }),
      job: job === null ? null : { ...usual.job, ...job },
      profile: profile ? { ...EMPTY_PROFILE, ...usual.profile, ...profile, home_address: home } : null,
      documents: documents?.map((one) => ({ name: `${one.type}.pdf`, ...usual.document, ...one })) ?? [],
      mappings: mappings?.map((one) => ({ ...usual.mapping, ...one })) ?? [],
      absences: absences?.map((absence) => absenceOf(absence, calendar)) ?? [],
    };
  });
}

function handleOf(firstName: string | null): string {
  return (firstName ?? 'nobody')
    .normalize('NFD')
    .replace(/[^A-Za-z]/g, '')
    .toLowerCase();
}
