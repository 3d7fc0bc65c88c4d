import { type JsonObject, namedFields } from '#kernel/json.js';
import { RejectedError } from '#kernel/rejection.js';
import {
  ChangeCustomField,
  CreateCustomField,
  type CustomFieldUpdate,
  type NewCustomField,
  type PlainOption,
} from '#organisation/custom-field/custom-field.api.js';
import { type CustomFieldRow, findCustomField, listCustomFields } from '#organisation/custom-field/custom-field.js';
import type { ApiAccess, FieldType, Sensitivity } from '#organisation/custom-field/custom-field.rules.js';
import { SetPersonCustomFields } from '#people/custom-field-value/custom-field-value.api.js';
import type { FieldValue } from '#people/custom-field-value/custom-field-value.rules.js';
import type { Call, Outcome } from '../declaration.js';
import { CommandError, NotFoundError, UsageError } from '../command-error.js';
import { withInstallation } from '../installation.js';
import { textOrNull, parseInteger } from '../options.js';
import { sendAsOperator } from '../send-as-operator.js';
import { textTable } from '../text-table.js';
import { requireOrganisation, requirePerson } from '../find-named.js';

const USUAL = {
  description: null,
  sensitivity: 'operational',
  api_access: 'hidden',
  display_order: 0,
  is_required: false,
  options: [],
} as const;

/** `workforce custom-fields create`. */
export function createField(call: Call): Promise<Outcome> {
  const { options } = call;
  const key = { key: options['key'] as string, field_type: options['fieldType'] as FieldType };
  const requested = { ...USUAL, ...key, ...updateOf(options) } as NewCustomField;
  return withInstallation(async (installation) => {
    const organisation = await requireOrganisation(installation.pool, options['organisation'] as string);
    const field = await sendAsOperator(
      installation,
      organisation,
      (context) => new CreateCustomField(context, requested),
    );
    return { json: fieldJson(field), text: `Created ${described(field)}.` };
  });
}

/** `workforce custom-fields update`. */
export function updateField({ arguments: [idOrKey], options }: Call): Promise<Outcome> {
  const update = updateOf(options);
  if (Object.keys(update).length === 0)
    throw new UsageError('Nothing to change: name at least one field; --help lists them.');
  return withInstallation(async (installation) => {
    const organisation = await requireOrganisation(installation.pool, options['organisation'] as string);
    const known = await findCustomField(installation.pool, organisation.id, idOrKey!);
    if (known === null)
      throw new NotFoundError(`There is no custom field ${idOrKey}: workforce custom-fields list shows all.`);
    const field = await sendAsOperator(
      installation,
      organisation,
      (context) => new ChangeCustomField(context, known.id, update),
    );
    return { json: fieldJson(field), text: `Changed ${described(field)}.` };
  });
}

/** `workforce custom-fields list`. */
export function listFields({ options }: Call): Promise<Outcome> {
  return withInstallation(async ({ pool }) => {
    const organisation = await requireOrganisation(pool, options['organisation'] as string);
    const fields = await listCustomFields(pool, organisation.id, 'all');
    const rows = fields.map((one) => [
      one.id,
      one.key,
      one.label,
      one.field_type,
      one.sensitivity,
      one.api_access,
      String(one.display_order),
      optionsText(one),
    ]);
    const text = textTable(['ID', 'KEY', 'LABEL', 'TYPE', 'SENSITIVITY', 'API ACCESS', 'ORDER', 'OPTIONS'], rows);
    return { json: { custom_fields: fields.map(fieldJson) }, text };
  });
}

/** `workforce custom-fields set`. Values are written, never shown. */
export function setValues({ arguments: [who], options }: Call): Promise<Outcome> {
  const pairs = [...list(options, 'value').map(pairOf), ...list(options, 'clear').map((key) => ({ key, text: null }))];
  if (pairs.length === 0) throw new UsageError('Nothing to set: name at least one --value or --clear.');
  return withInstallation(async (installation) => {
    const { pool } = installation;
    const organisation = await requireOrganisation(pool, options['organisation'] as string);
    const person = await requirePerson(pool, who!, organisation.id);
    const fields = new Map((await listCustomFields(pool, organisation.id, 'all')).map((field) => [field.key, field]));
    const values = pairs.map(({ key, text }) => {
      const field = fields.get(key);
      if (field === undefined)
        throw new NotFoundError(`There is no custom field ${key}: workforce custom-fields list shows all.`);
      return { field_id: field.id, value: text === null ? null : valueOf(field, text) };
    });
    await namingFields(
      pairs.map(({ key }) => key),
      () =>
        sendAsOperator(
          installation,
          organisation,
          (context) => new SetPersonCustomFields(context, person.person_id, values),
        ),
    );
    return {
      json: { person_id: person.person_id, keys: pairs.map(({ key }) => key) },
      text: `Set ${pairs.map(({ key }) => key).join(', ')} of ${person.display_name} (${person.person_id}).`,
    };
  });
}

/** What the operator named; an empty description means none. */
function updateOf(options: Call['options']): CustomFieldUpdate {
  const named = (name: string): string | undefined => options[name] as string | undefined;
  const required = named('isRequired');
  const update = {
    label: named('label'),
    description: textOrNull(named('description')),
    sensitivity: named('sensitivity') as Sensitivity | undefined,
    api_access: named('apiAccess') as ApiAccess | undefined,
    display_order: parseInteger(named('displayOrder')),
    is_required: required === undefined ? undefined : required === 'true',
    options: fieldOptionsOf(options),
  };
  return namedFields(update) as CustomFieldUpdate;
}

function fieldOptionsOf(options: Call['options']): readonly PlainOption[] | undefined {
  const together = options['options'] as string | undefined;
  const texts = together === undefined ? (options['option'] as readonly string[] | undefined) : together.split(',');
  return texts?.map((text) => {
    const colon = text.indexOf(':');
    if (colon === -1)
      throw new UsageError(
        `${text} is not an option: --option takes value:Label, --options a comma-separated list of them.`,
      );
    return { value: text.slice(0, colon), label: text.slice(colon + 1) };
  });
}

function list(options: Call['options'], name: string): readonly string[] {
  return (options[name] as readonly string[] | undefined) ?? [];
}

function pairOf(text: string): { readonly key: string; readonly text: string } {
  const equals = text.indexOf('=');
  if (equals === -1) throw new UsageError('--value takes key=value.');
  return { key: text.slice(0, equals), text: text.slice(equals + 1) };
}

/**
 * A typed text as a value of the field. A text that does not fit the type stays text, and the rules refuse
 * it.
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

function described({ label, key, id, field_type: type, api_access: access }: CustomFieldRow): string {
  return `${label} (${key}, ${id}, ${type}, ${access === 'hidden' ? 'hidden from the API' : access})`;
}

function optionsText({ options }: CustomFieldRow): string {
  return options.map(({ value, is_retired: isRetired }) => (isRetired ? `(${value})` : value)).join(' ');
}

function fieldJson({ created_at, updated_at, options, revision: _, ...rest }: CustomFieldRow): JsonObject {
  return {
    ...rest,
    target_resource: 'person',
    options: options.map((one) => ({ ...one })),
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}
