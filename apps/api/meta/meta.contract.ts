import { CONTRACT_SCOPES, EXTENSION_SCOPES, SCOPES } from '#kernel/scopes.js';
import {
  BooleanField,
  EnumField,
  enumeration,
  IdField,
  integer,
  ListField,
  ObjectField,
  TextField,
  text,
} from '#http/fields.js';
import { FIELD_CATEGORIES } from './field-categories.js';
import { CATALOGUED_WEBHOOK_EVENTS } from '#kernel/webhook-events.js';

/** Longer than any key id, path or message of the service. */
const LONG = 2_000;
/** More than the API has routes, classes, or fields of one class. */
const MANY = 10_000;

class MeOrganisation {
  @IdField('organisation')
  readonly id!: string;
}

class MeApiKey {
  @TextField({ example: 'key_01J9Z3' })
  readonly key_id!: string;

  @ListField(enumeration(SCOPES), { maximumItems: SCOPES.length, example: ['people:read'] })
  readonly scopes!: readonly string[];
}

class MeEnvironment {
  @EnumField(['live', 'sandbox'])
  readonly type!: string;

  @BooleanField({ description: 'Whether the key acts for the synthetic tenant.', example: false })
  readonly sandbox!: boolean;
}

class MeActor {
  @EnumField(['api_key', 'user'], { description: 'Always `api_key` for a key; `user` for the session of a browser.' })
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

class MetadataParameter {
  @TextField({ example: 'include_inactive' })
  readonly name!: string;

  @BooleanField({ example: false })
  readonly required!: boolean;

  @TextField({ example: 'boolean' })
  readonly type!: string;

  @ListField(text(), { maximumItems: MANY, example: [] })
  readonly enum_values!: readonly string[];
}

class MetadataRoute {
  @TextField({ example: 'GET' })
  readonly method!: string;

  @TextField({ maximumLength: LONG, description: 'Below /api/v1.', example: '/people/{personId}' })
  readonly path!: string;

  @TextField({ example: 'getPerson' })
  readonly operation_id!: string;

  @TextField({ maximumLength: LONG, example: 'Read a person' })
  readonly summary!: string;

  @ListField(text(), { maximumItems: MANY, example: ['People'] })
  readonly tags!: readonly string[];

  @EnumField(CONTRACT_SCOPES, {
    nullable: true,
    description: 'Null for a route that any key may call, and for one with an extension scope.',
    example: 'people:read',
  })
  readonly required_scope!: string | null;

  @EnumField(EXTENSION_SCOPES, {
    nullable: true,
    description: 'The scope of a route that is an extension of the contract: granted to keys by name only.',
    example: null,
  })
  readonly extension_scope!: string | null;

  @TextField({ description: 'The stable identifier of the domain capability.', example: 'people.read' })
  readonly capability!: string;

  @ListField(() => MetadataParameter, { maximumItems: MANY })
  readonly path_parameters!: readonly MetadataParameter[];

  @ListField(() => MetadataParameter, { maximumItems: MANY })
  readonly query_parameters!: readonly MetadataParameter[];

  @ListField(integer({ minimum: 100, maximum: 599 }), { maximumItems: MANY, example: [200, 401, 404] })
  readonly response_statuses!: readonly number[];
}

class MetadataField {
  @TextField({
    maximumLength: LONG,
    description: 'Dotted; [] stands for the items of a list.',
    example: 'segment.employed',
  })
  readonly path!: string;

  @TextField({ example: 'boolean' })
  readonly type!: string;

  @BooleanField()
  readonly required!: boolean;

  @ListField(text(), { maximumItems: MANY, example: [] })
  readonly enum_values!: readonly string[];
}

class MetadataSchema {
  @TextField({ example: 'Person' })
  readonly name!: string;

  @ListField(() => MetadataField, { maximumItems: MANY })
  readonly fields!: readonly MetadataField[];
}

class MetadataExtensionScope {
  @EnumField(EXTENSION_SCOPES)
  readonly scope!: string;

  @ListField(enumeration(Object.keys(FIELD_CATEGORIES)), { maximumItems: MANY })
  readonly field_categories!: readonly string[];
}

class MetadataScope {
  @EnumField(CONTRACT_SCOPES)
  readonly scope!: string;

  @ListField(enumeration(Object.keys(FIELD_CATEGORIES)), { maximumItems: MANY })
  readonly field_categories!: readonly string[];
}

class MetadataFieldCategory {
  @TextField({ example: 'employment' })
  readonly id!: string;

  @TextField({ example: 'Employment terms and history' })
  readonly label!: string;

  @EnumField(['standard', 'standard_hr', 'elevated'])
  readonly sensitivity!: string;
}

class MetadataWebhookEvent {
  @EnumField(CATALOGUED_WEBHOOK_EVENTS)
  readonly event_type!: string;

  @ListField(enumeration(CONTRACT_SCOPES), { maximumItems: CONTRACT_SCOPES.length })
  readonly required_scopes!: readonly string[];
}

/** The operations, fields and events of the API, for programs. */
export class Metadata {
  @EnumField(['v1'])
  readonly metadata_version!: string;

  @TextField({ example: '1.0.0-foundation' })
  readonly api_version!: string;

  @TextField({ example: 'OpenAPI 3.1 document /api/v1/openapi.json' })
  readonly generated_from!: string;

  @ListField(() => MetadataRoute, { maximumItems: MANY })
  readonly routes!: readonly MetadataRoute[];

  @ListField(() => MetadataSchema, { maximumItems: MANY })
  readonly schemas!: readonly MetadataSchema[];

  @ListField(() => MetadataScope, { maximumItems: MANY })
  readonly scopes!: readonly MetadataScope[];

  @ListField(() => MetadataExtensionScope, {
    maximumItems: MANY,
    description: 'Scopes of routes beyond the contract: granted to keys by name only, and not part of all.',
  })
  readonly extension_scopes!: readonly MetadataExtensionScope[];

  @ListField(() => MetadataFieldCategory, { maximumItems: MANY })
  readonly field_categories!: readonly MetadataFieldCategory[];

  @ListField(() => MetadataWebhookEvent, { maximumItems: MANY })
  readonly webhook_events!: readonly MetadataWebhookEvent[];
}
