import { openPersonKey } from '#database/key-rings/person-key-seal.js';
import type { Executor } from '#projections/projection.js';
import type { PersonalProfile } from './personal-profile.rules.js';
import { initialSealedProfile, openProfile, type SealedProfile } from './profile-seal.js';

/** A person's profile, decrypted. */
export interface PersonalProfileRow extends PersonalProfile {
  readonly person_id: string;
  /** When the profile was last written; where it never was, when the person was created. */
  readonly updated_at: Date;
}

interface SealedRow extends SealedProfile {
  readonly person_id: string;
  readonly updated_at: Date;
  readonly key: Buffer | null;
  readonly is_written: boolean;
}

const FIND = `select p.person_id, f.middle_names, f.date_of_birth, f.personal_email, f.personal_phone_number, f.work_phone_number, f.home_address,
    coalesce(f.updated_at, p.created_at) as updated_at, f.revision is not null as is_written, k.key
  from people p
  left join personal_profiles f on f.organisation_id = p.organisation_id and f.person_id = p.person_id
  left join person_keys k on k.organisation_id = p.organisation_id and k.person_id = p.person_id
 where p.organisation_id = $1 and p.person_id = $2 and p.identity_revision is not null`;

/** The profile, empty where it was never written or the person's key was erased; null where there is no such person. */
export async function findPersonalProfile(
  executor: Executor,
  organisationId: string,
  personId: string,
): Promise<PersonalProfileRow | null> {
  const { rows } = await executor.query<SealedRow>({ name: 'find-personal-profile', text: FIND, values: [organisationId, personId] });
  const row = rows[0];
  if (row === undefined) return null;
  const sealed = row.is_written ? row : initialSealedProfile;
  return {
    person_id: row.person_id,
    ...openProfile(sealed, await openPersonKey(executor, { organisationId, personId }, row.key)),
    updated_at: row.updated_at,
  };
}
