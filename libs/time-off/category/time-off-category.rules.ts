import { boolean, choice, defineFields, integer, name, orNull, text, type ValuesOf } from '#kernel/field-list.js';

export const TIME_OFF_UNITS = ['days', 'hours'] as const;

const COLOUR = { source: '^#[0-9a-fA-F]{6}$', words: 'must be a colour as #rrggbb' };
/** From 0 to the minutes of a year of 365 days. */
const MINUTES = { minimum: 0, maximum: 525_600 };

/**
 * The fields of a time-off category; their names are the storage format, like the names of events. By its
 * initial values a category is approved paid leave in days, without an allowance or a limit.
 */
export const TIME_OFF_CATEGORY = defineFields({
  label: name({
    maximumLength: 200,
    description: 'Unique among the active ones, without case.',
    example: 'Annual leave',
    option: ['<label>', 'its name'],
  }),
  code: orNull(
    name({
      maximumLength: 40,
      description: "The organisation's own short name; unique among the active ones, without case.",
      example: 'AL',
      option: ['<code>', 'its short name; empty for none'],
    }),
  ),
  colour: orNull(
    text({
      normalise: (colour) => colour.toLowerCase(),
      problem: (colour) => (new RegExp(COLOUR.source).test(colour) ? null : COLOUR.words),
      pattern: COLOUR,
      example: '#1f7a4d',
      option: ['<colour>', '#rrggbb; empty for none'],
    }),
  ),
  // Records of standard time off may not overlap (contract part 3).
  is_standard: boolean({
    initial: true,
    description:
      'Whether its records may not overlap other standard time off of the same person. A change applies to records ' +
      'created or changed from then on.',
    example: true,
    option: ['<yes|no>', 'whether its records may not overlap other standard time off'],
  }),
  paid: boolean({ initial: true, example: true, option: ['<yes|no>', 'whether it is paid'] }),
  requires_approval: boolean({
    initial: true,
    description: 'Whether a new record is pending; otherwise it is approved immediately.',
    example: true,
    option: ['<yes|no>', 'whether a new record waits for approval'],
  }),
  unit: choice(TIME_OFF_UNITS, {
    initial: 'days',
    description: 'The unit in which people count it. Minutes are stored in either case.',
    example: 'days',
    option: ['<unit>', 'unit in which people count it'],
  }),
  deducts_balance: boolean({
    initial: true,
    description: 'Whether its records use up a balance.',
    example: true,
    option: ['<yes|no>', 'whether its records use up a balance'],
  }),
  counts_public_holidays: boolean({
    initial: false,
    description: 'Whether a public holiday inside a record uses up minutes.',
    example: false,
    option: ['<yes|no>', 'whether a public holiday within a record uses up minutes'],
  }),
  annual_allowance_minutes: orNull(
    integer({
      ...MINUTES,
      description: 'For a whole leave year; null: there is no allowance. A change applies from its day on.',
      example: 12_600,
      option: ['<minutes>', 'allowance for a whole leave year; empty for none'],
    }),
  ),
  negative_balance_minutes: orNull(
    integer({
      ...MINUTES,
      description: 'How far below zero the available balance may go; null: no limit.',
      example: 0,
      option: ['<minutes>', 'how far below zero the balance may go; empty for no limit'],
    }),
  ),
});

export type TimeOffCategory = ValuesOf<typeof TIME_OFF_CATEGORY.fields>;

/** A new category: a label, and the fields that differ from their initial values. */
export type TimeOffCategoryInput = Pick<TimeOffCategory, 'label'> & Partial<TimeOffCategory>;

/** The fields from which records and balances are calculated: a change of one of them is a new version. */
export type TimeOffCategoryRules = Omit<TimeOffCategory, 'label' | 'code' | 'colour'>;

/** The rules of a category: all fields except label, code and colour. */
export function rulesOfCategory({ label: _, code: __, colour: ___, ...rules }: TimeOffCategory): TimeOffCategoryRules {
  return rules;
}

/**
 * The categories of an organisation that is created on the command line. They have no allowances, which
 * differ by country and contract.
 */
export const FIRST_TIME_OFF_CATEGORIES: readonly TimeOffCategoryInput[] = [
  { label: 'Annual leave', code: 'ANNUAL', colour: '#2e7d32' },
  { label: 'Sick leave', code: 'SICK', colour: '#c62828', requires_approval: false, deducts_balance: false },
  { label: 'Parental leave', code: 'PARENTAL', colour: '#6a1b9a', deducts_balance: false },
  { label: 'Compassionate leave', code: 'COMPASSIONATE', colour: '#455a64', deducts_balance: false },
  { label: 'Unpaid leave', code: 'UNPAID', colour: '#ef6c00', paid: false, deducts_balance: false },
];

/** All fields of a new category as they are stored. */
export function completeCategory(requested: TimeOffCategoryInput): TimeOffCategory {
  return { ...TIME_OFF_CATEGORY.initial, ...TIME_OFF_CATEGORY.normalise(requested) } as TimeOffCategory;
}
