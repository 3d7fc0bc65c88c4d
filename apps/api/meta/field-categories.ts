import type { Scope } from '#kernel/scopes.js';

/** The categories of fields and the sensitivity of each (GET /metadata). */
export const FIELD_CATEGORIES = {
  organisation_profile: { label: 'Organisation profile and locations', sensitivity: 'standard' },
  reference_data: { label: 'Reference dictionaries', sensitivity: 'standard' },
  work_identity: { label: 'Names, work e-mail and staff id', sensitivity: 'standard_hr' },
  employment: { label: 'Employment terms and history', sensitivity: 'standard_hr' },
  organisation_structure: { label: 'Org units', sensitivity: 'standard' },
  working_time: { label: 'Working patterns and weekly minutes', sensitivity: 'standard_hr' },
  time_off: { label: 'Time off, balances and holidays', sensitivity: 'standard_hr' },
  time_off_decisions: { label: 'Decisions about time off, and their notes', sensitivity: 'elevated' },
  document_metadata: { label: 'Document metadata', sensitivity: 'standard_hr' },
  custom_fields: { label: 'Custom fields', sensitivity: 'standard_hr' },
  personal_custom_fields: { label: 'Personal and demographic custom fields', sensitivity: 'elevated' },
  payroll_custom_fields: { label: 'Payroll custom fields', sensitivity: 'elevated' },
  personal_contact: { label: 'Personal contact data, address and date of birth', sensitivity: 'elevated' },
  avatar: { label: 'Avatar metadata', sensitivity: 'elevated' },
  payroll_signals: { label: 'Payroll readiness and change signals', sensitivity: 'elevated' },
  integration: { label: 'Provider mappings', sensitivity: 'standard' },
  access_control: { label: 'API keys, users and their roles', sensitivity: 'elevated' },
  request_log: { label: 'Requests by their ids, without content', sensitivity: 'standard' },
  audit_log: { label: 'Who recorded what, and verification of history', sensitivity: 'elevated' },
  webhook_configuration: { label: 'Webhook endpoints and deliveries', sensitivity: 'standard' },
} as const;

export type FieldCategory = keyof typeof FIELD_CATEGORIES;

/** The categories of fields that a scope gives access to. */
export const FIELD_CATEGORIES_OF_SCOPE: Readonly<Record<Scope, readonly FieldCategory[]>> = {
  'organisation:read': ['organisation_profile'],
  'people:read': ['work_identity', 'employment', 'working_time'],
  'people:personal:read': ['personal_contact', 'personal_custom_fields'],
  'people:avatar:read': ['avatar'],
  'people:write': ['work_identity', 'employment', 'working_time'],
  'custom_fields:read': ['custom_fields'],
  'custom_fields:write': ['custom_fields'],
  'reference:read': ['reference_data'],
  'org_units:read': ['organisation_structure'],
  'org_units:write': ['organisation_structure'],
  'working_patterns:read': ['working_time'],
  'working_patterns:write': ['working_time'],
  'time_off:read': ['time_off'],
  'time_off:write': ['time_off'],
  'time_off:balance:write': ['time_off'],
  'time_off:config:write': ['time_off'],
  'documents:read': ['document_metadata'],
  'provider_mappings:read': ['integration'],
  'payroll_exports:read': ['payroll_signals', 'payroll_custom_fields'],
  'webhooks:manage': ['webhook_configuration'],
  'mcp:write': [],
  'requests:read': ['request_log'],
  'access:manage': ['access_control'],
  'imports:manage': ['work_identity', 'employment', 'time_off'],
  'audit:read': ['audit_log'],
  'time_off:decisions:read': ['time_off_decisions'],
};
