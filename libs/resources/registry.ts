import type { Projection } from '#projections/projection.js';
import { apiKeyProjection } from './api-key/api-key.projection.js';
import { locationProjection } from './location/location.projection.js';
import { orgUnitProjection } from './org-unit/org-unit.projection.js';
import { organisationProjection } from './organisation/organisation.projection.js';
import { peopleProjection } from './people/people.projection.js';
import { workPlaceProjection } from './work-place/work-place.projection.js';
import { workTypeProjection } from './work-type/work-type.projection.js';
import { workingPatternProjection } from './working-pattern/working-pattern.projection.js';

/**
 * Every read model, in the order in which a rebuild takes them: organisations first, because the others ask them which
 * day it is. One line a resource.
 */
export const PROJECTIONS: readonly Projection[] = [
  organisationProjection,
  apiKeyProjection,
  locationProjection,
  orgUnitProjection,
  workPlaceProjection,
  workTypeProjection,
  workingPatternProjection,
  peopleProjection,
];
