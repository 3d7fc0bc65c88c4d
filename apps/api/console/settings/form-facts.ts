import type { FieldList } from '#kernel/field-list.js';
import { CUSTOM_FIELD } from '#organisation/custom-field/custom-field.rules.js';
import { DICTIONARY_ENTRY } from '#organisation/dictionary/dictionary.js';
import { LOCATION } from '#organisation/location/location.js';
import { ORG_UNIT } from '#organisation/org-unit/org-unit.js';
import { PROFILE } from '#organisation/organisation/organisation.rules.js';
import { WORKING_PATTERN } from '#organisation/working-pattern/working-pattern.js';
import { PROVIDER_MAPPING } from '#payroll/provider-mapping/provider-mapping.js';
import { TIME_OFF_CATEGORY } from '#time-off/category/time-off-category.rules.js';
import { TIME_OFF_SETTINGS } from '#time-off/settings/time-off-settings.rules.js';

/** The properties of a field that determine its control in a form. */
export interface FieldFacts {
  readonly name: string;
  readonly kind: FieldList['fields'][string]['kind'];
  readonly is_nullable: boolean;
  /** Whether it never changes after the creation. */
  readonly is_fixed: boolean;
  /** Whether a creation must contain it. */
  readonly is_required: boolean;
  /** The value of a new resource; null if there is none. */
  readonly initial: unknown;
  readonly values?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maximum_length?: number;
}

/** The lists of fields from which the forms of the settings are made. */
const LISTS = {
  organisation: PROFILE,
  locations: LOCATION,
  'org-units': ORG_UNIT,
  'working-patterns': WORKING_PATTERN,
  'time-off-categories': TIME_OFF_CATEGORY,
  'time-off-settings': TIME_OFF_SETTINGS,
  'custom-fields': CUSTOM_FIELD,
  dictionaries: DICTIONARY_ENTRY,
  'provider-mappings': PROVIDER_MAPPING,
} satisfies Readonly<Record<string, FieldList>>;

/** The facts of every form, by its list of fields. */
export const FORM_FACTS = Object.fromEntries(
  Object.entries<FieldList>(LISTS).map(([name, list]) => [name, factsOf(list)]),
) as Readonly<Record<keyof typeof LISTS, readonly FieldFacts[]>>;

function factsOf({ fields }: FieldList): readonly FieldFacts[] {
  return Object.entries(fields).map(([name, field]) => ({
    name,
    kind: field.kind,
    is_nullable: field.nullable === true,
    is_fixed: field.isFixed === true,
    is_required: field.initial === undefined,
    initial: field.initial ?? null,
    ...(field.values === undefined ? {} : { values: field.values }),
    ...(field.minimum === undefined ? {} : { minimum: field.minimum }),
    ...(field.maximum === undefined ? {} : { maximum: field.maximum }),
    ...(field.maximumLength === undefined ? {} : { maximum_length: field.maximumLength }),
  }));
}
