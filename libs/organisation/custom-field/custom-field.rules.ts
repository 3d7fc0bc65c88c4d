import type { Scope } from '#kernel/scopes.js';

/** The types of a custom field's values (contract part 2). */
export const FIELD_TYPES = ['text', 'number', 'date', 'boolean', 'single_select'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

/** The sensitivity of a custom field's values (contract part 2). */
export const SENSITIVITIES = ['operational', 'personal', 'demographic', 'payroll'] as const;
export type Sensitivity = (typeof SENSITIVITIES)[number];

/**
 * What the API may do with a custom field: nothing, not even show that it exists; show its values; show and
 * write them.
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

/** The fields of a custom field's definition. */
export type CustomField = {
  readonly key: string;
  readonly field_type: FieldType;
  readonly label: string;
  readonly description: string | null;
  readonly sensitivity: Sensitivity;
  readonly api_access: ApiAccess;
  readonly display_order: number;
  readonly is_required: boolean;
  /** The offered options in order, then the retired ones. Empty unless the type is `single_select`. */
  readonly options: readonly FieldOption[];
};

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
