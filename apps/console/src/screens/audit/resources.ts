/** The kinds of resources that events are about, in the order of the filter. */
export const RESOURCES = [
  'person',
  'employment',
  'employment_effect',
  'personal_profile',
  'person_custom_fields',
  'document',
  'avatar',
  'time_off',
  'time_off_balance',
  'payroll_markers',
  'organisation',
  'location',
  'org_unit',
  'working_pattern',
  'work_place',
  'work_type',
  'document_type',
  'time_off_category',
  'time_off_settings',
  'public_holidays',
  'custom_field',
  'import_columns',
  'provider_mapping',
  'webhook',
  'write_proposal',
  'mcp_policy',
  'sandbox',
  'sandbox_event',
  'api_key',
  'user',
] as const;

/** Whether this page has a name for the kind. */
export const isResource = (name: string | undefined): name is (typeof RESOURCES)[number] =>
  (RESOURCES as readonly (string | undefined)[]).includes(name);
