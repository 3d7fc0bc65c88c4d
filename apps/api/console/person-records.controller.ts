import { Controller, HttpCode, Inject, Patch, Post, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { DATABASE_POOL } from '#commands/injection-tokens.js';
import type { Call } from '#http/call.js';
import { Endpoint } from '#http/endpoint.js';
import { invalidField } from '#http/errors.js';
import { DateField, ObjectField, partialOf, TextField } from '#http/fields.js';
import { requestFields, shapeOf } from '#http/fields/plain-fields.js';
import { Receive } from '#http/operation.js';
import { found } from '#kernel/rejection.js';
import { POSTAL_ADDRESS, type PostalAddress } from '#organisation/country/postal-address.js';
import {
  ChangeDocument,
  DocumentParameters,
  presentDocument,
  RecordDocument,
  RemoveDocument,
} from '#people/document/document.api.js';
import { DOCUMENT, type DocumentMetadata, findDocument } from '#people/document/document.js';
import { PersonParameters } from '#people/person/person-reference.js';
import { SetAvatar } from '#people/picture/avatar.api.js';
import { ChangePersonalProfile } from '#people/profile/personal-profile.api.js';
import { type PersonalProfile, PROFILE_FIELDS } from '#people/profile/personal-profile.rules.js';
import { findPerson } from '#people/record/read-people.js';

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

/**
 * What the contract lets users write about a person in the application, and API keys nowhere: the personal
 * profile, the picture and the metadata of documents. The commands are those of the command line, so that a
 * repeated request records nothing.
 */
@Controller('console')
export class PersonRecordsController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly commands: CommandBus,
  ) {}

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
    await this.commands.execute(new ChangePersonalProfile(call.command!, await this.personOf(call), changes));
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
    await this.commands.execute(new SetAvatar(call.command!, personId, Buffer.from(content, 'base64')));
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
    return {
      data: presentDocument(await this.commands.execute(new RecordDocument(call.command!, personId, metadata))),
    };
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
    const command = new ChangeDocument(call.command!, documentId, { ...call.body });
    return { data: presentDocument(await this.commands.execute(command)) };
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
    await this.commands.execute(new RemoveDocument(call.command!, await this.documentOf(call)));
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
