import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import { type Picture, pictureRejection } from './avatar.rules.js';

// These names and fields are the storage format: add new ones, never rename or remove. The bytes are never in an event.
export type AvatarEvent = DomainEvent<'AvatarSet', Picture>;

export type AvatarState = { readonly status: 'none' } | { readonly status: 'set'; readonly picture: Picture };

export const initialAvatar: AvatarState = { status: 'none' };

/** The state with one more event. */
export function evolveAvatar(_state: AvatarState, event: AvatarEvent): AvatarState {
  return { status: 'set', picture: event.data };
}

export type AvatarCommand = { readonly type: 'set'; readonly picture: Picture };

/** What a command records, or why it is refused. Setting the current picture again records nothing. */
export function decideAvatar({ picture }: AvatarCommand, state: AvatarState): Decision<AvatarEvent> {
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
