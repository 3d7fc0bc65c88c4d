import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import { changesOf } from '#kernel/json.js';
import { nameKey, nameProblem } from '#kernel/names.js';
import { lineProblem } from '#kernel/plain-text.js';
import { conflict, invalid, notFound, type Rejection } from '#kernel/rejection.js';
import { unreachable } from '#kernel/unreachable.js';
import type { Executor } from '#projections/projection.js';
import { defineTable, type Stored } from '#projections/table.js';
import { CUSTOM_FIELD, type CustomField, type FieldOption, scopeOf, type Sensitivity } from './custom-field.rules.js';

/** The changeable fields of a custom field: everything except its key and its type. */
export type CustomFieldChanges = Partial<Omit<CustomField, 'key' | 'field_type'>>;

// These names and fields are the storage format: add new ones, never rename or remove.
export type CustomFieldEvent =
  DomainEvent<'CustomFieldCreated', CustomField> | DomainEvent<'CustomFieldChanged', { changes: CustomFieldChanges }>;

export type CustomFieldState = { readonly status: 'none' } | { readonly status: 'active'; readonly field: CustomField };

export const initialCustomField: CustomFieldState = { status: 'none' };

/** The state with one more event. */
export function evolveCustomField(state: CustomFieldState, event: CustomFieldEvent): CustomFieldState {
  switch (event.type) {
    case 'CustomFieldCreated':
      return { status: 'active', field: event.data };
    case 'CustomFieldChanged':
      return state.status === 'none' ? state : { ...state, field: { ...state.field, ...event.data.changes } };
    default:
      return unreachable(event);
  }
}

/** A requested option; a list of them is complete and in order. */
export type FieldOptionInput = Omit<FieldOption, 'is_retired'>;
export type CustomFieldInput = Omit<CustomField, 'options'> & { readonly options: readonly FieldOptionInput[] };
export type CustomFieldChangesInput = Omit<CustomFieldChanges, 'options'> & {
  readonly options?: readonly FieldOptionInput[];
};

export type CustomFieldCommand =
  | {
      readonly type: 'create';
      readonly field: CustomFieldInput;
      /** The number of custom fields that the organisation has. */ readonly others: number;
    }
  | { readonly type: 'change'; readonly changes: CustomFieldChangesInput };

/** The maximum number of custom fields of an organisation, including hidden ones. */
export const MAX_FIELDS = 200;
/** The maximum number of options that a field may offer; a second limit includes retired ones. */
export const MAX_OPTIONS = 200;
const MAX_OPTIONS_EVER = 1_000;
/** The maximum length of an option's value, in characters: people type it on the command line. */
export const MAX_OPTION_VALUE = 64;

/** The events of a command, or the reason for its refusal. A command without a change records nothing. */
export function decideCustomField(command: CustomFieldCommand, state: CustomFieldState): Decision<CustomFieldEvent> {
  switch (command.type) {
    case 'create': {
      if (state.status !== 'none') return reject(conflict('key', `there is a custom field ${state.field.key} already`));
      if (command.others >= MAX_FIELDS)
        return reject(conflict('key', `an organisation has at most ${MAX_FIELDS} custom fields`));
      const field = { ...command.field, options: optionsAfter(command.field.options, []) };
      const rejection = fieldRejection(field);
      return rejection === null ? accept({ type: 'CustomFieldCreated', data: field }) : reject(rejection);
    }
    case 'change':
      return state.status === 'none'
        ? reject(notFound('custom_field_id', 'there is no such custom field'))
        : decideChange(command.changes, state.field);
    default:
      return unreachable(command);
  }
}

function decideChange({ options, ...named }: CustomFieldChangesInput, field: CustomField): Decision<CustomFieldEvent> {
  const requested: CustomFieldChanges =
    options === undefined ? named : { ...named, options: optionsAfter(options, field.options) };
  const after = { ...field, ...requested };
  const rejection = fieldRejection(after) ?? sensitivityRejection(field.sensitivity, after.sensitivity);
  if (rejection !== null) return reject(rejection);
  const changes = changesOf<CustomField>(requested, field);
  return changes === null ? accept() : accept({ type: 'CustomFieldChanged', data: { changes } });
}

/**
 * The options after a change: the requested ones in order, then the retired ones. An option that is no longer
 * requested is retired, so that people who have it keep it; it can be offered again.
 */
function optionsAfter(requested: readonly FieldOptionInput[], before: readonly FieldOption[]): readonly FieldOption[] {
  const offered = requested.map(({ id, value, label }) => ({ id, value, label, is_retired: false }));
  const left = before.filter(({ value }) => !requested.some((option) => option.value === value));
  return [...offered, ...left.map((option) => ({ ...option, is_retired: true }))];
}

/** A change of sensitivity must not let further keys read values that people entered under the former one. */
function sensitivityRejection(before: Sensitivity, after: Sensitivity): Rejection | null {
  const scope = scopeOf(before);
  if (scope === null || scope === scopeOf(after)) return null;
  return conflict(
    'sensitivity',
    `${before} cannot become ${after}: keys without ${scope} could then read what was entered before; hide this ` +
      'field and make a new one',
  );
}

function fieldRejection(field: CustomField): Rejection | null {
  return CUSTOM_FIELD.rejection(field) ?? optionsRejection(field);
}

function optionsRejection({ field_type: type, options }: CustomField): Rejection | null {
  const offered = options.filter(({ is_retired: isRetired }) => !isRetired);
  if (type !== 'single_select')
    return offered.length === 0 ? null : invalid('options', 'must be left out: only single_select has options');
  if (offered.length === 0) return invalid('options', 'must have at least one option');
  if (offered.length > MAX_OPTIONS) return invalid('options', `must have at most ${MAX_OPTIONS} options`);
  if (options.length > MAX_OPTIONS_EVER)
    return conflict('options', `a field has at most ${MAX_OPTIONS_EVER} options, those retired included`);
  for (const [index, { value, label }] of offered.entries()) {
    const rejection = optionRejection(value, label, index);
    if (rejection !== null) return rejection;
  }
  return (
    twice(
      offered.map(({ value }) => value),
      'value',
    ) ??
    twice(
      offered.map(({ label }) => label),
      'label',
    )
  );
}

/** Without the characters that separate options on the command line; at most {@link MAX_OPTION_VALUE}. */
const OPTION_VALUE = /^[^\s:,](?:[^:,]{0,62}[^\s:,])?$/u;

function optionRejection(value: string, label: string, index: number): Rejection | null {
  if (!OPTION_VALUE.test(value) || lineProblem(value) !== null)
    return invalid(
      'options',
      `the value of option ${index + 1} has 1 to ${MAX_OPTION_VALUE} characters, none of them a colon, a comma or a control character`,
    );
  const problem = nameProblem(label);
  return problem === null ? null : invalid('options', `the label of option ${index + 1} ${problem}`);
}

/** Refuses two options with names that people would read as the same. */
function twice(names: readonly string[], what: string): Rejection | null {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(nameKey(name))) return invalid('options', `two options have the ${what} ${name}`);
    seen.add(nameKey(name));
  }
  return null;
}

export const customFieldAggregate = defineAggregate({
  category: 'custom-field',
  idKind: 'customField',
  initial: initialCustomField,
  evolve: evolveCustomField,
});

/** A row of `custom_fields`. */
export type CustomFieldRow = Stored<CustomField>;

/** Custom fields, including hidden ones. */
export const customFieldTable = defineTable<CustomField>()(customFieldAggregate, {
  name: 'custom_fields',
  columns: CUSTOM_FIELD.columns,
  row: ({ field }) => field,
  order: 'display_order, key',
});

/**
 * `options` has the form of the decider, retired ones last. `key` sorts by code units, so that lists have the
 * same order on every server.
 */
export const CUSTOM_FIELDS_SCHEMA = `
create table custom_fields (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  revision bigint not null,
  key text collate "C" not null,
  label text not null,
  description text,
  field_type text not null,
  sensitivity text not null,
  api_access text not null,
  display_order integer not null,
  is_required boolean not null,
  options jsonb not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organisation_id, id)
);
`;

const READ = `select ${customFieldTable.selectList()} from custom_fields where organisation_id = $1`;

/** The organisation's custom fields in their order: all, or those that are visible in the API. */
export async function listCustomFields(
  executor: Executor,
  organisationId: string,
  which: 'all' | 'visible',
): Promise<readonly CustomFieldRow[]> {
  const { rows } = await executor.query<CustomFieldRow>({
    name: `list-custom-fields-${which}`,
    text: `${READ}${which === 'all' ? '' : " and api_access <> 'hidden'"} order by display_order, key`,
    values: [organisationId],
  });
  return rows;
}
