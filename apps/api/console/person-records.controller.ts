import { Controller, Get, HttpCode, Inject, Patch, Post, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import { revisionTag } from '#commands/execute.js';
import { DATABASE_POOL } from '#commands/injection-tokens.js';
import type { Answer, Call } from '#http/call.js';
import { Endpoint } from '#http/endpoint.js';
import { HttpError, invalidField } from '#http/errors.js';
import { DateField, ObjectField, partialOf, TextField } from '#http/fields.js';
import { requestFields, shapeOf } from '#http/fields/plain-fields.js';
import { Receive } from '#http/operation.js';
import { send } from '#http/send.js';
import { found } from '#kernel/rejection.js';
import { POSTAL_ADDRESS, type PostalAddress } from '#organisation/country/postal-address.js';
import { type CustomFieldRow, listCustomFields } from '#organisation/custom-field/custom-field.js';
import {
  presentValues,
  UpdatePersonCustomFields,
  UpdatePersonCustomFieldsRequest,
  valuesTag,
} from '#people/custom-field-value/custom-field-value.api.js';
import {
  findPersonValues,
  type PersonValues,
  type ValuesReader,
} from '#people/custom-field-value/custom-field-value.js';
import {
  ChangeDocument,
  DocumentParameters,
  presentDocument,
  RecordDocument,
  RemoveDocument,
} from '#people/document/document.api.js';
import { DOCUMENT, type DocumentMetadata, type DocumentRow, findDocument } from '#people/document/document.js';
import { PersonParameters } from '#people/person/person-reference.js';
import { RemoveAvatar, SetAvatar } from '#people/picture/avatar.api.js';
import { ChangePersonalProfile } from '#people/profile/personal-profile.api.js';
import { findPersonalProfile } from '#people/profile/personal-profile.js';
import { type PersonalProfile, PROFILE_FIELDS } from '#people/profile/personal-profile.rules.js';
import { findPerson } from '#people/record/read-people.js';
import { present } from './settings/settings-controller.js';

class AddressBody extends shapeOf<PostalAddress>(requestFields(POSTAL_ADDRESS)) {}

const TEXT = TextField({ optional: true, nullable: true, maximumLength: 254 });

/** The fields of a profile that change; null clears one. The commands judge the texts. */
class ProfileBody extends shapeOf<Partial<PersonalProfile>>({
  ...Object.fromEntries(PROFILE_FIELDS.map((field) => [field, TEXT])),
  date_of_birth: DateField({ optional: true, nullable: true }),
  home_address: ObjectField(() => AddressBody, { optional: true, nullable: true }),
}) {}

class NewDocumentBody extends shapeOf<DocumentMetadata>(requestFields(DOCUMENT)) {}
class ChangedDocumentBody extends partialOf(NewDocumentBody) {}

/** The longest body that a request may have leaves a picture this many characters of base64. */
const MAX_PICTURE_TEXT = 240_000;

class PictureBody {
  @TextField({ minimumLength: 1, maximumLength: MAX_PICTURE_TEXT })
  readonly content!: string;
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const SESSIONS = { callers: 'sessions', writes: true } as const;

type PersonCall<Body> = Call<Body, unknown, PersonParameters>;
type DocumentCall<Body = undefined> = Call<Body, unknown, DocumentParameters>;

/** The entity tags that a form was filled from. Throws `HttpError` (428) without any. */
function expected({ ifMatch }: { readonly ifMatch: readonly string[] | null }): readonly string[] {
  if (ifMatch === null) throw new HttpError('precondition_required');
  return ifMatch;
}

const readerOf = ({ scopes }: Call['key']): ValuesReader => ({ type: 'user', scopes });

/** Values with the definitions that a form needs, those of fields that the API may not see or write too. */
function valuesIn(values: PersonValues, definitions: readonly CustomFieldRow[], reader: ValuesReader): object {
  const byId = new Map(definitions.map((definition) => [definition.id, definition]));
  const shown = presentValues(values, reader).values.map(({ field_id, key, value }) => {
    const { label, description, field_type, is_required, options } = byId.get(field_id)!;
    // A retired option is no choice, except for the people who have it.
    const offered = options.filter((option) => !option.is_retired || option.value === value);
    const choices = offered.map((option) => ({ value: option.value, label: option.label }));
    return { field_id, key, label, description, field_type, is_required, options: choices, value };
  });
  return { values: shown, entity_tag: valuesTag(values, reader) };
}

const answerWith = (row: DocumentRow): Answer => ({ data: presentDocument(row) });

/**
 * What the contract lets users write about a person in the application, and API keys nowhere: the personal
 * profile, the picture and the metadata of documents. The commands are those of the command line.
 */
@Controller('console')
export class PersonRecordsController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly commands: CommandBus,
  ) {}

  @Get('people/:personId/personal')
  @Endpoint({
    callers: 'sessions',
    name: 'readPersonalProfile',
    scopes: ['people:personal:read'],
    parameters: PersonParameters,
  })
  async readProfile(@Receive() { key, parameters }: PersonCall<undefined>): Promise<object> {
    return { data: present(found(await findPersonalProfile(this.pool, key.organisation.id, parameters.personId))) };
  }

  @Patch('people/:personId/personal')
  @HttpCode(204)
  @Endpoint({
    ...SESSIONS,
    name: 'changePersonalProfile',
    scopes: ['people:personal:read', 'people:write'],
    parameters: PersonParameters,
    body: ProfileBody,
  })
  async changeProfile(@Receive() call: PersonCall<ProfileBody>): Promise<void> {
    const changes = { ...call.body };
    const personId = await this.personOf(call);
    const ifMatch = expected(call);
    const commandOf = (context: CommandContext) => new ChangePersonalProfile(context, personId, changes, ifMatch);
    await send(this.commands, call, commandOf);
  }

  @Put('people/:personId/picture')
  @HttpCode(204)
  @Endpoint({
    ...SESSIONS,
    name: 'setPicture',
    scopes: ['people:avatar:read', 'people:write'],
    parameters: PersonParameters,
    body: PictureBody,
  })
  async setPicture(@Receive() call: PersonCall<PictureBody>): Promise<void> {
    const { content } = call.body;
    if (!BASE64.test(content)) throw invalidField('content', 'must be the base64 of a JPEG, PNG or WebP picture');
    const personId = await this.personOf(call);
    const file = Buffer.from(content, 'base64');
    await send(this.commands, call, (context) => new SetAvatar(context, personId, file));
  }

  @Post('people/:personId/picture/remove')
  @HttpCode(204)
  @Endpoint({
    ...SESSIONS,
    name: 'removePicture',
    scopes: ['people:avatar:read', 'people:write'],
    parameters: PersonParameters,
  })
  async removePicture(@Receive() call: PersonCall<undefined>): Promise<void> {
    const personId = await this.personOf(call);
    await send(this.commands, call, (context) => new RemoveAvatar(context, personId));
  }

  @Post('people/:personId/documents')
  @Endpoint({
    ...SESSIONS,
    name: 'recordDocument',
    scopes: ['documents:read', 'people:write'],
    parameters: PersonParameters,
    body: NewDocumentBody,
  })
  async recordDocument(@Receive() call: PersonCall<NewDocumentBody>): Promise<object> {
    const metadata = { ...DOCUMENT.initial, ...call.body } as DocumentMetadata;
    const personId = await this.personOf(call);
    return send(this.commands, call, (context) => new RecordDocument(context, personId, metadata), answerWith);
  }

  @Get('people/:personId/custom-fields')
  @Endpoint({
    callers: 'sessions',
    name: 'readCustomFields',
    scopes: ['custom_fields:read'],
    parameters: PersonParameters,
  })
  async readCustomFields(@Receive() { key, parameters }: PersonCall<undefined>): Promise<object> {
    const organisationId = key.organisation.id;
    const known = found(await findPersonValues(this.pool, organisationId, parameters.personId));
    const fields = await listCustomFields(this.pool, organisationId, 'all');
    return { data: valuesIn({ ...known, fields }, fields, readerOf(key)) };
  }

  @Patch('people/:personId/custom-fields')
  @HttpCode(204)
  @Endpoint({
    ...SESSIONS,
    name: 'changeCustomFields',
    scopes: ['custom_fields:read', 'custom_fields:write'],
    parameters: PersonParameters,
    body: UpdatePersonCustomFieldsRequest,
  })
  async changeCustomFields(@Receive() call: PersonCall<UpdatePersonCustomFieldsRequest>): Promise<void> {
    const { key, parameters, body, ifMatch } = call;
    const commandOf = (context: CommandContext) =>
      new UpdatePersonCustomFields(context, parameters.personId, body.values, readerOf(key), ifMatch);
    await send(this.commands, call, commandOf);
  }

  @Get('documents/:documentId')
  @Endpoint({
    callers: 'sessions',
    name: 'readDocument',
    scopes: ['documents:read'],
    parameters: DocumentParameters,
  })
  async readDocument(@Receive() { key, parameters }: DocumentCall): Promise<object> {
    const row = found(await findDocument(this.pool, key.organisation.id, parameters.documentId));
    return { data: { ...presentDocument(row), entity_tag: revisionTag(row) } };
  }

  @Patch('documents/:documentId')
  @Endpoint({
    ...SESSIONS,
    name: 'changeDocument',
    scopes: ['documents:read', 'people:write'],
    parameters: DocumentParameters,
    body: ChangedDocumentBody,
  })
  async changeDocument(@Receive() call: DocumentCall<ChangedDocumentBody>): Promise<object> {
    const documentId = await this.documentOf(call);
    const changes = { ...call.body };
    const ifMatch = expected(call);
    const commandOf = (context: CommandContext) => new ChangeDocument(context, documentId, changes, ifMatch);
    return send(this.commands, call, commandOf, answerWith);
  }

  @Post('documents/:documentId/remove')
  @HttpCode(204)
  @Endpoint({
    ...SESSIONS,
    name: 'removeDocument',
    scopes: ['documents:read', 'people:write'],
    parameters: DocumentParameters,
  })
  async removeDocument(@Receive() call: DocumentCall): Promise<void> {
    const documentId = await this.documentOf(call);
    await send(this.commands, call, (context) => new RemoveDocument(context, documentId));
  }

  /** Throws `RejectedError` (404) for a person of no, or another, organisation. */
  private async personOf({ key, parameters: { personId } }: PersonCall<unknown>): Promise<string> {
    found(await findPerson(this.pool, key.organisation.id, personId));
    return personId;
  }

  /** Throws `RejectedError` (404) for a document of no, or another, organisation. */
  private async documentOf({ key, parameters: { documentId } }: DocumentCall<unknown>): Promise<string> {
    found(await findDocument(this.pool, key.organisation.id, documentId));
    return documentId;
  }
}
