import { auditResource } from '#audit/audit.api.js';
import { activityResource } from '#audit/activity/activity.api.js';
import { apiKeyResource } from '#access/api-key/api-key.api.js';
import { importResource } from '#imports/import.api.js';
import { integrationReadinessResource } from '#payroll/integration-readiness/integration-readiness.api.js';
import { mcpPolicyResource } from '#mcp/policy/mcp-policy.api.js';
import { payrollExportResource } from '#payroll/export/payroll-export.api.js';
import { payrollMarkerResource } from '#payroll/marker/payroll-marker.api.js';
import { providerMappingResource } from '#payroll/provider-mapping/provider-mapping.api.js';
import { requestLogResource } from '#audit/request-log/request-log.api.js';
import { sandboxEventResource, sandboxResource } from '#access/sandbox/sandbox.api.js';
import { userResource } from '#access/user/user.api.js';
import { webhookResource } from '#webhooks/endpoint/webhook.api.js';
import { writeProposalResource } from '#mcp/proposal/write-proposal.api.js';
import { mcpResource } from '#mcp/mcp.controller.js';
import { customFieldResource } from '#organisation/custom-field/custom-field.api.js';
import { documentTypeResource, workPlaceResource, workTypeResource } from '#organisation/dictionary/dictionary.api.js';
import { locationResource } from '#organisation/location/location.api.js';
import { orgUnitResource } from '#organisation/org-unit/org-unit.api.js';
import { organisationResource } from '#organisation/organisation/organisation.api.js';
import { setUpResource } from './set-up.js';
import { referenceResource } from '#organisation/reference/reference.api.js';
import { workingPatternResource } from '#organisation/working-pattern/working-pattern.api.js';
import { avatarResource } from '#people/picture/avatar.api.js';
import { customFieldValueResource } from '#people/custom-field-value/custom-field-value.api.js';
import { documentResource } from '#people/document/document.api.js';
import { peopleResource } from '#people/people.js';
import { personalProfileResource } from '#people/profile/personal-profile.api.js';
import type { Resource } from '#commands/resource.js';
import { balanceResource } from '#time-off/balances/balance.api.js';
import { timeOffCategoryResource } from '#time-off/category/time-off-category.api.js';
import { timeOffSettingsResource } from '#time-off/settings/time-off-settings.api.js';
import { publicHolidayResource, timeOffResource } from '#time-off/time-off.js';

/**
 * Every resource, one line each, in the order in which their tables are rebuilt: sandboxes first, because a
 * rebuild leaves out their former tenants; then organisations, because the other projections need their time
 * zones.
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
  mcpResource,
  mcpPolicyResource,
  userResource,
  importResource,
  requestLogResource,
  activityResource,
  auditResource,
];

/** The additional resources of the sandbox address. */
export const SANDBOX_RESOURCES: readonly Resource[] = [sandboxEventResource];
