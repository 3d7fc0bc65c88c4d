import { Controller, Get, Inject, Patch } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import { handleCommand, requireMatch } from '#commands/handle-command.js';
import { DATABASE_POOL } from '#commands/injection-tokens.js';
import { lockReferences } from '#commands/locks/references.js';
import { ResourceServices } from '#commands/resource-services.js';
import { defineResource } from '#commands/resource.js';
import type { CommandServices } from '#commands/services.js';
import { commit } from '#commands/unit-of-work.js';
import type { Answer, Call } from '#http/call.js';
import {
  boolean,
  DateTimeField,
  decimal,
  EnumField,
  IdField,
  ListField,
  OneOfField,
  text,
  TextField,
} from '#http/fields.js';
import { Operation, Receive } from '#http/operation.js';
import { send } from '#http/send.js';
import { ERASED_ISSUE } from '#kernel/erasure.js';
import { conflict, found, RejectedError } from '#kernel/rejection.js';
import type { Scope } from '#kernel/scopes.js';
import { CUSTOM_FIELD_EXAMPLE } from '#organisation/custom-field/custom-field.api.js';
import { customFieldAggregate, listCustomFields, MAX_FIELDS } from '#organisation/custom-field/custom-field.js';
import { FIELD_TYPES, KEY_PATTERN, scopeOf } from '#organisation/custom-field/custom-field.rules.js';
import { PersonParameters } from '../person/person-reference.js';
import { withSealedFingerprint } from '../person/person-seal.js';
import {
  customFieldValueProjection,
  customFieldValuesAggregate,
  type CustomFieldValuesState,
  decideCustomFieldValues,
  evolveCustomFieldValues,
  findPersonValues,
  initialCustomFieldValues,
  openValue,
  openValuesEvent,
  PERSON_CUSTOM_FIELDS_SCHEMA,
  type PersonValues,
  type SealedValuesEvent,
  sealValuesEvent,
  type SetValues,
  type ValuesReader,
  type VisibleField,
  storedValues,
} from './custom-field-value.js';
import { MAX_TEXT_LENGTH } from './custom-field-value.rules.js';

/** Text, dates and choices are strings. */
const VALUE_SHAPES = [text({ maximumLength: MAX_TEXT_LENGTH, isMultiLine: true }), decimal(), boolean];
const VALUE_EXAMPLE = 'm';

class CustomFieldValueResponse {
  @IdField('customField', { example: CUSTOM_FIELD_EXAMPLE })
  readonly field_id!: string;
  @TextField({ minimumLength: 2, maximumLength: 64, pattern: KEY_PATTERN, example: 'shirt_size' })
  readonly key!: string;
  @EnumField(FIELD_TYPES, { example: 'single_select' })
  readonly field_type!: string;
  @OneOfField(VALUE_SHAPES, {
    nullable: true,
    description: "A value of the field's type; for single_select the value of an option. null if there is none.",
    example: VALUE_EXAMPLE,
  })
  readonly value!: string | number | boolean | null;
  @DateTimeField({ nullable: true, description: 'When it was set or cleared; null if it never was.' })
  readonly updated_at!: string | null;
}

/** A person's values in the custom fields that the key may read (decisions: "Set-up resources"). */
class PersonCustomFieldsResponse {
  @IdField('person', { example: '7k2m9qx4hz1c' })
  readonly person_id!: string;
  @ListField(() => CustomFieldValueResponse, {
    maximumItems: MAX_FIELDS,
    description:
      'Every visible field in order, including those without a value; fields that need a scope that the key lacks ' +
      'are left out.',
  })
  readonly values!: readonly CustomFieldValueResponse[];
}

class CustomFieldValueRequest {
  @IdField('customField', { description: 'Id of the custom field.', example: CUSTOM_FIELD_EXAMPLE })
  readonly field_id!: string;
  @OneOfField(VALUE_SHAPES, {
    nullable: true,
    description: "A value of the field's type; for single_select the value of an option. null clears.",
    example: VALUE_EXAMPLE,
  })
  readonly value!: string | number | boolean | null;
}

export class UpdatePersonCustomFieldsRequest {
  @ListField(() => CustomFieldValueRequest, {
    minimumItems: 1,
    maximumItems: MAX_FIELDS,
    description: 'Each field once; absent fields stay unchanged.',
  })
  readonly values!: readonly CustomFieldValueRequest[];
}

/** A person's values as readable by a key with these scopes, with their entity tag. */
function answerWith(values: PersonValues, scopes: ReadonlySet<Scope>): Answer {
  const reader = { type: 'api_key', scopes } as const;
  return { data: presentValues(values, reader), entityTag: valuesTag(values, reader) };
}

/**
 * The entity tag of a person's values: the stream's revision, and the visible fields in their order, which
 * administrators, other scopes and erasure change without an event of the person.
 */
export function valuesTag(values: PersonValues, reader: ValuesReader): string {
  const covered = [values.person_key === null, ...visibleFields(values, reader).map(({ id }) => id)];
  const hash = createHash('sha256').update(JSON.stringify(covered)).digest('base64url').slice(0, 16);
  return `v${(values.revision ?? -1) + 1}.${hash}`;
}

/** The values of a person that a reader may read. */
export function presentValues(values: PersonValues, reader: ValuesReader): PersonCustomFieldsResponse {
  const visible = visibleFields(values, reader).map(({ id, key, field_type }) => {
    const stored = values.sealed_values[id] ?? { sealed: null, updated_at: null };
    const value = stored.sealed === null ? null : openValue(id, stored.sealed, values.person_key);
    return { field_id: id, key, field_type, value, updated_at: stored.updated_at };
  });
  return { person_id: values.person_id, values: visible };
}

function visibleFields({ fields }: PersonValues, { type, scopes }: ValuesReader): readonly VisibleField[] {
  return fields.filter(({ api_access: access, sensitivity }) => {
    const scope = scopeOf(sensitivity);
    return (type === 'user' || access !== 'hidden') && (scope === null || scopes.has(scope));
  });
}

/** Throws if the caller expected other values; it receives the current visible values. */
export type Expectation = (current: PersonValues) => void;

/**
 * Sets or clears a person's values; returns all of them right after the command. `known`: the values as a
 * query returned them. Without an expectation, the last command wins. Throws {@link RejectedError}.
 */
export async function setCustomFieldValues(
  services: CommandServices,
  context: CommandContext,
  known: PersonValues,
  { values, writer }: Pick<SetValues, 'values' | 'writer'>,
  expectation: Expectation | null = null,
): Promise<PersonValues> {
  const key = known.person_key;
  if (key === null) throw new RejectedError(conflict('person_id', ERASED_ISSUE));
  const { organisationId } = context;
  const streams = values.map(({ field_id: id }) => customFieldAggregate.streamOf(organisationId, id));
  return commit(services, context, async (within) => {
    await lockReferences(services, within, streams);
    const fields = await listCustomFields(
      services.executor,
      organisationId,
      writer.type === 'api_key' ? 'visible' : 'all',
    );
    const result = await handleCommand<CustomFieldValuesState, SealedValuesEvent>(
      services.store,
      withSealedFingerprint(within, key),
      {
        stream: `person-custom-fields-${organisationId}.${known.person_id}`,
        initial: initialCustomFieldValues,
        evolve: (state, event) => evolveCustomFieldValues(state, openValuesEvent(event, key)),
        decide: (state, revision) => {
          expectation?.({ ...known, fields, revision });
          const decision = decideCustomFieldValues({ type: 'set', values, fields, writer }, state);
          return 'rejection' in decision
            ? decision
            : { events: decision.events.map((event) => sealValuesEvent(event, key)) };
        },
        onConflict: expectation === null ? 'decide_again' : 'refuse',
      },
    );
    return () => ({ ...known, fields, revision: result.revision, sealed_values: storedValues(result.events) });
  });
}

/** Values that an API key or a user sets. */
export class UpdatePersonCustomFields extends Command<PersonValues> {
  constructor(
    readonly context: CommandContext,
    readonly personId: string,
    readonly values: SetValues['values'],
    /** The caller, who determines the writable fields, and the fields that the entity tag covers. */
    readonly writer: ValuesReader,
    /** The entity tags that the caller expects; a command without any is refused. */
    readonly ifMatch: readonly string[] | null,
  ) {
    super();
  }
}

/** Values that an operator sets, whatever their sensitivity: the last command wins. */
export class SetPersonCustomFields extends Command<PersonValues> {
  constructor(
    readonly context: CommandContext,
    readonly personId: string,
    readonly values: SetValues['values'],
  ) {
    super();
  }
}

@CommandHandler(UpdatePersonCustomFields)
class UpdatePersonCustomFieldsHandler implements ICommandHandler<UpdatePersonCustomFields> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ context, personId, values, writer, ifMatch }: UpdatePersonCustomFields): Promise<PersonValues> {
    const known = found(await findPersonValues(this.services.executor, context.organisationId, personId));
    return setCustomFieldValues(this.services, context, known, { values, writer }, (current) =>
      requireMatch(ifMatch, valuesTag(current, writer)),
    );
  }
}

@CommandHandler(SetPersonCustomFields)
class SetPersonCustomFieldsHandler implements ICommandHandler<SetPersonCustomFields> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ context, personId, values }: SetPersonCustomFields): Promise<PersonValues> {
    const known = found(await findPersonValues(this.services.executor, context.organisationId, personId));
    return setCustomFieldValues(this.services, context, known, { values, writer: { type: 'operator' } });
  }
}

const COMMON = {
  tags: ['Custom fields'],
  parameters: PersonParameters,
  response: PersonCustomFieldsResponse,
  entityTag: true,
} as const;

@Controller('people/:personId/custom-fields')
class CustomFieldValueController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly commands: CommandBus,
  ) {}

  @Get()
  @Operation({
    ...COMMON,
    operationId: 'getPersonCustomFields',
    summary: "Read a person's custom fields",
    description:
      'Every visible field, null if the person has no value. Values of personal and demographic fields also need ' +
      'people:personal:read, those of payroll fields payroll_exports:read; without it they are left out. The values ' +
      'have an entity tag of their own.',
    scope: 'custom_fields:read',
    capability: 'people.custom_fields.read',
  })
  async read(@Receive() call: Call<undefined, unknown, PersonParameters>): Promise<Answer> {
    const values = found(await findPersonValues(this.pool, call.key.organisation.id, call.parameters.personId));
    return answerWith(values, call.key.scopes);
  }

  @Patch()
  @Operation({
    ...COMMON,
    operationId: 'updatePersonCustomFields',
    summary: "Set or clear a person's custom fields",
    description:
      'All or nothing. A field that the API may not write or that does not exist is a 400; a field whose values the ' +
      'key may not read is a 403. A request without a change records nothing. Emits no event.',
    scope: 'custom_fields:write',
    capability: 'people.custom_fields.update',
    body: UpdatePersonCustomFieldsRequest,
    write: { ifMatch: 'required', receipt: 'sealed' },
    errors: ['conflict'],
  })
  update(@Receive() call: Call<UpdatePersonCustomFieldsRequest, unknown, PersonParameters>): Promise<Answer> {
    const { scopes } = call.key;
    const writer = { type: 'api_key', scopes } as const;
    return send(
      this.commands,
      call,
      (context) =>
        new UpdatePersonCustomFields(context, call.parameters.personId, call.body.values, writer, call.ifMatch),
      (values) => answerWith(values, scopes),
    );
  }
}

/** People's values in an organisation's custom fields. */
export const customFieldValueResource = defineResource({
  area: 'people',
  aggregates: [customFieldValuesAggregate],
  projections: [customFieldValueProjection],
  schema: PERSON_CUSTOM_FIELDS_SCHEMA,
  controllers: [CustomFieldValueController],
  handlers: [UpdatePersonCustomFieldsHandler, SetPersonCustomFieldsHandler],
});
