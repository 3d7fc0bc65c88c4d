import type { Executor } from '#projections/projection.js';
import type { Picture } from './avatar.rules.js';

/** A row of `avatars`. */
export interface AvatarRow extends Picture {
  readonly person_id: string;
  readonly updated_at: Date;
}

const FIND = `select a.person_id, a.picture_id, a.content_type, a.byte_size, a.width_px, a.height_px, a.updated_at
  from people p
  join avatars a using (organisation_id, person_id)
 where organisation_id = $1 and person_id = $2 and p.identity_revision is not null
   and exists (select from avatar_pictures b where b.organisation_id = $1 and b.person_id = $2 and b.picture_id = a.picture_id)
   and exists (select from person_keys k where k.organisation_id = $1 and k.person_id = $2 and k.key is not null)`;

/** The metadata of a person's picture; null where no picture can be shown, or there is no such person. */
export async function findAvatar(executor: Executor, organisationId: string, personId: string): Promise<AvatarRow | null> {
  const { rows } = await executor.query<AvatarRow>({ name: 'find-avatar', text: FIND, values: [organisationId, personId] });
  return rows[0] ?? null;
}
