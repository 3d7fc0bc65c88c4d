import { openPersonKey } from '#database/key-rings/person-key-seal.js';
import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import type { LocalDate } from '#kernel/dates.js';
import { changesOf } from '#kernel/json.js';
import { oneRowProjection } from '#projections/one-row-table.js';
import type { Executor } from '#projections/projection.js';
import { openJson, sealJson } from '../person/person-seal.js';
import { ROWS_OF_PEOPLE } from '../person/rows-of-people.js';
import { EMPTY_PROFILE, type PersonalProfile, PROFILE_FIELDS, profileRejection } from './personal-profile.rules.js';

// These names and fields are the storage format (sealed by `profile-seal.ts` where it is stored): add new
// ones, never rename.
export type PersonalProfileEvent = DomainEvent<'PersonalProfileChanged', { changes: Partial<PersonalProfile> }>;

/** A profile that was never written is empty: there is no event before the first change. */
export const initialPersonalProfile: PersonalProfile = EMPTY_PROFILE;

/** The state with one more event. */
export function evolvePersonalProfile(state: PersonalProfile, event: PersonalProfileEvent): PersonalProfile {
  return { ...state, ...event.data.changes };
}

/** Absent fields stay unchanged; null clears one. `today` is the current date of the organisation. */
export type PersonalProfileCommand = {
  readonly type: 'change';
  readonly changes: Partial<PersonalProfile>;
  readonly today: LocalDate;
};

/** The events of a command, or the reason for its refusal. A command without a change records nothing. */
export function decidePersonalProfile(
  command: PersonalProfileCommand,
  state: PersonalProfile,
): Decision<PersonalProfileEvent> {
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

/**
 * The read table of personal profiles. The fields' texts are encrypted with the person's key, as in events:
 * erasing the key erases them. An empty field is null, which queries can test without a key.
 */
export const PERSONAL_PROFILES_SCHEMA = `
create table personal_profiles (
  organisation_id text collate "C" not null,
  person_id text collate "C" not null,
  revision bigint not null,
  middle_names text,
  date_of_birth text,
  personal_email text,
  personal_phone_number text,
  work_phone_number text,
  home_address text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organisation_id, person_id)
);
`;

/**
 * A profile in stored form, in events and in its read table: each field encrypted separately with the
 * person's key, null if it is empty.
 */
export type SealedProfile = { readonly [Field in keyof PersonalProfile]: string | null };

// The data of an event in stored form; storage format.
export type SealedProfileEvent = DomainEvent<'PersonalProfileChanged', { sealed: Partial<SealedProfile> }>;

export const initialSealedProfile = Object.fromEntries(PROFILE_FIELDS.map((field) => [field, null])) as SealedProfile;

/** The encrypted state with one more event. Needs no key, so a rebuild works after keys were erased. */
export function evolveSealedProfile(state: SealedProfile, event: SealedProfileEvent): SealedProfile {
  return { ...state, ...event.data.sealed };
}

/** Converts the event to its stored form. */
export function sealProfileEvent({ type, data }: PersonalProfileEvent, key: Buffer): SealedProfileEvent {
  const fields = Object.entries(data.changes).map(([field, value]) => [
    field,
    value === null ? null : sealJson(value, key),
  ]);
  return { type, data: { sealed: Object.fromEntries(fields) } };
}

/** Converts the event to the decider's form. */
export function openProfileEvent({ type, data }: SealedProfileEvent, key: Buffer): PersonalProfileEvent {
  return { type, data: { changes: opened(data.sealed, key) } };
}

/** The decrypted profile: empty if the key was erased. */
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

/** The aggregate in stored form: its fields are encrypted, so projecting and rebuilding need no keys. */
const SEALED = {
  category: personalProfileAggregate.category,
  initial: initialSealedProfile,
  evolve: evolveSealedProfile,
};

/** Current personal profiles, encrypted. */
export const personalProfileProjection = oneRowProjection(SEALED, {
  table: 'personal_profiles',
  columns: PROFILE_FIELDS,
  row: (state) => state,
  keys: ROWS_OF_PEOPLE,
});

/** The revision of a profile without an event. */
export const NEVER_WRITTEN = -1;

/** A person's profile, decrypted. */
export interface PersonalProfileRow extends PersonalProfile {
  readonly person_id: string;
  /** The revision of its stream; -1 if it was never written. */
  readonly revision: number;
  /** When the profile was last written; when the person was created if it never was. */
  readonly updated_at: Date;
}

interface SealedRow extends SealedProfile {
  readonly person_id: string;
  readonly revision: number | null;
  readonly updated_at: Date;
  readonly key: Buffer | null;
}

const FIND = `select p.person_id, ${PROFILE_FIELDS.map((field) => `f.${field}`).join(', ')},
    coalesce(f.updated_at, p.created_at) as updated_at, f.revision, k.key
  from people p
  left join personal_profiles f on f.organisation_id = p.organisation_id and f.person_id = p.person_id
  left join person_keys k on k.organisation_id = p.organisation_id and k.person_id = p.person_id
 where p.organisation_id = $1 and p.person_id = $2 and p.identity_revision is not null`;

/**
 * The profile, empty if it was never written or the person's key was erased; null if there is no such person.
 * `people` reads the rows about the person, `executor` the keys of the installation.
 */
export async function findPersonalProfile(
  executor: Executor,
  organisationId: string,
  personId: string,
  people = executor,
): Promise<PersonalProfileRow | null> {
  const { rows } = await people.query<SealedRow>({
    name: 'find-personal-profile',
    text: FIND,
    values: [organisationId, personId],
  });
  const row = rows[0];
  if (row === undefined) return null;
  const sealed = row.revision === null ? initialSealedProfile : row;
  return {
    person_id: row.person_id,
    revision: row.revision ?? NEVER_WRITTEN,
    ...openProfile(sealed, await openPersonKey(executor, { organisationId, personId }, row.key)),
    updated_at: row.updated_at,
  };
}
