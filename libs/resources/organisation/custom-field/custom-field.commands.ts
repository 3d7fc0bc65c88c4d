import type { CommandContext } from '#commands/command-context.js';
import { execute } from '#commands/execute.js';
import type { CommandServices } from '#commands/services.js';
import { holdForRetirement } from '#commands/locks/references.js';
import { commit } from '#commands/unit-of-work.js';
import { namedFields } from '#kernel/json.js';
import { conflict, RejectedError } from '#kernel/rejection.js';
import { normaliseName } from '../../naming/name-key.js';
import {
  customFieldAggregate,
  decideCustomField,
  type WantedChanges,
  type WantedField,
  type WantedOption,
} from './custom-field.decider.js';
import type { CustomField } from './custom-field.rules.js';
import { type CustomFieldRow, customFieldTable } from './custom-field.table.js';

/** An option as operators write it; ids derive from the values. */
export type PlainOption = Pick<WantedOption, 'value' | 'label'>;
/** The fields of a new custom field. */
export type NewCustomField = Omit<CustomField, 'options'> & { readonly options: readonly PlainOption[] };
/** The changes of a custom field; `options` is the complete list of offered options, in order. */
export type CustomFieldUpdate = Omit<WantedChanges, 'options'> & { readonly options?: readonly PlainOption[] };

/**
 * Returns the custom field with this key, and creates it where there is none; an existing one stays as it is. The id derives from the key,
 * so the stream reserves the key: of concurrent commands, only one creates it. Throws {@link RejectedError}.
 */
export async function findOrCreateCustomField(
  services: CommandServices,
  context: CommandContext,
  wanted: NewCustomField,
): Promise<{ readonly row: CustomFieldRow; readonly created: boolean }> {
  const { organisationId } = context;
  const id = services.mint.prefixed('customField', organisationId, 'key', wanted.key);
  const field = { ...normaliseField(services, organisationId, id, wanted), key: wanted.key, field_type: wanted.field_type } as WantedField;
  // The maximum number is a rule over all custom fields, which the append to one stream cannot guard.
  return commit(services, context, async (within) => {
    await within.unit.hold({ exclusive: [`custom fields ${organisationId}`] });
    const others = await countCustomFields(services, organisationId);
    const result = await execute(services, within, customFieldAggregate, id, {
      part: 'create',
      decide: (state) => (state.status === 'none' ? decideCustomField({ type: 'create', field, others }, state) : { events: [] }),
    });
    return () => ({ row: customFieldTable.after(result), created: result.outcome !== 'unchanged' });
  });
}

/** Creates a custom field. Throws {@link RejectedError}: a key that another custom field has, an invalid field. */
export async function createCustomField(
  services: CommandServices,
  context: CommandContext,
  wanted: NewCustomField,
): Promise<CustomFieldRow> {
  const { row, created } = await findOrCreateCustomField(services, context, wanted);
  if (!created) throw new RejectedError(conflict('key', `there is a custom field ${row.key} already`));
  return row;
}

/** Changes a custom field. Throws {@link RejectedError}. */
export async function changeCustomField(
  services: CommandServices,
  context: CommandContext,
  customFieldId: string,
  update: CustomFieldUpdate,
): Promise<CustomFieldRow> {
  const { organisationId } = context;
  const changes = normaliseField(services, organisationId, customFieldId, update);
  // A change of API access, sensitivity or options must also apply to values that are being written.
  const mayRetire = changes.api_access !== undefined || changes.sensitivity !== undefined || changes.options !== undefined;
  const stream = customFieldAggregate.streamOf(organisationId, customFieldId);
  return commit(services, context, async (within) => {
    if (mayRetire) await holdForRetirement(services, within, { stream });
    const result = await execute(services, within, customFieldAggregate, customFieldId, {
      part: 'change',
      decide: (state) => decideCustomField({ type: 'change', changes }, state),
    });
    return () => customFieldTable.after(result);
  });
}

/** Trims texts and gives options the ids that derive from their field and value, and so never change. */
function normaliseField(
  services: CommandServices,
  organisationId: string,
  customFieldId: string,
  update: CustomFieldUpdate,
): WantedChanges {
  const { label, description, sensitivity, api_access, display_order, is_required, options } = update;
  const optionOf = ({ value, label: optionLabel }: PlainOption): WantedOption => ({
    id: services.mint.prefixed('customFieldOption', organisationId, customFieldId, value.trim()),
    value: value.trim(),
    label: normaliseName(optionLabel),
  });
  const tidied = {
    label: label === undefined ? undefined : normaliseName(label),
    description: typeof description === 'string' ? description.trim() || null : description,
    sensitivity,
    api_access,
    display_order,
    is_required,
    options: options?.map(optionOf),
  };
  return namedFields(tidied) as WantedChanges;
}

async function countCustomFields({ executor }: CommandServices, organisationId: string): Promise<number> {
  const { rows } = await executor.query<{ count: number }>({
    name: 'count-custom-fields',
    text: 'select count(*)::integer as count from custom_fields where organisation_id = $1',
    values: [organisationId],
  });
  return rows[0]!.count;
}
