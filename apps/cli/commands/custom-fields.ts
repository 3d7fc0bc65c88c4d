import { RejectedError } from '#kernel/rejection.js';
import {
  ChangeCustomField,
  CreateCustomField,
  type CustomFieldUpdate,
  type NewCustomField,
  type PlainOption,
} from '#organisation/custom-field/custom-field.api.js';
import { CUSTOM_FIELD } from '#organisation/custom-field/custom-field.rules.js';
import { type CustomFieldRow, listCustomFields } from '#organisation/custom-field/custom-field.js';
import { SetPersonCustomFields } from '#people/custom-field-value/custom-field-value.api.js';
import type { FieldValue } from '#people/custom-field-value/custom-field-value.rules.js';
import { command } from '../command.js';
import { CommandError, UsageError } from '../command-error.js';
import { namedOf, type NamedKind, requireFound } from '../find-named.js';
import { lookedUp, ORGANISATION, person, repeated, required, setting, text } from '../options.js';
import { optionsOf, resourceCommands } from '../resource-commands.js';

const OPTIONS = optionsOf(CUSTOM_FIELD, {
  is_required: {
    ...text(
      '[boolean]',
      'whether clearing an existing value is refused (default for a new field: false)',
      (given) => given === 'true',
    ),
    choices: ['true', 'false'],
    preset: 'true',
  },
  options: {
    ...text('<list>', 'the choices of a single_select field, in order: value:Label,value:Label', (together) =>
      together.split(',').map(plainOption),
    ),
    conflicts: 'option',
  },
});
const ONE_OPTION = {
  option: setting(
    'options',
    repeated('<value:Label>', 'one choice of a single_select field; may be repeated', plainOption),
  ),
};
const CUSTOM_FIELDS: NamedKind<CustomFieldRow> = {
  noun: ['custom field', 'custom fields'],
  list: 'custom-fields list',
  rows: (executor, organisationId) => listCustomFields(executor, organisationId, 'all'),
  namesOf: ({ key }) => [key],
};

const { list, create, update } = resourceCommands<CustomFieldRow>({
  argument: { field: required(lookedUp('', 'id or key of the custom field', namedOf(CUSTOM_FIELDS))) },
  options: {
    ...OPTIONS,
    create: { ...OPTIONS.create, ...ONE_OPTION },
    update: { ...OPTIONS.update, ...ONE_OPTION },
  },
  member: 'custom_fields',
  columns: {
    ID: 'id',
    KEY: 'key',
    LABEL: 'label',
    TYPE: 'field_type',
    SENSITIVITY: 'sensitivity',
    'API ACCESS': 'api_access',
    ORDER: 'display_order',
    OPTIONS: ({ options }) =>
      options.map(({ value, is_retired: isRetired }) => (isRetired ? `(${value})` : value)).join(' '),
  },
  words: ({ label, key, id, field_type: type, api_access: access }) =>
    `${label} (${key}, ${id}, ${type}, ${access === 'hidden' ? 'hidden from the API' : access})`,
  present: ({ revision: _, ...rest }) => ({ ...rest, target_resource: 'person' }),
});

/** `workforce custom-fields …`. */
export const commands = {
  create: create('create a custom field', (context, field: NewCustomField) => new CreateCustomField(context, field)),
  update: update(
    'change a custom field',
    (context, id, changes: CustomFieldUpdate) => new ChangeCustomField(context, id, changes),
  ),
  list: list('list all custom fields, including hidden ones', CUSTOM_FIELDS.rows),
  // No command shows values.
  set: command({
    description: "set or clear a person's values, including those of hidden and read-only fields",
    arguments: { person: required(person()) },
    options: {
      organisation: ORGANISATION,
      value: repeated('<key=value>', 'value of the field with this key; may be repeated', pairOf),
      clear: repeated('<key>', 'key of a field to clear; may be repeated', (key) => ({ key, text: null })),
    },
    changes: 'Nothing to set: name at least one --value or --clear.',
    run: async ({ organisation, person: of, value = [], clear = [] }, { pool, send }) => {
      const pairs = [...value, ...clear];
      const keys = pairs.map(({ key }) => key);
      const fields = new Map((await CUSTOM_FIELDS.rows(pool, organisation.id)).map((field) => [field.key, field]));
      const values = pairs.map(({ key, text: given }) => {
        const field = requireFound(fields.get(key), 'custom field', key, 'custom-fields list');
        return { field_id: field.id, value: given === null ? null : valueOf(field, given) };
      });
      await namingFields(keys, () => send((context) => new SetPersonCustomFields(context, of.person_id, values)));
      return {
        json: { person_id: of.person_id, keys },
        text: `Set ${keys.join(', ')} of ${of.display_name} (${of.person_id}).`,
      };
    },
  }),
};

function plainOption(text: string): PlainOption {
  const colon = text.indexOf(':');
  if (colon === -1)
    throw new UsageError(
      `${text} is not an option: --option takes value:Label, --options a comma-separated list of them.`,
    );
  return { value: text.slice(0, colon), label: text.slice(colon + 1) };
}

function pairOf(text: string): { readonly key: string; readonly text: string | null } {
  const equals = text.indexOf('=');
  if (equals === -1) throw new UsageError('--value takes key=value.');
  return { key: text.slice(0, equals), text: text.slice(equals + 1) };
}

/**
 * The text of an option as a value of the field. A text that does not match the type stays text, and the
 * rules refuse it.
 */
function valueOf({ field_type: type }: CustomFieldRow, text: string): FieldValue {
  if (type === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** Replaces the position of a refused value with the key of its field. */
async function namingFields<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const cause = error instanceof CommandError ? error.cause : null;
    const [detail] = cause instanceof RejectedError ? cause.rejection.details : [];
    const index = /^values\[(\d+)\]/.exec(detail?.field ?? '')?.[1];
    if (detail === undefined || index === undefined) throw error;
    throw new CommandError(`${keys[Number(index)]} ${detail.issue}.`, { cause });
  }
}
