import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { readFromConsole, sendToConsole } from '../../data/session.js';

/** The properties of a field from which its control in a form follows. */
export interface FieldFacts {
  readonly name: string;
  readonly kind: 'text' | 'integer' | 'boolean' | 'choice' | 'date' | 'reference' | 'list';
  readonly is_nullable: boolean;
  /** Whether it never changes after the creation. */
  readonly is_fixed: boolean;
  /** Whether a creation must name it. */
  readonly is_required: boolean;
  /** The value of a new resource; null where there is none. */
  readonly initial: unknown;
  readonly values?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maximum_length?: number;
}

/** The lists of fields that the service has for the forms of the settings. */
export type FormName =
  | 'organisation'
  | 'locations'
  | 'org-units'
  | 'working-patterns'
  | 'time-off-categories'
  | 'time-off-settings'
  | 'custom-fields'
  | 'dictionaries'
  | 'provider-mappings';

/** What all parts of the settings need. */
export interface SettingsFacts {
  readonly forms: Readonly<Record<FormName, readonly FieldFacts[]>>;
  readonly plan: 'starter' | 'standard' | 'enterprise';
  readonly writes_approved: boolean;
}

export const factsQuery = queryOptions({
  queryKey: ['settings', 'facts'],
  queryFn: () => readFromConsole<SettingsFacts>('/console/product-settings'),
});

/** The fields of a form, without those that have a control of their own. */
export function useFields(form: FormName, without: readonly string[] = []): readonly FieldFacts[] {
  const { data } = useSuspenseQuery(factsQuery);
  return data.forms[form].filter(({ name }) => !without.includes(name));
}

/** The values of a form, by the names of its fields. */
export type Values = Readonly<Record<string, unknown>>;

/** The values that a form begins with, and the entity tag (in quotes) that a change of them names. */
export interface Base {
  readonly values: Values;
  /** Null for a new resource. */
  readonly entityTag: string | null;
}

/** The initial values of a new resource. */
export function initialOf(fields: readonly FieldFacts[]): Values {
  return Object.fromEntries(fields.map(({ name, initial }) => [name, initial]));
}

/** The fields of a row that a form has. */
export function valuesOf(fields: readonly FieldFacts[], row: Readonly<Record<string, unknown>>): Values {
  return Object.fromEntries(fields.map(({ name }) => [name, row[name]]));
}

/** A row of a route of the settings. */
export interface SettingsRow {
  readonly id: string;
  readonly entity_tag: string;
  readonly is_active?: boolean;
}

/** The row as the base of a form. */
export function baseOf(row: SettingsRow): Base {
  return { values: { ...row }, entityTag: `"${row.entity_tag}"` };
}

/** Sends a write to a route of the settings, and returns the row after it. Throws `WorkforceError`. */
export const writeSetting = <Row>(
  method: 'POST' | 'PATCH',
  path: string,
  body: object,
  headers: Readonly<Record<string, string>>,
): Promise<Row> => sendToConsole<Row>(method, `/console/product-settings/${path}`, body, headers);
