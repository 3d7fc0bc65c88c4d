import { AVATARS_SCHEMA } from './avatar.schema.js';
import { defineResource } from '../../resource.js';
import { AvatarController } from './avatar.controller.js';
import { avatarAggregate } from './avatar.decider.js';
import { SetAvatarHandler } from './avatar.handlers.js';
import { avatarProjection } from './avatar.projection.js';

/** Pictures of people. */
export const avatarResource = defineResource({
  area: 'people',
  aggregates: [avatarAggregate],
  projections: [avatarProjection],
  schema: AVATARS_SCHEMA,
  controllers: [AvatarController],
  handlers: [SetAvatarHandler],
});
