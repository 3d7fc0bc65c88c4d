import { auditResource } from './integration/audit/audit.resource.js';
import { activityResource } from './integration/activity/activity.resource.js';
import { apiKeyResource } from './integration/api-key/api-key.resource.js';
import { importResource } from './integration/import/import.resource.js';
import { integrationReadinessResource } from './integration/integration-readiness/integration-readiness.resource.js';
import { mcpPolicyResource } from './integration/mcp-policy/mcp-policy.resource.js';
import { payrollExportResource } from './integration/payroll-export/payroll-export.resource.js';
import { payrollMarkerResource } from './integration/payroll-marker/payroll-marker.resource.js';
import { providerMappingResource } from './integration/provider-mapping/provider-mapping.resource.js';
import { requestLogResource } from './integration/request-log/request-log.resource.js';
import { sandboxEventResource, sandboxResource } from './integration/sandbox/sandbox.resource.js';
import { userResource } from './integration/user/user.resource.js';
import { webhookResource } from './integration/webhook/webhook.resource.js';
import { writeProposalResource } from './integration/write-proposal/write-proposal.resource.js';
import { customFieldResource } from './organisation/custom-field/custom-field.api.js';
import { documentTypeResource, workPlaceResource, workTypeResource } from './organisation/dictionary/dictionary.resource.js';
import { locationResource } from './organisation/location/location.api.js';
import { orgUnitResource } from './organisation/org-unit/org-unit.api.js';
import { organisationResource } from './organisation/organisation/organisation.resource.js';
import { setUpResource } from './organisation/set-up/set-up.resource.js';
import { referenceResource } from './organisation/reference/reference.resource.js';
import { workingPatternResource } from './organisation/working-pattern/working-pattern.api.js';
import { avatarResource } from './people/avatar/avatar.resource.js';
import { customFieldValueResource } from './people/custom-field-value/custom-field-value.resource.js';
import { documentResource } from './people/document/document.resource.js';
import { peopleResource } from './people/people.resource.js';
import { personalProfileResource } from './people/personal-profile/personal-profile.resource.js';
import type { Resource } from './resource.js';
import { balanceResource } from './time-off/balances/balance.resource.js';
import { timeOffCategoryResource } from './time-off/category/time-off-category.api.js';
import { timeOffSettingsResource } from './time-off/settings/time-off-settings.resource.js';
import { publicHolidayResource, timeOffResource } from './time-off/time-off.resource.js';

/**
 * Every resource, one line each, in the order in which their tables are rebuilt: sandboxes first, because a rebuild leaves out their former
 * tenants; then organisations, because the other projections need their time zones.
 */
export const RESOURCES: readonly Resource[] = [
  sandboxResource,
  organisationResource,
  setUpResource,
  apiKeyResource,
  locationResource,
  orgUnitResource,
  workPlaceResource,
  workTypeResource,
  workingPatternResource,
  timeOffCategoryResource,
  timeOffSettingsResource,
  timeOffResource,
  balanceResource,
  publicHolidayResource,
  customFieldResource,
  peopleResource,
  customFieldValueResource,
  personalProfileResource,
  avatarResource,
  documentTypeResource,
  documentResource,
  providerMappingResource,
  webhookResource,
  referenceResource,
  payrollMarkerResource,
  payrollExportResource,
  integrationReadinessResource,
  writeProposalResource,
  mcpPolicyResource,
  userResource,
  importResource,
  requestLogResource,
  activityResource,
  auditResource,
];

/** The additional resources of the sandbox address. */
export const SANDBOX_RESOURCES: readonly Resource[] = [sandboxEventResource];
