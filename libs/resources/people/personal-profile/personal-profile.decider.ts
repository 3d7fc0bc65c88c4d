import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import type { LocalDate } from '#kernel/dates.js';
import { changesOf } from '#kernel/json.js';
import { EMPTY_PROFILE, type PersonalProfile, profileRejection } from './personal-profile.rules.js';

// These names and fields are the storage format (sealed by `profile-seal.ts` where it is stored): add new ones, never rename.
export type PersonalProfileEvent = DomainEvent<'PersonalProfileChanged', { changes: Partial<PersonalProfile> }>;

/** A profile that was never written is empty: there is no event before the first change. */
export const initialPersonalProfile: PersonalProfile = EMPTY_PROFILE;

/** The state with one more event. */
export function evolvePersonalProfile(state: PersonalProfile, event: PersonalProfileEvent): PersonalProfile {
  return { ...state, ...event.data.changes };
}

/** Fields that are not named stay; null clears one. `today` is the date where the organisation is. */
export type PersonalProfileCommand = { readonly type: 'change'; readonly changes: Partial<PersonalProfile>; readonly today: LocalDate };

/** What a command records, or why it is refused. A change that changes nothing records nothing. */
export function decidePersonalProfile(command: PersonalProfileCommand, state: PersonalProfile): Decision<PersonalProfileEvent> {
  const rejection = profileRejection(command.changes, command.today);
  if (rejection !== null) return reject(rejection);
  const changes = changesOf(command.changes, state);
  return changes === null ? accept() : accept({ type: 'PersonalProfileChanged', data: { changes } });
}

export const personalProfileAggregate = defineAggregate({
  category: 'personal-profile',
  initial: initialPersonalProfile,
  evolve: evolvePersonalProfile,
});
