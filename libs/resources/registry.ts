import type { Projection } from '#projections/projection.js';
import { apiKeyProjection } from './api-key/api-key.projection.js';
import { avatarProjection } from './avatar/avatar.projection.js';
import { customFieldProjection } from './custom-field/custom-field.projection.js';
import { customFieldValueProjection } from './custom-field-value/custom-field-value.projection.js';
import { documentTypeProjection } from './document-type/document-type.projection.js';
import { documentProjection } from './document/document.projection.js';
import { locationProjection } from './location/location.projection.js';
import { orgUnitProjection } from './org-unit/org-unit.projection.js';
import { organisationProjection } from './organisation/organisation.projection.js';
import { peopleProjection } from './people/people.projection.js';
import { personalProfileProjection } from './personal-profile/personal-profile.projection.js';
import { balanceAdjustmentProjection } from './time-off-balance/balance-adjustment.projection.js';
import { sandboxProjection } from './sandbox/sandbox.projection.js';
import { timeOffCategoryProjection } from './time-off-category/time-off-category.projection.js';
import { timeOffProjection } from './time-off/time-off.projection.js';
import { timeOffSettingsProjection } from './time-off-settings/time-off-settings.projection.js';
import { providerMappingProjection } from './provider-mapping/provider-mapping.projection.js';
import { webhookProjection } from './webhook/webhook.projection.js';
import { workPlaceProjection } from './work-place/work-place.projection.js';
import { workTypeProjection } from './work-type/work-type.projection.js';
import { workingPatternProjection } from './working-pattern/working-pattern.projection.js';

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
