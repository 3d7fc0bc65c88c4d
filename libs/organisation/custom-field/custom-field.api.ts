import { Controller, Get, Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import { execute } from '#commands/execute.js';
import { DATABASE_POOL } from '#commands/injection-tokens.js';
import { lockForRetirement } from '#commands/locks/references.js';
import { ResourceServices } from '#commands/resource-services.js';
import { defineResource } from '#commands/resource.js';
import type { CommandServices } from '#commands/services.js';
import { commit } from '#commands/unit-of-work.js';
import type { Answer, Call } from '#http/call.js';
import { DateTimeField, EnumField, IdField, IntegerField, ListField, TextField } from '#http/fields.js';
import { answerFields, shapeOf } from '#http/fields/plain-fields.js';
import { Operation, Receive } from '#http/operation.js';
import { normaliseName } from '#kernel/names.js';
import { conflict, RejectedError } from '#kernel/rejection.js';
import {
  CUSTOM_FIELDS_SCHEMA,
  customFieldAggregate,
  type CustomFieldRow,
  customFieldTable,
  decideCustomField,
  listCustomFields,
  MAX_OPTION_VALUE,
  MAX_OPTIONS,
  type CustomFieldChangesInput,
  type CustomFieldInput,
  type FieldOptionInput,
} from './custom-field.js';
import {
  API_ACCESSES,
  CUSTOM_FIELD,
  CUSTOM_FIELD_NAMING,
  CUSTOM_FIELD_RULES,
  type CustomField,
} from './custom-field.rules.js';

export const CUSTOM_FIELD_EXAMPLE = 'cfd_c2hpcnRf.c2l6ZV9v.Zl9hX3BlcnNv';

class CustomFieldOptionResponse {
  @IdField('customFieldOption', { example: 'cfo_bWVkaXVt.X3NpemVf.b2Zfc2hpcnRz' })
  readonly id!: string;
  @TextField({
    maximumLength: MAX_OPTION_VALUE,
    description: 'The value that is written and read for a person.',
    example: 'm',
  })
  readonly value!: string;
  @TextField({ maximumLength: 200, example: 'Medium' })
  readonly label!: string;
  @IntegerField({ minimum: 0, description: 'Its position among the options.', example: 1 })
  readonly display_order!: number;
}

type CustomFieldShown = Omit<CustomField, 'options'> & {
  readonly id: string;
  readonly target_resource: string;
  readonly options: readonly CustomFieldOptionResponse[];
  readonly created_at: string;
  readonly updated_at: string;
};

/** A custom field that the API may show (contract part 2, "Custom-field definition"). */
class CustomFieldResponse extends shapeOf<CustomFieldShown>({
  id: IdField('customField', { example: CUSTOM_FIELD_EXAMPLE }),
  ...answerFields(CUSTOM_FIELD_NAMING),
  target_resource: EnumField(['person']),
  ...answerFields(CUSTOM_FIELD_RULES, {
    api_access: EnumField(
      API_ACCESSES.filter((access) => access !== 'hidden'),
      { example: 'read_write' },
    ),
    options: ListField(() => CustomFieldOptionResponse, {
      maximumItems: MAX_OPTIONS,
      description: 'The options of a single_select field, in order; empty for every other type.',
    }),
  }),
  created_at: DateTimeField(),
  updated_at: DateTimeField(),
}) {}

/** A custom field in the form of responses, with the options that it offers. */
function presentCustomField({ options, ...row }: CustomFieldRow): CustomFieldResponse {
  const offered = options.filter((option) => !option.is_retired);
  return {
    ...row,
    target_resource: 'person',
    options: offered.map(({ id, value, label }, index) => ({ id, value, label, display_order: index })),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** An option as operators write it; ids derive from the values. */
export type PlainOption = Pick<FieldOptionInput, 'value' | 'label'>;
/** The fields of a new custom field. */
export type NewCustomField = Omit<CustomField, 'options'> & { readonly options: readonly PlainOption[] };
/** The changes of a custom field; `options` is the complete list of offered options, in order. */
export type CustomFieldUpdate = Omit<CustomFieldChangesInput, 'options'> & {
  readonly options?: readonly PlainOption[];
};

/**
 * Returns the custom field with this key, and creates it if there is none; an existing one stays unchanged.
 * The id derives from the key, so the stream reserves the key: of concurrent commands, only one creates it.
 * Throws {@link RejectedError}.
 */
export async function findOrCreateCustomField(
  services: CommandServices,
  context: CommandContext,
  requested: NewCustomField,
): Promise<{ readonly row: CustomFieldRow; readonly created: boolean }> {
  const { organisationId } = context;
  const id = services.mint.prefixed('customField', organisationId, 'key', requested.key);
  const field = normaliseField(services, organisationId, id, requested) as CustomFieldInput;
  // The maximum number is a rule over all custom fields, which the append to one stream cannot guard.
  return commit(services, context, async (within) => {
    await within.unit.hold({ exclusive: [`custom fields ${organisationId}`] });
    const others = await countCustomFields(services, organisationId);
    const result = await execute(services, within, customFieldAggregate, id, {
      part: 'create',
      decide: (state) =>
        state.status === 'none' ? decideCustomField({ type: 'create', field, others }, state) : { events: [] },
    });
    return () => ({ row: customFieldTable.after(result), created: result.outcome !== 'unchanged' });
  });
}

/**
 * Creates a custom field. Throws {@link RejectedError}: a key that another custom field has, an invalid
 * field.
 */
export async function createCustomField(
  services: CommandServices,
  context: CommandContext,
  requested: NewCustomField,
): Promise<CustomFieldRow> {
  const { row, created } = await findOrCreateCustomField(services, context, requested);
  if (!created) throw new RejectedError(conflict('key', `there is a custom field ${row.key} already`));
  return row;
}

/**
 * Changes a custom field; `ifMatch`: the entity tags that the caller expects. Throws {@link RejectedError},
 * and 412 if the field has another tag.
 */
export async function changeCustomField(
  services: CommandServices,
  context: CommandContext,
  customFieldId: string,
  update: CustomFieldUpdate,
  ifMatch: readonly string[] | null = null,
): Promise<CustomFieldRow> {
  const { organisationId } = context;
  const changes = normaliseField(services, organisationId, customFieldId, update);
  // A change of API access, sensitivity or options must also apply to values that are being written.
  const mayRetire =
    changes.api_access !== undefined || changes.sensitivity !== undefined || changes.options !== undefined;
  const stream = customFieldAggregate.streamOf(organisationId, customFieldId);
  return commit(services, context, async (within) => {
    if (mayRetire) await lockForRetirement(services, within, { stream });
    const result = await execute(services, within, customFieldAggregate, customFieldId, {
      part: 'change',
      ifMatch,
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
): CustomFieldChangesInput {
  const { options, ...others } = update;
  const optionOf = ({ value, label }: PlainOption): FieldOptionInput => ({
    id: services.mint.prefixed('customFieldOption', organisationId, customFieldId, value.trim()),
    value: value.trim(),
    label: normaliseName(label),
  });
  return { ...CUSTOM_FIELD.normalise(others), ...(options === undefined ? {} : { options: options.map(optionOf) }) };
}

async function countCustomFields({ executor }: CommandServices, organisationId: string): Promise<number> {
  const { rows } = await executor.query<{ count: number }>({
    name: 'count-custom-fields',
    text: 'select count(*)::integer as count from custom_fields where organisation_id = $1',
    values: [organisationId],
  });
  return rows[0]!.count;
}

export class CreateCustomField extends Command<CustomFieldRow> {
  constructor(
    readonly context: CommandContext,
    readonly field: NewCustomField,
  ) {
    super();
  }
}

export class ChangeCustomField extends Command<CustomFieldRow> {
  constructor(
    readonly context: CommandContext,
    readonly customFieldId: string,
    readonly update: CustomFieldUpdate,
    readonly ifMatch: readonly string[] | null = null,
  ) {
    super();
  }
}

@CommandHandler(CreateCustomField)
class CreateCustomFieldHandler implements ICommandHandler<CreateCustomField> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, field }: CreateCustomField): Promise<CustomFieldRow> {
    return createCustomField(this.services, context, field);
  }
}

@CommandHandler(ChangeCustomField)
class ChangeCustomFieldHandler implements ICommandHandler<ChangeCustomField> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, customFieldId, update, ifMatch }: ChangeCustomField): Promise<CustomFieldRow> {
    return changeCustomField(this.services, context, customFieldId, update, ifMatch);
  }
}

@Controller('custom-fields')
class CustomFieldController {
  constructor(@Inject(DATABASE_POOL) private readonly pool: Pool) {}

  @Get()
  @Operation({
    operationId: 'listCustomFields',
    summary: 'List the custom fields',
    description:
      'By display_order, then by key, all on one page; hidden ones are left out. Custom fields are managed in the ' +
      'product settings, never through the API.',
    tags: ['Custom fields'],
    scope: 'custom_fields:read',
    capability: 'custom_fields.list',
    response: CustomFieldResponse,
    responseKind: 'list',
  })
  async list(@Receive() call: Call): Promise<Answer> {
    return { data: (await listCustomFields(this.pool, call.key.organisation.id, 'visible')).map(presentCustomField) };
  }
}

/**
 * Custom fields of an organisation. Managed in the console and on the command line; the API only reads them.
 */
export const customFieldResource = defineResource({
  area: 'organisation',
  tables: [customFieldTable],
  schema: CUSTOM_FIELDS_SCHEMA,
  controllers: [CustomFieldController],
  handlers: [CreateCustomFieldHandler, ChangeCustomFieldHandler],
});
