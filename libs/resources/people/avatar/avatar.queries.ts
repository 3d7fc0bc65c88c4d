import type { Executor } from '#projections/projection.js';
import type { Picture } from './avatar.rules.js';

/** A row of `avatars`. */
export interface AvatarRow extends Picture {
  readonly person_id: string;
  readonly updated_at: Date;
}

/** Those of an organisation (`$1`) that can be shown. */
const SHOWN = `select a.person_id, a.picture_id, a.content_type, a.byte_size, a.width_px, a.height_px, a.updated_at
  from people p
  join avatars a using (organisation_id, person_id)
 where organisation_id = $1 and p.identity_revision is not null
   and exists (select from avatar_pictures b where b.organisation_id = $1 and b.person_id = p.person_id and b.picture_id = a.picture_id)
   and exists (select from person_keys k where k.organisation_id = $1 and k.person_id = p.person_id and k.key is not null)`;

const FIND = `${SHOWN} and person_id = $2`;

const LIST = `${SHOWN} and person_id > $2 and ($4::text[] is null or person_id = any($4)) order by person_id limit $3`;

/** The metadata of a person's picture; null where no picture can be shown, or there is no such person. */
export async function findAvatar(executor: Executor, organisationId: string, personId: string): Promise<AvatarRow | null> {
  const { rows } = await executor.query<AvatarRow>({ name: 'find-avatar', text: FIND, values: [organisationId, personId] });
  return rows[0] ?? null;
}

/** The first `count` pictures that can be shown, in the order of the people's ids, after one of them; only those of the people named, where some are. */
export async function listAvatars(
  executor: Executor,
  organisationId: string,
  personIds: readonly string[] | null,
  page: { readonly after: string | null; readonly count: number },
): Promise<readonly AvatarRow[]> {
  const values = [organisationId, page.after ?? '', page.count, personIds];
  const { rows } = await executor.query<AvatarRow>({ name: 'list-avatars', text: LIST, values });
  return rows;
}
