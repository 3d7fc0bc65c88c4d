import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import type { Issue } from '#kernel/rejection.js';
import type { Scope } from '#kernel/scopes.js';
import { type Definition, scopeOf } from '../../organisation/custom-field/custom-field.rules.js';
import { type FieldValue, valueProblem } from './custom-field-value.rules.js';

/** Values by the ids of their fields; null for one that was cleared. */
export type ValuesByField = { readonly [customFieldId: string]: FieldValue | null };

// This name and its field are the storage format (each value sealed by `custom-field-value.seal.ts` where it is stored): add new ones, never rename.
export type CustomFieldValuesEvent = DomainEvent<'PersonCustomFieldsChanged', { values: ValuesByField }>;

export interface CustomFieldValuesState {
  readonly values: ValuesByField;
}

export const initialCustomFieldValues: CustomFieldValuesState = { values: {} };

/** The state with one more event. */
export function evolveCustomFieldValues(state: CustomFieldValuesState, event: CustomFieldValuesEvent): CustomFieldValuesState {
  return { values: { ...state.values, ...event.data.values } };
}

/** The writer: an API key, limited by its scopes and by each field's API access, or an operator, who may write every field. */
export type Writer = { readonly type: 'api_key'; readonly scopes: ReadonlySet<Scope> } | { readonly type: 'operator' };

export interface SetValues {
  readonly type: 'set';
  /** In the caller's order; null clears. */
  readonly values: readonly { readonly field_id: string; readonly value: FieldValue | null }[];
  /** The organisation's custom fields, or those that the API may show. */
  readonly fields: readonly Definition[];
  readonly writer: Writer;
}

/**
 * What a command records, or why it is refused: all of it or nothing. Only values that differ are recorded; where none differs, there is no
 * event. A current value is compared only where the writer may read it, so that no refusal reveals the value.
 */
export function decideCustomFieldValues(command: SetValues, state: CustomFieldValuesState): Decision<CustomFieldValuesEvent> {
  const invalid: Issue[] = [];
  const denied: Issue[] = [];
  const changes: { [customFieldId: string]: FieldValue | null } = {};
  const named = new Set<string>();
  for (const [index, { field_id: id, value }] of command.values.entries()) {
    const [at, current] = [`values[${index}]`, state.values[id] ?? null];
    const field = command.fields.find((candidate) => candidate.id === id);
    const fieldIssue = fieldProblem(field, named, command.writer);
    const scope = fieldIssue === null ? missingScope(field!, command.writer) : null;
    const valueIssue = fieldIssue === null && scope === null ? valueProblem(field!, value, current) : null;
    if (fieldIssue !== null) invalid.push({ field: `${at}.field_id`, issue: fieldIssue });
    if (scope !== null) denied.push({ field: `${at}.field_id`, issue: `needs the scope ${scope}` });
    if (valueIssue !== null) invalid.push({ field: `${at}.value`, issue: valueIssue });
    if (field !== undefined && value !== current) changes[id] = value;
    named.add(id);
  }
  if (invalid.length > 0) return reject({ kind: 'invalid_request', message: 'the values are not valid', details: invalid });
  if (denied.length > 0)
    return reject({ kind: 'permission_denied', message: 'the API key lacks a scope that a custom field needs', details: denied });
  return Object.keys(changes).length === 0 ? accept() : accept({ type: 'PersonCustomFieldsChanged', data: { values: changes } });
}

/** A hidden field is refused with the same message as one that does not exist. */
function fieldProblem(field: Definition | undefined, named: ReadonlySet<string>, writer: Writer): string | null {
  const byApi = writer.type === 'api_key';
  if (field === undefined || (byApi && field.api_access === 'hidden')) return 'there is no such custom field';
  if (byApi && field.api_access === 'read') return 'this custom field is read-only';
  return named.has(field.id) ? 'names a custom field that was named before' : null;
}

function missingScope(field: Definition, writer: Writer): Scope | null {
  const scope = scopeOf(field.sensitivity);
  return writer.type === 'operator' || scope === null || writer.scopes.has(scope) ? null : scope;
}

export const customFieldValuesAggregate = defineAggregate({
  category: 'person-custom-fields',
  initial: initialCustomFieldValues,
  evolve: evolveCustomFieldValues,
});
