import {
  boolean,
  country,
  date,
  dateTime,
  email,
  type Fields,
  id,
  integer,
  list,
  matching,
  neverNull,
  nullable,
  number,
  object,
  oneOf,
  orNull,
  personId,
  string,
  uri,
} from './kinds.js';

/**
 * Fields of answers, from part 2 of the contract or else from docs/reference, repeated here independently of
 * the code.
 */

/** The scopes of part 5 of the contract, in its order. */
export const EXACT_SCOPES = [
  'organisation:read',
  'people:read',
  'people:personal:read',
  'people:avatar:read',
  'people:write',
  'custom_fields:read',
  'custom_fields:write',
  'reference:read',
  'org_units:read',
  'org_units:write',
  'working_patterns:read',
  'working_patterns:write',
  'time_off:read',
  'time_off:write',
  'time_off:balance:write',
  'time_off:config:write',
  'documents:read',
  'provider_mappings:read',
  'payroll_exports:read',
  'webhooks:manage',
  'mcp:write',
] as const;

const department = orNull(object({ id: id('org_unit_'), name: string }));
const manager = orNull(object({ id: personId, display_name: string }));
const labelled = (prefix: string) => object({ id: id(prefix), label: string });
const person = object({ id: personId, display_name: string });
const category = object({ id: id('toc_'), label: string });

const TERMS: Fields = {
  job_title: orNull(string),
  department,
  manager,
  work_place: orNull(labelled('wp_')),
  work_type: orNull(labelled('wt_')),
  working_pattern: orNull(labelled('working_pattern_')),
  contracted_weekly_minutes: orNull(integer(0, 10_080)),
  full_time_weekly_minutes: orNull(integer(1, 10_080)),
};

export const PERSON: Fields = {
  id: personId,
  work_email: email,
  first_name: orNull(string),
  preferred_name: orNull(string),
  last_name: orNull(string),
  display_name: string,
  staff_id: orNull(string),
  ...TERMS,
  fte: orNull(number),
  status: neverNull(string),
  start_date: orNull(date),
  end_date: orNull(date),
  created_at: dateTime,
  updated_at: dateTime,
};

export const EMPLOYMENT: Fields = {
  person_id: personId,
  fact_id: id('ef_'),
  ...TERMS,
  fte: nullable(number),
  effective_from: nullable(date),
  effective_to: nullable(date),
  period_start_date: nullable(date),
  period_end_date: nullable(date),
  timeline_version: integer(1),
  updated_at: dateTime,
};

/** Without the terms: a fact contains only those that it names. */
export const FACT: Fields = {
  fact_id: id('ef_'),
  action: oneOf('start', 'change', 'correction', 'end', 'reactivate'),
  effective_from: nullable(date),
  correction_reason: nullable(string),
  corrects: nullable(id('ef_')),
  corrected_by: nullable(id('ef_')),
  recorded_at: dateTime,
  timeline_version: integer(1),
};

export const PERSONAL: Fields = {
  person_id: personId,
  middle_names: orNull(string),
  date_of_birth: orNull(date),
  personal_email: orNull(email),
  personal_phone_number: orNull(string),
  work_phone_number: orNull(string),
  updated_at: dateTime,
  home_address: orNull(
    object({
      address_line_1: string,
      address_line_2: nullable(string),
      address_line_3: nullable(string),
      city: string,
      region_state: string,
      postal_code: string,
      country,
    }),
  ),
};

export const AVATAR: Fields = {
  person_id: personId,
  download_url: uri,
  expires_at: dateTime,
  content_type: oneOf('image/jpeg', 'image/png', 'image/webp'),
  byte_size: integer(1, 2_097_152),
  width_px: neverNull(integer(1, 4_096)),
  height_px: neverNull(integer(1, 4_096)),
  updated_at: dateTime,
};

export const ORGANISATION: Fields = {
  id: id('org_'),
  name: neverNull(string),
  subdomain: neverNull(string),
  country: neverNull(country),
  plan: string,
  logo_url: orNull(string),
  primary_color_light: orNull(string),
  primary_color_dark: orNull(string),
  created_at: dateTime,
  updated_at: dateTime,
};

export const LOCATION: Fields = {
  id: id('loc_'),
  label: string,
  address_line_1: string,
  address_line_2: orNull(string),
  address_line_3: orNull(string),
  city: string,
  region_state: string,
  postal_code: string,
  country,
  capacity: orNull(integer(0)),
  is_active: boolean,
  created_at: dateTime,
  updated_at: dateTime,
};

export const CUSTOM_FIELD_OPTION: Fields = { id: id('cfo_'), value: string, label: string, display_order: integer(0) };

export const CUSTOM_FIELD: Fields = {
  id: id('cfd_'),
  key: matching(/^[a-z][a-z0-9_]{1,63}$/),
  label: string,
  description: orNull(string),
  target_resource: oneOf('person'),
  field_type: oneOf('text', 'number', 'date', 'boolean', 'single_select'),
  sensitivity: oneOf('operational', 'personal', 'demographic', 'payroll'),
  api_access: oneOf('read', 'read_write'),
  display_order: integer(0),
  // An extension of the contract.
  is_required: boolean,
  options: list(object(CUSTOM_FIELD_OPTION)),
  created_at: dateTime,
  updated_at: dateTime,
};

const value = {
  words: 'string, number, boolean or null',
  accepts: (shown: unknown) => shown === null || ['string', 'number', 'boolean'].includes(typeof shown),
  hasNull: false,
};
export const CUSTOM_FIELD_VALUES: Fields = {
  person_id: personId,
  values: list(
    object({ field_id: id('cfd_'), key: string, field_type: string, value, updated_at: nullable(dateTime) }),
  ),
};

export const ADJUSTMENT: Fields = {
  id: id('toa_'),
  person,
  category,
  amount_minutes: integer(Number.MIN_SAFE_INTEGER),
  effective_date: date,
  reason_code: oneOf('grant', 'correction', 'carry_over', 'payout', 'other'),
  reverses: nullable(id('toa_')),
  created_at: dateTime,
};

const dayPart = oneOf('full', 'morning', 'afternoon');
export const TIME_OFF: Fields = {
  id: id('to_'),
  person,
  category,
  start_date: date,
  end_date: date,
  start_day_part: dayPart,
  end_day_part: dayPart,
  days: list(object({ date, day_part: dayPart, minutes: integer(0, 1_440), counted: boolean, reason: string })),
  total_minutes: integer(0),
  total_days: number,
  status: string,
  status_code: oneOf('pending', 'approved', 'rejected', 'cancelled'),
  created_at: dateTime,
  updated_at: dateTime,
};

export const TIME_OFF_SETTINGS: Fields = {
  leave_year_start: string,
  accrual_method: oneOf('fixed_yearly', 'monthly', 'worked_time'),
  accrual_rounding_minutes: integer(1),
  carry_over_max_minutes: integer(0),
  carry_over_expires_after_days: nullable(integer(1)),
  pending_counts: boolean,
  holiday_region: string,
  updated_at: dateTime,
};

export const PUBLIC_HOLIDAY: Fields = {
  id: id('ph_'),
  date,
  name: string,
  region: string,
  day_part: dayPart,
  is_substitute: boolean,
  kind: string,
  is_counted: boolean,
};

export const ORG_UNIT: Fields = {
  id: id('org_unit_'),
  name: string,
  code: nullable(string),
  parent: department,
  head: manager,
  archived_at: nullable(dateTime),
  created_at: dateTime,
  updated_at: dateTime,
};

export const WORKING_PATTERN: Fields = {
  id: id('working_pattern_'),
  label: string,
  cycle_weeks: integer(1, 8),
  anchor_date: date,
  days: list(
    object({
      week: integer(1, 8),
      weekday: integer(1, 7),
      morning_minutes: integer(0, 1_440),
      afternoon_minutes: integer(0, 1_440),
    }),
  ),
  weekly_minutes: number,
  archived_at: nullable(dateTime),
  created_at: dateTime,
  updated_at: dateTime,
};

export const DOCUMENT: Fields = {
  id: id('doc_'),
  person,
  name: string,
  document_type: labelled('dt_'),
  content_type: string,
  byte_size: integer(0),
  issued_on: nullable(date),
  expires_on: nullable(date),
  created_at: dateTime,
  updated_at: dateTime,
};

export const PROVIDER_MAPPING: Fields = {
  id: id('pm_'),
  provider_name: string,
  resource_type: string,
  resource_id: string,
  external_id: string,
  status: oneOf('active', 'pending', 'error', 'disabled'),
  last_synced_at: nullable(dateTime),
  created_at: dateTime,
  updated_at: dateTime,
};

const payrollPerson = object({ id: personId, display_name: string, staff_id: nullable(string) });
const severity = oneOf('blocking', 'warning', 'info');
export const PAYROLL_READINESS: Fields = {
  person: payrollPerson,
  presence: object(
    Object.fromEntries(
      [
        'staff_id',
        'work_email',
        'start_date',
        'job_title',
        'department',
        'manager',
        'work_type',
        'contracted_weekly_minutes',
        'full_time_weekly_minutes',
        'working_pattern',
        'date_of_birth',
        'home_address',
        'custom_fields',
        'compensation',
        'bank_details',
        'tax_id',
        'government_id',
      ].map((name) => [name, boolean]),
    ),
  ),
  issues: list(object({ severity, field: string, issue: string })),
};

export const PAYROLL_CHANGE: Fields = {
  fact_id: id('ef_'),
  person: payrollPerson,
  change_type: oneOf('starter', 'leaver', 'rehire', 'employment_change', 'correction'),
  effective_date: date,
  corrected_effective_date: nullable(date),
  recorded_at: dateTime,
  is_retroactive: boolean,
  changed_fields: list(string),
  compensation_changed: boolean,
  banking_changed: boolean,
};

export const WEBHOOK: Fields = {
  id: id('wh_'),
  name: string,
  url: string,
  subscribed_events: list(string),
  status: oneOf('active', 'disabled'),
  disabled_reason: nullable(oneOf('caller', 'delivery_failures', 'delivery_overflow', 'gone')),
  disabled_at: nullable(dateTime),
  secret_last_four: matching(/^.{4}$/),
  created_at: dateTime,
  updated_at: dateTime,
};

const failureClass = nullable(oneOf('network', 'http_retryable', 'http_non_retryable'));
const httpStatus = nullable(integer(100, 999));
export const DELIVERY: Fields = {
  id: id('whd_'),
  webhook_id: id('wh_'),
  event_id: id('evt_'),
  event_type: string,
  status: oneOf('pending', 'retry_scheduled', 'delivered', 'failed'),
  attempt_count: integer(0),
  next_attempt_at: nullable(dateTime),
  last_http_status: httpStatus,
  failure_class: failureClass,
  failure_message: nullable(string),
  resource: nullable(object({ id: string, resource_type: string })),
  created_at: dateTime,
  updated_at: dateTime,
};

export const ATTEMPT: Fields = {
  number: integer(1),
  started_at: dateTime,
  duration_ms: integer(0),
  http_status: httpStatus,
  failure_class: failureClass,
  failure_message: nullable(string),
};

export const WEBHOOK_HEALTH: Fields = {
  webhook_id: id('wh_'),
  status: oneOf('active', 'disabled'),
  health: oneOf('healthy', 'failing', 'recovering', 'unknown'),
  counts: object({ pending: integer(0), retry_scheduled: integer(0), delivered: integer(0), failed: integer(0) }),
  last_success_at: nullable(dateTime),
  last_failure_at: nullable(dateTime),
  next_attempt_at: nullable(dateTime),
  last_failure: nullable(
    object({ failure_class: failureClass, http_status: httpStatus, failure_message: nullable(string), at: dateTime }),
  ),
};

/** The body of a delivery: part 6, "Delivery envelope". */
export const ENVELOPE: Fields = {
  id: id('evt_'),
  type: string,
  api_version: oneOf('v1'),
  occurred_at: dateTime,
  data: object({ id: string, resource_type: string }),
};

export const INTEGRATION_READINESS: Fields = {
  issues: list(object({ severity, area: string, issue: string, count: integer(1) })),
  playbooks: list(object({ provider_name: string, steps: list(string) })),
};
