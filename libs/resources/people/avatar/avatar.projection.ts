import { oneRowProjection } from '#projections/one-row-table.js';
import { ROWS_OF_PEOPLE } from '../person/rows-of-people.js';
import { avatarAggregate } from './avatar.decider.js';

/** The metadata of people's current pictures. */
export const avatarProjection = oneRowProjection(avatarAggregate, {
  table: 'avatars',
  columns: ['picture_id', 'content_type', 'byte_size', 'width_px', 'height_px'],
  row: (state) => state.picture,
  keys: ROWS_OF_PEOPLE,
});
