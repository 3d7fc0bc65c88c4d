import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import { unreachable } from '#kernel/unreachable.js';
import { oneRowProjection } from '#projections/one-row-table.js';
import type { Executor } from '#projections/projection.js';
import { ROWS_OF_PEOPLE } from '../person/rows-of-people.js';
import { type Picture, pictureRejection } from './avatar.rules.js';

// These names and fields are the storage format: add new ones, never rename or remove. The bytes are never in
// an event.
export type AvatarEvent = DomainEvent<'AvatarSet', Picture> | DomainEvent<'AvatarRemoved', Record<string, never>>;

export type AvatarState =
  { readonly status: 'none' } | { readonly status: 'set' | 'removed'; readonly picture: Picture };

export const initialAvatar: AvatarState = { status: 'none' };

/** The state with one more event. */
export function evolveAvatar(state: AvatarState, event: AvatarEvent): AvatarState {
  switch (event.type) {
    case 'AvatarSet':
      return { status: 'set', picture: event.data };
    case 'AvatarRemoved':
      return state.status === 'none' ? state : { ...state, status: 'removed' };
    default:
      return unreachable(event);
  }
}

export type AvatarCommand = { readonly type: 'set'; readonly picture: Picture } | { readonly type: 'remove' };

/**
 * The events of a command, or the reason for its refusal. Setting the current picture again records nothing,
 * nor does a removal without a picture.
 */
export function decideAvatar(command: AvatarCommand, state: AvatarState): Decision<AvatarEvent> {
  if (command.type === 'remove') return state.status === 'set' ? accept({ type: 'AvatarRemoved', data: {} }) : accept();
  const { picture } = command;
  const rejection = pictureRejection(picture);
  if (rejection !== null) return reject(rejection);
  if (state.status === 'set' && state.picture.picture_id === picture.picture_id) return accept();
  return accept({ type: 'AvatarSet', data: picture });
}

export const avatarAggregate = defineAggregate({
  category: 'avatar',
  initial: initialAvatar,
  evolve: evolveAvatar,
});

/**
 * `avatars` is the read table: the metadata of each person's picture. `avatar_pictures` is not a read table:
 * it is the only place that stores the bytes, encrypted with the person's key, and they cannot be rebuilt
 * from events.
 */
export const AVATARS_SCHEMA = `
create table avatars (
  organisation_id text collate "C" not null,
  person_id text collate "C" not null,
  revision bigint not null,
  picture_id text collate "C" not null,
  content_type text not null,
  byte_size integer not null,
  width_px integer not null,
  height_px integer not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organisation_id, person_id)
);

create table avatar_pictures (
  organisation_id text collate "C" not null,
  person_id text collate "C" not null,
  picture_id text collate "C" not null,
  -- Encrypted bytes cannot be compressed.
  sealed bytea storage external not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  primary key (organisation_id, person_id, picture_id)
);
`;

/** The id in the row of a removed picture. No picture has it, so that nothing finds one. */
const NO_PICTURE = '';

/** The metadata of people's current pictures. */
export const avatarProjection = oneRowProjection(avatarAggregate, {
  table: 'avatars',
  columns: ['picture_id', 'content_type', 'byte_size', 'width_px', 'height_px'],
  row: ({ status, picture }) => (status === 'removed' ? { ...picture, picture_id: NO_PICTURE } : picture),
  keys: ROWS_OF_PEOPLE,
});

/** A row of `avatars`. */
export interface AvatarRow extends Picture {
  readonly person_id: string;
  readonly updated_at: Date;
}

/** The available pictures of an organisation (`$1`). */
const AVATARS = `select a.person_id, a.picture_id, a.content_type, a.byte_size, a.width_px, a.height_px, a.updated_at
  from people p
  join avatars a using (organisation_id, person_id)
 where organisation_id = $1 and p.identity_revision is not null
   and exists (select from avatar_pictures b where b.organisation_id = $1 and b.person_id = p.person_id
     and b.picture_id = a.picture_id)
   and exists (select from person_keys k where k.organisation_id = $1 and k.person_id = p.person_id
     and k.key is not null)`;

const FIND = `${AVATARS} and person_id = $2`;

const LIST =
  `${AVATARS} and person_id > $2 and ($4::text[] is null or person_id = any($4)) order by ` + 'person_id limit $3';

/** The metadata of a person's picture; null if no picture is available, or there is no such person. */
export async function findAvatar(
  executor: Executor,
  organisationId: string,
  personId: string,
): Promise<AvatarRow | null> {
  const { rows } = await executor.query<AvatarRow>({
    name: 'find-avatar',
    text: FIND,
    values: [organisationId, personId],
  });
  return rows[0] ?? null;
}

/**
 * The first `count` available pictures, in the order of the people's ids, after one of them; only those of
 * the given people, if any.
 */
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
