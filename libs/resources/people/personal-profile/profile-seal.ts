import type { DomainEvent } from '#kernel/aggregate.js';
import { openJson, sealJson } from '../person/person-seal.js';
import type { PersonalProfileEvent } from './personal-profile.decider.js';
import { EMPTY_PROFILE, type PersonalProfile, PROFILE_FIELDS } from './personal-profile.rules.js';

/** A profile as it is stored, in events and in its read table: each field encrypted separately with the person's key, null where it is empty. */
export type SealedProfile = { readonly [Field in keyof PersonalProfile]: string | null };

// The data of an event as it is stored; storage format.
export type SealedProfileEvent = DomainEvent<'PersonalProfileChanged', { sealed: Partial<SealedProfile> }>;

export const initialSealedProfile: SealedProfile = {
  middle_names: null,
  date_of_birth: null,
  personal_email: null,
  personal_phone_number: null,
  work_phone_number: null,
  home_address: null,
};

/** The encrypted state with one more event. Needs no key, so a rebuild works after keys were erased. */
export function evolveSealedProfile(state: SealedProfile, event: SealedProfileEvent): SealedProfile {
  return { ...state, ...event.data.sealed };
}

/** The event as it is stored. */
export function sealProfileEvent({ type, data }: PersonalProfileEvent, key: Buffer): SealedProfileEvent {
  const fields = Object.entries(data.changes).map(([field, value]) => [field, value === null ? null : sealJson(value, key)]);
  return { type, data: { sealed: Object.fromEntries(fields) } };
}

/** The event as the decider takes it. */
export function openProfileEvent({ type, data }: SealedProfileEvent, key: Buffer): PersonalProfileEvent {
  return { type, data: { changes: opened(data.sealed, key) } };
}

/** The decrypted profile: empty where the key was erased. */
export function openProfile(sealed: SealedProfile, key: Buffer | null): PersonalProfile {
  return key === null ? EMPTY_PROFILE : { ...EMPTY_PROFILE, ...opened(sealed, key) };
}

function opened(sealed: Partial<SealedProfile>, key: Buffer): Partial<PersonalProfile> {
  const present = PROFILE_FIELDS.filter((field) => sealed[field] !== undefined);
  return Object.fromEntries(present.map((field) => [field, openedField(sealed[field] ?? null, key)]));
}

function openedField(sealed: string | null, key: Buffer): ReturnType<typeof openJson> {
  return sealed === null ? null : openJson(sealed, key);
}
