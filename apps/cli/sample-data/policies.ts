import type { NewCustomField } from '#organisation/custom-field/custom-field.api.js';
import type { TimeOffCategoryInput } from '#time-off/category/time-off-category.rules.js';
import type { TimeOffSettings } from '#time-off/settings/time-off-settings.rules.js';
import { FULL_TIME_MINUTES } from './demo-person.js';

const DAY_MINUTES = FULL_TIME_MINUTES / 5;

/** Labels of the demo organisation's time-off categories. */
export const ANNUAL_LEAVE = 'Annual leave';
export const SICK_LEAVE = 'Sick leave';
export const PARENTAL_LEAVE = 'Parental leave';
export const COMPASSIONATE_LEAVE = 'Compassionate leave';
export const UNPAID_LEAVE = 'Unpaid leave';

/** Sick leave is not standard: falling ill on holiday is recorded in addition to the holiday. */
export const CATEGORIES: readonly TimeOffCategoryInput[] = [
  { label: ANNUAL_LEAVE, code: 'ANNUAL', colour: '#2e7d32', annual_allowance_minutes: 28 * DAY_MINUTES },
  {
    label: SICK_LEAVE,
    code: 'SICK',
    colour: '#c62828',
    is_standard: false,
    requires_approval: false,
    deducts_balance: false,
  },
  { label: PARENTAL_LEAVE, code: 'PARENTAL', colour: '#6a1b9a', deducts_balance: false },
  { label: COMPASSIONATE_LEAVE, code: 'COMPASSIONATE', colour: '#455a64', unit: 'hours', deducts_balance: false },
  { label: UNPAID_LEAVE, code: 'UNPAID', colour: '#ef6c00', paid: false, deducts_balance: false },
];

/** How far annual leave may be overdrawn. */
export const OVERDRAFT_MINUTES = 5 * DAY_MINUTES;

/** A week may be carried over, and is to be taken in the first quarter. */
export const TIME_OFF_SETTINGS: Partial<TimeOffSettings> = {
  accrual_rounding_minutes: 15,
  carry_over_max_minutes: 5 * DAY_MINUTES,
  carry_over_expires_after_days: 90,
  holiday_region: 'GB-ENG',
};

const USUAL = {
  description: null,
  sensitivity: 'operational',
  api_access: 'read_write',
  is_required: false,
  options: [],
} as const;

/** One of each type, sensitivity and access. */
export const CUSTOM_FIELDS: readonly NewCustomField[] = [
  {
    ...USUAL,
    key: 'desk',
    label: 'Desk',
    field_type: 'text',
    display_order: 1,
    description: 'Floor and number, where there is a desk of their own',
  },
  {
    ...USUAL,
    key: 'shirt_size',
    label: 'Shirt size',
    field_type: 'single_select',
    display_order: 2,
    options: [
      { value: 's', label: 'Small' },
      { value: 'm', label: 'Medium' },
      { value: 'l', label: 'Large' },
    ],
  },
  { ...USUAL, key: 'first_aider', label: 'First aider', field_type: 'boolean', display_order: 3, api_access: 'read' },
  { ...USUAL, key: 'laptop_due', label: 'Laptop is due on', field_type: 'date', display_order: 4 },
  {
    ...USUAL,
    key: 'commute_km',
    label: 'Way to work in kilometres',
    field_type: 'number',
    display_order: 5,
    sensitivity: 'personal',
  },
  {
    ...USUAL,
    key: 'first_language',
    label: 'First language',
    field_type: 'single_select',
    display_order: 6,
    sensitivity: 'demographic',
    api_access: 'read',
    options: [
      { value: 'en', label: 'English' },
      { value: 'cy', label: 'Welsh' },
      { value: 'pl', label: 'Polish' },
      { value: 'other', label: 'Another one' },
    ],
  },
  {
    ...USUAL,
    key: 'payroll_group',
    label: 'Payroll group',
    field_type: 'text',
    display_order: 7,
    sensitivity: 'payroll',
  },
  { ...USUAL, key: 'referred_by', label: 'Referred by', field_type: 'text', display_order: 8, api_access: 'hidden' },
];

/** Labels of the demo organisation's document types. */
export const CONTRACT = 'Contract of employment';
export const RIGHT_TO_WORK = 'Right to work';
export const CERTIFICATE = 'Certificate';
export const DOCUMENT_TYPE_LABELS = [CONTRACT, RIGHT_TO_WORK, CERTIFICATE] as const;
