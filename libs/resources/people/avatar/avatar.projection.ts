import { oneRowProjection } from '#projections/one-row-table.js';
import { ROWS_OF_PEOPLE } from '../person/rows-of-people.js';
import { evolveAvatar, initialAvatar } from './avatar.decider.js';

/** What is known of people's pictures as they are now. */
export const avatarProjection = oneRowProjection({
  table: 'avatars',
  category: 'avatar',
  initial: initialAvatar,
  evolve: evolveAvatar,
  columns: ['picture_id', 'content_type', 'byte_size', 'width_px', 'height_px'],
  row: (state, stream) => {
    if (state.status === 'none') throw new Error(`stream ${stream[0]!.stream} does not begin with a picture`);
    return state.picture;
  },
  keys: ROWS_OF_PEOPLE,
});
