import { boolean, choice, defineFields, integer, list, name, orNull, text, type ValuesOf } from '#kernel/field-list.js';
import { isBlank, linesProblem } from '#kernel/plain-text.js';
import type { Scope } from '#kernel/scopes.js';

/** The types of a custom field's values (contract part 2). */
export const FIELD_TYPES = ['text', 'number', 'date', 'boolean', 'single_select'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

/** The sensitivity of a custom field's values (contract part 2). */
export const SENSITIVITIES = ['operational', 'personal', 'demographic', 'payroll'] as const;
export type Sensitivity = (typeof SENSITIVITIES)[number];

/**
 * The access of the API to a custom field: none, so that not even its existence is visible; reading its
 * values; reading and writing them.
 */
export const API_ACCESSES = ['hidden', 'read', 'read_write'] as const;
export type ApiAccess = (typeof API_ACCESSES)[number];

/** `key` of a custom field (contract part 2). */
export const KEY_PATTERN = {
  source: '^[a-z][a-z0-9_]{1,63}$',
  words: 'must be 2 to 64 small letters, digits and underscores, and begin with a letter',
} as const;

/** A choice of a `single_select` field. Its place in the list is its `display_order`. */
export type FieldOption = {
  readonly id: string;
  /** The value that is written and stored; never changes. */
  readonly value: string;
  readonly label: string;
  /** Whether it is no longer offered; people who have it keep it. */
  readonly is_retired: boolean;
};

const MAX_DESCRIPTION = 1_000;

/** The key, label and description of a custom field. Inside an event the names are the storage format. */
export const CUSTOM_FIELD_NAMING = defineFields({
  key: text({
    problem: (key) => (new RegExp(KEY_PATTERN.source).test(key) ? null : KEY_PATTERN.words),
    maximumLength: 64,
    pattern: KEY_PATTERN,
    isFixed: true,
    description: 'Never changes.',
    example: 'shirt_size',
    option: ['<key>', 'name of the field in the API; never changes'],
    answers: { minimumLength: 2 },
  }),
  label: name({ maximumLength: 200, example: 'Shirt size', option: ['<label>', 'its name for people'] }),
  description: orNull(
    text({
      normalise: (description) => description.trim(),
      problem: descriptionProblem,
      maximumLength: MAX_DESCRIPTION,
      example: 'For the welcome package.',
      option: ['<text>', 'what it is for; empty for none'],
    }),
  ),
});

/** The rules for values of a custom field. Inside an event the names are the storage format. */
export const CUSTOM_FIELD_RULES = defineFields({
  field_type: choice(FIELD_TYPES, {
    isFixed: true,
    description: 'Never changes.',
    example: 'single_select',
    option: ['<type>', 'type of its values; never changes'],
  }),
  sensitivity: choice(SENSITIVITIES, {
    initial: 'operational',
    option: ['<sensitivity>', 'sensitivity of its values (default for a new field: operational)'],
    description:
      'Values of personal and demographic fields also need people:personal:read, ' +
      'those of payroll fields payroll_exports:read.',
  }),
  api_access: choice(API_ACCESSES, {
    initial: 'hidden',
    option: ['<access>', 'access through the API (default for a new field: hidden)'],
  }),
  display_order: integer({
    initial: 0,
    option: ['<number>', 'its position in lists, from 0 (default for a new field: 0)'],
    minimum: 0,
    maximum: 1_000_000,
    example: 10,
    answers: { maximum: Number.MAX_SAFE_INTEGER },
  }),
  is_required: boolean({
    initial: false,
    description: 'Whether an existing value must not be cleared.',
    example: false,
  }),
  // The offered options in order, then the retired ones. Empty unless the type is `single_select`.
  options: list<FieldOption>({ initial: [] }),
});

/** The fields of a custom field's definition. */
export const CUSTOM_FIELD = defineFields({ ...CUSTOM_FIELD_NAMING.fields, ...CUSTOM_FIELD_RULES.fields });

export type CustomField = ValuesOf<typeof CUSTOM_FIELD.fields>;

function descriptionProblem(description: string): string | null {
  if (isBlank(description)) return 'must not be blank';
  if ([...description].length > MAX_DESCRIPTION) return `must be at most ${MAX_DESCRIPTION} characters long`;
  return linesProblem(description);
}

/** A custom field with its id, as reads and writes of values use it. */
export type Definition = Pick<
  CustomField,
  'key' | 'field_type' | 'sensitivity' | 'api_access' | 'is_required' | 'options'
> & {
  readonly id: string;
};

/**
 * The scope that values of this sensitivity need in addition to the route's; null for none (decisions:
 * "Set-up resources").
 */
export function scopeOf(sensitivity: Sensitivity): Scope | null {
  switch (sensitivity) {
    case 'operational':
      return null;
    case 'personal':
    case 'demographic':
      return 'people:personal:read';
    case 'payroll':
      return 'payroll_exports:read';
  }
}
