import { openPersonKey } from '#database/key-rings/person-key-seal.js';
import { openBytes, sealBytes } from '#database/seal.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import type { Issue } from '#kernel/rejection.js';
import type { Scope } from '#kernel/scopes.js';
import { type Definition, scopeOf } from '#organisation/custom-field/custom-field.rules.js';
import { oneRowProjection, type Projectable } from '#projections/one-row-table.js';
import type { Executor, Stream } from '#projections/projection.js';
import { ROWS_OF_PEOPLE } from '../person/rows-of-people.js';
import { type FieldValue, valueProblem } from './custom-field-value.rules.js';

/** Values by the ids of their fields; null for one that was cleared. */
export type ValuesByField = { readonly [customFieldId: string]: FieldValue | null };

// This name and its field are the storage format (each value sealed by `custom-field-value.seal.ts` where it
// is stored): add new ones, never rename.
export type CustomFieldValuesEvent = DomainEvent<'PersonCustomFieldsChanged', { values: ValuesByField }>;

export interface CustomFieldValuesState {
  readonly values: ValuesByField;
}

export const initialCustomFieldValues: CustomFieldValuesState = { values: {} };

/** The state with one more event. */
export function evolveCustomFieldValues(
  state: CustomFieldValuesState,
  event: CustomFieldValuesEvent,
): CustomFieldValuesState {
  return { values: { ...state.values, ...event.data.values } };
}

/**
 * A reader of values: an API key, limited by its scopes and by each field's API access, or a user of the
 * console, limited by scopes alone.
 */
export interface ValuesReader {
  readonly type: 'api_key' | 'user';
  readonly scopes: ReadonlySet<Scope>;
}

/** The writer: a reader, or an operator, who may write every field. */
export type Writer = ValuesReader | { readonly type: 'operator' };

export interface SetValues {
  readonly type: 'set';
  /** In the caller's order; null clears. */
  readonly values: readonly { readonly field_id: string; readonly value: FieldValue | null }[];
  /** The organisation's custom fields, or those visible in the API. */
  readonly fields: readonly Definition[];
  readonly writer: Writer;
}

/**
 * The events of a command, or the reason for its refusal: all values or none. Only values that differ are
 * recorded; if none differs, there is no event. A current value is compared only if the writer may read it,
 * so that no refusal reveals the value.
 */
export function decideCustomFieldValues(
  command: SetValues,
  state: CustomFieldValuesState,
): Decision<CustomFieldValuesEvent> {
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
  if (invalid.length > 0)
    return reject({ kind: 'invalid_request', message: 'the values are not valid', details: invalid });
  if (denied.length > 0)
    return reject({
      kind: 'permission_denied',
      message: `the ${command.writer.type === 'user' ? 'user' : 'API key'} lacks a scope that a custom field needs`,
      details: denied,
    });
  return Object.keys(changes).length === 0
    ? accept()
    : accept({ type: 'PersonCustomFieldsChanged', data: { values: changes } });
}

/** A hidden field is refused with the same message as a missing one. */
function fieldProblem(field: Definition | undefined, named: ReadonlySet<string>, writer: Writer): string | null {
  const byApi = writer.type === 'api_key';
  if (field === undefined || (byApi && field.api_access === 'hidden')) return 'there is no such custom field';
  if (byApi && field.api_access === 'read') return 'this custom field is read-only';
  return named.has(field.id) ? 'names a custom field that was already named' : null;
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

/**
 * The stored form of the event: field ids and cleared fields are readable, every value is encrypted
 * separately. Storage format.
 */
export type SealedValuesEvent = DomainEvent<
  'PersonCustomFieldsChanged',
  { values: { readonly [customFieldId: string]: string | null } }
>;

/**
 * The plain text is padded to a multiple of this many bytes, so that the length distinguishes neither true
 * from false nor one option from another.
 */
const STEP = 128;

/**
 * Encrypts a value with the person's key and binds it to its field, so that the value of one field cannot
 * replace that of another.
 */
export function sealValue(customFieldId: string, value: FieldValue, key: Buffer): string {
  const bytes = Buffer.from(JSON.stringify([customFieldId, value]));
  const padded = Buffer.alloc(Math.ceil(bytes.length / STEP) * STEP, ' ');
  bytes.copy(padded);
  return sealBytes(padded, key).toString('base64');
}

/**
 * Decrypts the result of {@link sealValue}; null without the key. Throws if it was encrypted with another
 * key, or for another field.
 */
export function openValue(customFieldId: string, sealed: string, key: Buffer | null): FieldValue | null {
  if (key === null) return null;
  const [boundTo, value] = JSON.parse(openBytes(Buffer.from(sealed, 'base64'), key).toString('utf8')) as [
    string,
    FieldValue,
  ];
  if (boundTo !== customFieldId)
    throw new Error(`a value of custom field ${boundTo} is stored in place of a value of ${customFieldId}`);
  return value;
}

/** Converts an event of the decider to its stored form. */
export function sealValuesEvent({ type, data }: CustomFieldValuesEvent, key: Buffer): SealedValuesEvent {
  return { type, data: { values: eachValue(data.values, (id, value) => sealValue(id, value, key)) } };
}

/** Converts the event to the decider's form. */
export function openValuesEvent({ type, data }: SealedValuesEvent, key: Buffer): CustomFieldValuesEvent {
  return { type, data: { values: eachValue(data.values, (id, sealed) => openValue(id, sealed, key)) } };
}

function eachValue<From, To>(
  values: { readonly [id: string]: From | null },
  change: (id: string, value: From) => To | null,
): { readonly [id: string]: To | null } {
  return Object.fromEntries(
    Object.entries(values).map(([id, value]) => [id, value === null ? null : change(id, value)]),
  );
}

/**
 * The read table of people's values in custom fields: by field, the encrypted value of the event that set it
 * (null if it was cleared), and its time. Values are decrypted when they are read, so that erasing the
 * person's key erases them.
 */
export const PERSON_CUSTOM_FIELDS_SCHEMA = `
create table person_custom_fields (
  organisation_id text collate "C" not null,
  person_id text collate "C" not null,
  revision bigint not null,
  sealed_values jsonb not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organisation_id, person_id)
);
`;

/** A person's values as stored in the row: encrypted, by the ids of their fields. */
export type StoredValues = {
  readonly [customFieldId: string]: { readonly sealed: string | null; readonly updated_at: string };
};

/**
 * Values stay encrypted as in the events, so that projecting and rebuilding need no keys: rows derive from
 * the events, not from a state.
 */
const SEALED: Projectable<null, SealedValuesEvent> = {
  category: customFieldValuesAggregate.category,
  initial: null,
  evolve: () => null,
};

/** People's values in custom fields, encrypted. */
export const customFieldValueProjection = oneRowProjection(SEALED, {
  table: 'person_custom_fields',
  keys: ROWS_OF_PEOPLE,
  columns: ['sealed_values'],
  row: (_, stream) => ({ sealed_values: storedValues(stream) }),
});

/** The values after the whole stream, each with the time at which it was set. */
export function storedValues(stream: Stream): StoredValues {
  return stream.reduce<StoredValues>((before, event) => ({ ...before, ...valuesOf(event) }), {});
}

function valuesOf({ data, recordedAt }: RecordedEvent): StoredValues {
  const { values } = data as SealedValuesEvent['data'];
  return Object.fromEntries(Object.entries(values).map(([id, sealed]) => [id, { sealed, updated_at: recordedAt }]));
}

/** The part of a custom field that is needed to present its values. */
export type VisibleField = Pick<Definition, 'id' | 'key' | 'field_type' | 'sensitivity' | 'api_access'>;

/** A person's values in custom fields. */
export interface PersonValues {
  readonly person_id: string;
  /** The key that encrypts the values; null after erasure. */
  readonly person_key: Buffer | null;
  /** The revision of the stream of values; null if no value was ever set. */
  readonly revision: number | null;
  readonly sealed_values: StoredValues;
  /** Custom fields in their order. */
  readonly fields: readonly VisibleField[];
}

const FIND = `
select p.person_id, k.key as person_key, v.revision, coalesce(v.sealed_values, '{}') as sealed_values,
    (select coalesce(json_agg(json_build_object('id', f.id, 'key', f.key, 'field_type', f.field_type, 'sensitivity',
    f.sensitivity,
        'api_access', f.api_access) order by f.display_order, f.key), '[]')
       from custom_fields f where f.organisation_id = $1 and f.api_access <> 'hidden') as fields
  from people p
  left join person_keys k on k.organisation_id = p.organisation_id and k.person_id = p.person_id
  left join person_custom_fields v on v.organisation_id = p.organisation_id and v.person_id = p.person_id
 where p.organisation_id = $1 and p.person_id = $2 and p.identity_revision is not null`;

/** The person's values in the fields visible in the API; null if this organisation has no such person. */
export async function findPersonValues(
  executor: Executor,
  organisationId: string,
  personId: string,
): Promise<PersonValues | null> {
  const { rows } = await executor.query<PersonValues>({
    name: 'find-person-custom-fields',
    text: FIND,
    values: [organisationId, personId],
  });
  const row = rows[0];
  return row === undefined
    ? null
    : { ...row, person_key: await openPersonKey(executor, { organisationId, personId }, row.person_key) };
}
