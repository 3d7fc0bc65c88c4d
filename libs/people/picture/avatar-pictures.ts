import { createHmac, hkdfSync } from 'node:crypto';
import { openPersonKey } from '#database/key-rings/person-key-seal.js';
import { openBytes, sealBytes } from '#database/seal.js';
import type { Executor } from '#projections/projection.js';
import type { PictureType } from './avatar.rules.js';

/** The owner and the id of a picture. */
export interface PicturePlace {
  readonly organisationId: string;
  readonly personId: string;
  readonly pictureId: string;
}

const ID_BYTES = 24;

/**
 * A picture's id: an HMAC of its bytes under a key derived from the person's. The same picture of the same
 * person always has the same id; without the key, an id cannot be matched to a given picture. Storage format.
 */
export function pictureIdOf(bytes: Buffer, personKey: Buffer): string {
  const key = Buffer.from(hkdfSync('sha256', personKey, '', 'avatar picture id', 32));
  return createHmac('sha256', key).update(bytes).digest().subarray(0, ID_BYTES).toString('base64url');
}

/** Stores a picture's bytes, encrypted. A stored picture is not changed. */
export async function keepPicture(
  executor: Executor,
  { organisationId, personId, pictureId }: PicturePlace,
  bytes: Buffer,
  personKey: Buffer,
): Promise<void> {
  await executor.query({
    name: 'keep-picture',
    text: `insert into avatar_pictures (organisation_id, person_id, picture_id, sealed) values ($1, $2, $3, $4)
      on conflict do nothing`,
    values: [organisationId, personId, pictureId, sealBytes(bytes, personKey)],
  });
}

/**
 * Deletes the bytes of a person's other pictures: replaced ones, and those of an incomplete command. Deletes
 * all of them where none is current.
 */
export async function forgetOtherPictures(
  executor: Executor,
  { organisationId, personId, pictureId }: Omit<PicturePlace, 'pictureId'> & { readonly pictureId: string | null },
): Promise<void> {
  await executor.query(
    'delete from avatar_pictures where organisation_id = $1 and person_id = $2 and picture_id is distinct from $3',
    [organisationId, personId, pictureId],
  );
}

const FIND_CURRENT = `select a.content_type, b.sealed, k.key
  from avatars a
  join avatar_pictures b using (organisation_id, person_id, picture_id)
  join person_keys k using (organisation_id, person_id)
 where organisation_id = $1 and person_id = $2 and picture_id = $3 and k.key is not null`;

/** The person's current picture, decrypted; null if this picture was replaced or erased. */
export async function findCurrentPicture(
  executor: Executor,
  { organisationId, personId, pictureId }: PicturePlace,
): Promise<{ readonly contentType: PictureType; readonly bytes: Buffer } | null> {
  const { rows } = await executor.query<{ content_type: PictureType; sealed: Buffer; key: Buffer }>({
    name: 'find-current-picture',
    text: FIND_CURRENT,
    values: [organisationId, personId, pictureId],
  });
  const row = rows[0];
  if (row === undefined) return null;
  const key = await openPersonKey(executor, { organisationId, personId }, row.key);
  return { contentType: row.content_type, bytes: openBytes(row.sealed, key) };
}
