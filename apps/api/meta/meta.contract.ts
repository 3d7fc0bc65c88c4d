import { SCOPES } from '#kernel/scopes.js';
import { BooleanField, EnumField, enumeration, IdField, integer, ListField, ObjectField, TextField, text } from '#http/fields.js';
import { FIELD_CATEGORIES } from '#http/metadata/field-categories.js';
import { CATALOGUED_WEBHOOK_EVENTS } from '#kernel/webhook-events.js';

/** Longer than any key id, path or sentence of ours. */
const LONG = 2_000;

export class MeOrganisation {
  @IdField('organisation')
  readonly id!: string;
}

export class MeApiKey {
  @TextField({ example: 'key_01J9Z3' })
  readonly key_id!: string;

  @ListField(enumeration(SCOPES), { example: ['people:read'] })
  readonly scopes!: readonly string[];
}

export class MeEnvironment {
  @EnumField(['live', 'sandbox'])
  readonly type!: string;

  @BooleanField({ description: 'Whether the key acts for the synthetic tenant.', example: false })
  readonly sandbox!: boolean;
}

export class MeActor {
  @EnumField(['api_key'])
  readonly type!: string;

  @TextField({ example: 'key_01J9Z3' })
  readonly key_id!: string;
}

/** The context of an API key. */
export class Me {
  @ObjectField(() => MeOrganisation)
  readonly organisation!: MeOrganisation;

  @ObjectField(() => MeApiKey)
  readonly api_key!: MeApiKey;

  @ObjectField(() => MeEnvironment)
  readonly environment!: MeEnvironment;

  @ObjectField(() => MeActor)
  readonly actor!: MeActor;
}

export class MetadataParameter {
  @TextField({ example: 'limit' })
  readonly name!: string;

  @BooleanField({ example: false })
  readonly required!: boolean;

  @TextField({ example: 'integer' })
  readonly type!: string;

  @ListField(text(), { example: [] })
  readonly enum_values!: readonly string[];
}

export class MetadataRoute {
  @TextField({ example: 'GET' })
  readonly method!: string;

  @TextField({ maximumLength: LONG, description: 'Below /api/v1.', example: '/people/{personId}' })
  readonly path!: string;

  @TextField({ example: 'getPerson' })
  readonly operation_id!: string;

  @TextField({ maximumLength: LONG, example: 'Read a person' })
  readonly summary!: string;

  @ListField(text(), { example: ['People'] })
  readonly tags!: readonly string[];

  @EnumField(SCOPES, { nullable: true, example: 'people:read' })
  readonly required_scope!: string | null;

  @TextField({ description: 'The stable identifier of the domain capability.', example: 'people.read' })
  readonly capability!: string;

  @ListField(() => MetadataParameter)
  readonly path_parameters!: readonly MetadataParameter[];

  @ListField(() => MetadataParameter)
  readonly query_parameters!: readonly MetadataParameter[];

  @ListField(integer({ minimum: 100, maximum: 599 }), { example: [200, 401, 404] })
  readonly response_statuses!: readonly number[];
}

export class MetadataField {
  @TextField({ maximumLength: LONG, description: 'Dotted; [] stands for the items of a list.', example: 'department.name' })
  readonly path!: string;

  @TextField({ example: 'string' })
  readonly type!: string;

  @BooleanField()
  readonly required!: boolean;

  @ListField(text(), { example: [] })
  readonly enum_values!: readonly string[];
}

export class MetadataSchema {
  @TextField({ example: 'Person' })
  readonly name!: string;

  @ListField(() => MetadataField)
  readonly fields!: readonly MetadataField[];
}

export class MetadataScope {
  @EnumField(SCOPES)
  readonly scope!: string;

  @ListField(enumeration(Object.keys(FIELD_CATEGORIES)))
  readonly field_categories!: readonly string[];
}

export class MetadataFieldCategory {
  @TextField({ example: 'employment' })
  readonly id!: string;

  @TextField({ example: 'Employment terms and history' })
  readonly label!: string;

  @EnumField(['standard', 'standard_hr', 'elevated'])
  readonly sensitivity!: string;
}

export class MetadataWebhookEvent {
  @EnumField(CATALOGUED_WEBHOOK_EVENTS)
  readonly event_type!: string;

  @ListField(enumeration(SCOPES))
  readonly required_scopes!: readonly string[];
}

/** What the API consists of, for programs. */
export class Metadata {
  @EnumField(['v1'])
  readonly metadata_version!: string;

  @TextField({ example: '1.0.0-foundation' })
  readonly api_version!: string;

  @TextField({ example: 'OpenAPI 3.1 document /api/v1/openapi.json' })
  readonly generated_from!: string;

  @ListField(() => MetadataRoute)
  readonly routes!: readonly MetadataRoute[];

  @ListField(() => MetadataSchema)
  readonly schemas!: readonly MetadataSchema[];

  @ListField(() => MetadataScope)
  readonly scopes!: readonly MetadataScope[];

  @ListField(() => MetadataFieldCategory)
  readonly field_categories!: readonly MetadataFieldCategory[];

  @ListField(() => MetadataWebhookEvent)
  readonly webhook_events!: readonly MetadataWebhookEvent[];
}
