import { PAYROLL_MARKERS } from '../marker/payroll-marker.js';

/**
 * How much an issue matters: `blocking` stops a payroll run for the person, `warning` makes it doubtful,
 * `info` is worth knowing.
 */
export const SEVERITIES = ['blocking', 'warning', 'info'] as const;

export type Severity = (typeof SEVERITIES)[number];

/** The data that payroll needs; a response only shows whether it is present. */
export const PRESENCE_NAMES = [
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
  ...PAYROLL_MARKERS,
] as const;

export type PresenceName = (typeof PRESENCE_NAMES)[number];

export type Presence = { readonly [Name in PresenceName]: boolean };

/** The signals about one person, without any values. */
export interface ReadinessSignals {
  readonly presence: Presence;
  /** Whether another person of the organisation has the same staff id. */
  readonly sharesStaffId: boolean;
  /** Whether the contracted minutes exceed the full-time minutes. */
  readonly exceedsFullTime: boolean;
  /**
   * Keys of the required custom fields of payroll without a value; `presence.custom_fields` is true if there
   * are none.
   */
  readonly missingCustomFields: readonly string[];
}

/** One issue that hinders a payroll run. */
export interface ReadinessIssue {
  readonly severity: Severity;
  readonly field: PresenceName;
  readonly issue: string;
}

/**
 * The issue of each missing value. A work e-mail cannot be missing, and custom fields are named by their
 * keys.
 */
const MISSING: { readonly [Name in PresenceName]?: Omit<ReadinessIssue, 'field'> } = {
  start_date: { severity: 'blocking', issue: 'no first day of employment is recorded' },
  contracted_weekly_minutes: { severity: 'blocking', issue: 'no contracted weekly minutes are recorded' },
  staff_id: { severity: 'warning', issue: 'there is no staff id to match the person by' },
  work_type: { severity: 'warning', issue: 'no work type is recorded' },
  full_time_weekly_minutes: {
    severity: 'warning',
    issue: 'no full-time weekly minutes are recorded, so there is no full-time equivalent',
  },
  working_pattern: {
    severity: 'warning',
    issue: 'no working pattern is recorded, so working days cannot be told from days off',
  },
  date_of_birth: { severity: 'warning', issue: 'no date of birth is recorded' },
  home_address: { severity: 'warning', issue: 'no home address is recorded' },
  compensation: { severity: 'warning', issue: 'no compensation is marked as present' },
  bank_details: { severity: 'warning', issue: 'no bank details are marked as present' },
  tax_id: { severity: 'warning', issue: 'no tax id is marked as present' },
  government_id: { severity: 'info', issue: 'no government id is marked as present' },
  job_title: { severity: 'info', issue: 'no job title is recorded' },
  department: { severity: 'info', issue: 'no department is recorded' },
  manager: { severity: 'info', issue: 'no manager is recorded' },
};

/** One issue for each missing value, and the three other issues. */
export const MAX_READINESS_ISSUES = Object.keys(MISSING).length + 3;

/** The issues that hinder paying a person, the most severe first (docs/reference/payroll.md). */
export function readinessIssues(signals: ReadinessSignals): readonly ReadinessIssue[] {
  const found = PRESENCE_NAMES.flatMap((field): readonly ReadinessIssue[] => {
    const missing = MISSING[field];
    return signals.presence[field] || missing === undefined ? [] : [{ field, ...missing }];
  });
  if (signals.sharesStaffId)
    found.push({ severity: 'blocking', field: 'staff_id', issue: 'another person has the same staff id' });
  if (signals.exceedsFullTime) {
    found.push({
      severity: 'warning',
      field: 'contracted_weekly_minutes',
      issue: 'more minutes are contracted than full time has',
    });
  }
  if (signals.missingCustomFields.length > 0) {
    const issue = `required custom fields of payroll have no value: ${signals.missingCustomFields.join(', ')}`;
    found.push({ severity: 'warning', field: 'custom_fields', issue });
  }
  const rank = ({ severity, field }: ReadinessIssue): number =>
    SEVERITIES.indexOf(severity) * PRESENCE_NAMES.length + PRESENCE_NAMES.indexOf(field);
  return found.sort((one, other) => rank(one) - rank(other));
}
