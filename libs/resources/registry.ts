import type { Clock } from '#kernel/clock.js';
import type { Projection } from '#projections/projection.js';
import { Projector } from '#projections/projector.js';
import { apiKeyProjection } from './integration/api-key/api-key.projection.js';
import { avatarProjection } from './people/avatar/avatar.projection.js';
import { customFieldProjection } from './organisation/custom-field/custom-field.projection.js';
import { customFieldValueProjection } from './people/custom-field-value/custom-field-value.projection.js';
import { documentTypeProjection } from './organisation/document-type/document-type.projection.js';
import { documentProjection } from './people/document/document.projection.js';
import { locationProjection } from './organisation/location/location.projection.js';
import { orgUnitProjection } from './organisation/org-unit/org-unit.projection.js';
import { organisationProjection } from './organisation/organisation/organisation.projection.js';
import { peopleProjection } from './people/people/people.projection.js';
import { personalProfileProjection } from './people/personal-profile/personal-profile.projection.js';
import { balanceAdjustmentProjection } from './time-off/balances/balance-adjustment.projection.js';
import { sandboxProjection } from './integration/sandbox/sandbox.projection.js';
import { timeOffCategoryProjection } from './time-off/category/time-off-category.projection.js';
import { timeOffProjection } from './time-off/records/time-off.projection.js';
import { timeOffSettingsProjection } from './time-off/settings/time-off-settings.projection.js';
import { providerMappingProjection } from './integration/provider-mapping/provider-mapping.projection.js';
import { webhookProjection } from './integration/webhook/webhook.projection.js';
import { workPlaceProjection } from './organisation/work-place/work-place.projection.js';
import { workTypeProjection } from './organisation/work-type/work-type.projection.js';
import { workingPatternProjection } from './organisation/working-pattern/working-pattern.projection.js';

/**
 * Every read model, in the order in which a rebuild takes them: organisations first, because the others ask them which
 * day it is; but sandboxes before them, because what is rebuilt leaves out their former tenants. One line a resource.
 */
export const PROJECTIONS: readonly Projection[] = [
  sandboxProjection,
  organisationProjection,
  apiKeyProjection,
  locationProjection,
  orgUnitProjection,
  workPlaceProjection,
  workTypeProjection,
  workingPatternProjection,
  timeOffCategoryProjection,
  timeOffSettingsProjection,
  timeOffProjection,
  balanceAdjustmentProjection,
  customFieldProjection,
  peopleProjection,
  customFieldValueProjection,
  personalProfileProjection,
  avatarProjection,
  documentTypeProjection,
  documentProjection,
  providerMappingProjection,
  webhookProjection,
];

/** The projector of every read model: one for a process. */
export function createProjector(clock: Clock): Projector {
  return new Projector(PROJECTIONS, clock);
}
