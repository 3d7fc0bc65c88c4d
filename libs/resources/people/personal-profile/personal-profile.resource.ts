import { PERSONAL_PROFILES_SCHEMA } from './personal-profile.schema.js';
import { defineResource } from '../../resource.js';
import { PersonalProfileController } from './personal-profile.controller.js';
import { personalProfileAggregate } from './personal-profile.decider.js';
import { ChangePersonalProfileHandler } from './personal-profile.handlers.js';
import { personalProfileProjection } from './personal-profile.projection.js';

/** Personal profiles, encrypted with each person's key. */
export const personalProfileResource = defineResource({
  area: 'people',
  aggregates: [personalProfileAggregate],
  projections: [personalProfileProjection],
  schema: PERSONAL_PROFILES_SCHEMA,
  controllers: [PersonalProfileController],
  handlers: [ChangePersonalProfileHandler],
});
