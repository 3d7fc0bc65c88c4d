import { invalid, type Rejection } from '#kernel/rejection.js';
import { nameProblem, normaliseName, normaliseOptional } from '#kernel/names.js';

export const TIME_OFF_UNITS = ['days', 'hours'] as const;
export type TimeOffUnit = (typeof TIME_OFF_UNITS)[number];

/** The fields of a time-off category. Their names are the storage format, like the names of events. */
export type TimeOffCategory = {
  readonly label: string;
  /** The organisation's own short name for it. */
  readonly code: string | null;
  /** `#rrggbb`. */
  readonly colour: string | null;
  /** Whether its records may not overlap one another (contract part 3: standard time off). */
  readonly is_standard: boolean;
  readonly paid: boolean;
  /** Whether a new record is `pending` until it is approved; otherwise it is `approved` immediately. */
  readonly requires_approval: boolean;
  /** The unit in which people count it; minutes are stored in either case. */
  readonly unit: TimeOffUnit;
  readonly deducts_balance: boolean;
  /** Whether a public holiday inside a record uses up minutes. */
  readonly counts_public_holidays: boolean;
  /** For a whole leave year; null: no allowance is kept. */
  readonly annual_allowance_minutes: number | null;
  /** How far below zero the available balance may go; null: no limit. */
  readonly negative_balance_minutes: number | null;
};

/** The fields from which records and balances are calculated: a change of one of them is a new version. */
export type TimeOffCategoryRules = Omit<TimeOffCategory, 'label' | 'code' | 'colour'>;

/** The default fields of a category: approved paid leave in days, without an allowance or a limit. */
export const DEFAULT_TIME_OFF_CATEGORY: Omit<TimeOffCategory, 'label'> = {
  code: null,
  colour: null,
  is_standard: true,
  paid: true,
  requires_approval: true,
  unit: 'days',
  deducts_balance: true,
  counts_public_holidays: false,
  annual_allowance_minutes: null,
  negative_balance_minutes: null,
};

/**
 * The categories of an organisation that is created on the command line. They have no allowances, which
 * differ by country and contract.
 */
export const FIRST_TIME_OFF_CATEGORIES: readonly (Pick<TimeOffCategory, 'label'> & Partial<TimeOffCategory>)[] = [
  { label: 'Annual leave', code: 'ANNUAL', colour: '#2e7d32' },
  { label: 'Sick leave', code: 'SICK', colour: '#c62828', requires_approval: false, deducts_balance: false },
  { label: 'Parental leave', code: 'PARENTAL', colour: '#6a1b9a', deducts_balance: false },
  { label: 'Compassionate leave', code: 'COMPASSIONATE', colour: '#455a64', deducts_balance: false },
  { label: 'Unpaid leave', code: 'UNPAID', colour: '#ef6c00', paid: false, deducts_balance: false },
];

/** Minutes of a year of 365 days. */
export const MAX_ALLOWANCE_MINUTES = 525_600;
export const MAX_CODE_LENGTH = 40;
export const COLOUR_PATTERN = '^#[0-9a-fA-F]{6}$';
const COLOUR = new RegExp(COLOUR_PATTERN);

/** The rules of a category: all fields except label, code and colour. */
export function rulesOfCategory({ label: _, code: __, colour: ___, ...rules }: TimeOffCategory): TimeOffCategoryRules {
  return rules;
}

/** The fields as they are stored: names trimmed, colours in lower case. */
export function normaliseCategory(fields: Partial<TimeOffCategory>): Partial<TimeOffCategory> {
  const { label, code, colour } = fields;
  return {
    ...fields,
    ...(label === undefined ? {} : { label: normaliseName(label) }),
    ...(typeof code === 'string' ? { code: normaliseOptional(code) } : {}),
    ...(typeof colour === 'string' ? { colour: colour.toLowerCase() } : {}),
  };
}

/** Refuses the first named field that is not valid. */
export function categoryProblem(fields: Partial<TimeOffCategory>): Rejection | null {
  for (const [field, value] of Object.entries(fields)) {
    const problem = value === undefined ? null : fieldProblem(field as keyof TimeOffCategory, value);
    if (problem !== null) return invalid(field, problem);
  }
  return null;
}

function fieldProblem(field: keyof TimeOffCategory, value: string | number | boolean | null): string | null {
  switch (field) {
    case 'label':
      return nameProblem(String(value ?? ''));
    case 'code':
      return value === null ? null : codeProblem(String(value));
    case 'colour':
      return value === null || COLOUR.test(String(value)) ? null : 'must be a colour as #rrggbb';
    case 'unit':
      return TIME_OFF_UNITS.includes(value as TimeOffUnit) ? null : `must be one of ${TIME_OFF_UNITS.join(', ')}`;
    case 'annual_allowance_minutes':
    case 'negative_balance_minutes':
      return value === null || isMinutes(value) ? null : `must be a whole number from 0 to ${MAX_ALLOWANCE_MINUTES}`;
    case 'is_standard':
    case 'paid':
    case 'requires_approval':
    case 'deducts_balance':
    case 'counts_public_holidays':
      return typeof value === 'boolean' ? null : 'must be true or false';
  }
}

function codeProblem(code: string): string | null {
  return [...code].length > MAX_CODE_LENGTH ? `must be at most ${MAX_CODE_LENGTH} characters long` : nameProblem(code);
}

function isMinutes(value: string | number | boolean): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_ALLOWANCE_MINUTES;
}
