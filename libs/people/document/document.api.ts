import { Controller, Get, Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import { revisionTag } from '#commands/execute.js';
import { assertMatches, handleCommand } from '#commands/handle-command.js';
import { DATABASE_POOL } from '#commands/injection-tokens.js';
import { lockForRetirement, lockReferences } from '#commands/locks/references.js';
import { ResourceServices } from '#commands/resource-services.js';
import { defineResource } from '#commands/resource.js';
import type { CommandServices } from '#commands/services.js';
import { commit, type UnitContext, type Written } from '#commands/unit-of-work.js';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { HttpError } from '#http/errors.js';
import { DateTimeField, IdField, ObjectField, TextField } from '#http/fields.js';
import { answerFields, shapeOf } from '#http/fields/plain-fields.js';
import { Operation, Receive } from '#http/operation.js';
import { byUpdatedAt, PageQuery, readPage } from '#http/pages.js';
import type { DomainEvent } from '#kernel/aggregate.js';
import { conflict, found, notFound, RejectedError } from '#kernel/rejection.js';
import { documentTypeTable } from '#organisation/dictionary/dictionary.js';
import { requirePersonKey } from '../person/person-keys.js';
import { withSealedFingerprint } from '../person/person-seal.js';
import { personAggregate } from '../person/person.js';
import { findPerson } from '../record/read-people.js';
import {
  decideDocument,
  DOCUMENT,
  documentAggregate,
  type DocumentCommand,
  type DocumentMetadata,
  documentProjection,
  type DocumentRow,
  DOCUMENTS_SCHEMA,
  type DocumentState,
  evolveDocument,
  findDocument,
  findDocumentType,
  initialDocument,
  listDocuments,
  nameOpener,
  openDocumentEvent,
  sealDocumentEvent,
} from './document.js';

const DOCUMENT_EXAMPLE = 'doc_n4Yb1RkS.0cXw9JqT.zL5mQ8eVd2Uh';
const DOCUMENT_TYPE_EXAMPLE = 'dt_Vw3hK7sD.b9Tz2LcN.fR6yX1pGm4Ja';
const PERSON_EXAMPLE = '7k2m9qx4hz1c';

class DocumentPersonReference {
  @IdField('person', { description: 'The person to whom the document belongs.', example: PERSON_EXAMPLE })
  readonly id!: string;
  @TextField({ maximumLength: 600, description: 'Their current display name.', example: 'Ada Byron' })
  readonly display_name!: string;
}

class DocumentTypeReference {
  @IdField('documentType', { description: 'One of GET /reference/document-types.', example: DOCUMENT_TYPE_EXAMPLE })
  readonly id!: string;
  @TextField({ description: 'Its current label.', example: 'Employment contract' })
  readonly label!: string;
}

type DocumentShown = Omit<DocumentMetadata, 'document_type_id'> & {
  readonly id: string;
  readonly person: DocumentPersonReference;
  readonly document_type: DocumentTypeReference;
  readonly created_at: string;
  readonly updated_at: string;
};

/** The metadata of a document; no response ever contains its bytes or a link to them (contract part 4). */
class DocumentResponse extends shapeOf<DocumentShown>({
  id: IdField('document', { example: DOCUMENT_EXAMPLE }),
  person: ObjectField(() => DocumentPersonReference),
  ...answerFields(DOCUMENT, { document_type: ObjectField(() => DocumentTypeReference) }),
  created_at: DateTimeField(),
  updated_at: DateTimeField(),
}) {}

export class DocumentParameters {
  @IdField('document', { description: 'Id of the document.', example: DOCUMENT_EXAMPLE })
  readonly documentId!: string;
}

class DocumentsQuery extends PageQuery {
  @DateTimeField({
    optional: true,
    description: 'Inclusive: what changed since, in the order of change. Pass the largest updated_at seen next time.',
    example: '2024-06-01T00:00:00.000Z',
  })
  readonly updated_since?: string;
  @IdField('person', {
    optional: true,
    description: 'Only documents of this person; 404 where there is no such person.',
    example: PERSON_EXAMPLE,
  })
  readonly person_id?: string;
}

/** A document in the form of responses. */
export function presentDocument(row: DocumentRow): DocumentResponse {
  const { id, name, content_type, byte_size, issued_on, expires_on } = row;
  return {
    id,
    person: { id: row.person_id, display_name: row.person_name },
    name,
    document_type: { id: row.document_type_id, label: row.document_type_label },
    content_type,
    byte_size,
    issued_on,
    expires_on,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/**
 * Records the metadata of a person's document; a repeat with the same context finds the same document. Throws
 * {@link RejectedError}.
 */
export function recordDocument(
  services: CommandServices,
  context: CommandContext,
  personId: string,
  requested: DocumentMetadata,
): Promise<DocumentRow> {
  const { organisationId } = context;
  const metadata = DOCUMENT.normalise(requested) as DocumentMetadata;
  const id = services.mint.prefixed('document', organisationId, ...context.seed);
  const streams = [
    personAggregate.streamOf(organisationId, personId),
    documentTypeTable.aggregate.streamOf(organisationId, metadata.document_type_id),
  ];
  return commit(services, context, async (within) => {
    await lockReferences(services, within, streams);
    const key = await requirePersonKey(services.executor, organisationId, personId);
    await requireActiveType(services, organisationId, metadata.document_type_id);
    await stage(services, within, id, key, { type: 'record', personId, metadata });
    return (written) => reread(written, organisationId, id);
  });
}

/**
 * Changes the metadata of a document, but never its person. Throws {@link RejectedError} and
 * `ExpectationFailedError`.
 */
export function changeDocument(
  services: CommandServices,
  context: CommandContext,
  documentId: string,
  requested: Partial<DocumentMetadata>,
  ifMatch: readonly string[] | null = null,
): Promise<DocumentRow> {
  const { organisationId } = context;
  const changes = DOCUMENT.normalise(requested);
  const type = changes.document_type_id;
  return commit(services, context, async (within) => {
    if (type !== undefined)
      await lockReferences(services, within, [documentTypeTable.aggregate.streamOf(organisationId, type)]);
    const row = await existing(services, organisationId, documentId);
    const key = await requirePersonKey(services.executor, organisationId, row.person_id);
    if (type !== undefined && type !== row.document_type_id) await requireActiveType(services, organisationId, type);
    await stage(services, within, documentId, key, { type: 'change', changes }, ifMatch);
    return (written) => reread(written, organisationId, documentId);
  });
}

/**
 * Removes a document: responses no longer contain it, its history stays. Returns the removed document. Throws
 * {@link RejectedError}.
 */
export function removeDocument(
  services: CommandServices,
  context: CommandContext,
  documentId: string,
): Promise<DocumentRow> {
  return commit(services, context, async (within) => {
    const row = await existing(services, context.organisationId, documentId);
    await lockForRetirement(services, within, {
      stream: documentAggregate.streamOf(context.organisationId, documentId),
    });
    await stage(services, within, documentId, null, { type: 'remove' });
    return () => row;
  });
}

/**
 * @param key - the key of the document's person; may be null for a command that contains no name
 * @param ifMatch - the entity tags that the caller expects; null for any version
 */
async function stage(
  services: CommandServices,
  context: UnitContext,
  documentId: string,
  key: Buffer | null,
  command: DocumentCommand,
  ifMatch: readonly string[] | null = null,
): Promise<void> {
  const open = nameOpener(key);
  await handleCommand<DocumentState, DomainEvent>(
    services.store,
    key === null ? context : withSealedFingerprint(context, key),
    {
      stream: documentAggregate.streamOf(context.organisationId, documentId),
      initial: initialDocument,
      evolve: (state, event) => evolveDocument(state, openDocumentEvent(event, open)),
      decide: (state, revision) => {
        if (revision !== null) assertMatches(ifMatch, revisionTag({ revision }));
        const decision = decideDocument(command, state);
        return 'rejection' in decision
          ? decision
          : { events: decision.events.map((event) => (key === null ? event : sealDocumentEvent(event, key))) };
      },
      onConflict: ifMatch === null ? 'decide_again' : 'refuse',
      part: command.type,
    },
  );
}

/** Refuses a type that does not exist, belongs to another organisation, or is not in use. */
async function requireActiveType(
  services: CommandServices,
  organisationId: string,
  documentTypeId: string,
): Promise<void> {
  const type = await findDocumentType(services.executor, organisationId, documentTypeId);
  if (type === null) throw new RejectedError(notFound('document_type_id', 'there is no such document type'));
  if (!type.is_active) throw new RejectedError(conflict('document_type_id', 'this document type is not active'));
}

async function existing(services: CommandServices, organisationId: string, documentId: string): Promise<DocumentRow> {
  const row = await findDocument(services.executor, organisationId, documentId);
  if (row === null) throw new RejectedError(notFound('document_id', 'there is no such document'));
  return row;
}

async function reread({ executor }: Written, organisationId: string, documentId: string): Promise<DocumentRow> {
  const row = await findDocument(executor, organisationId, documentId);
  if (row === null) throw new Error(`document ${documentId} was recorded and its row is missing`);
  return row;
}

export class RecordDocument extends Command<DocumentRow> {
  constructor(
    readonly context: CommandContext,
    readonly personId: string,
    readonly metadata: DocumentMetadata,
  ) {
    super();
  }
}

export class ChangeDocument extends Command<DocumentRow> {
  constructor(
    readonly context: CommandContext,
    readonly documentId: string,
    readonly changes: Partial<DocumentMetadata>,
    readonly ifMatch: readonly string[] | null = null,
  ) {
    super();
  }
}

export class RemoveDocument extends Command<DocumentRow> {
  constructor(
    readonly context: CommandContext,
    readonly documentId: string,
  ) {
    super();
  }
}

@CommandHandler(RecordDocument)
class RecordDocumentHandler implements ICommandHandler<RecordDocument> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, personId, metadata }: RecordDocument): Promise<DocumentRow> {
    return recordDocument(this.services, context, personId, metadata);
  }
}

@CommandHandler(ChangeDocument)
class ChangeDocumentHandler implements ICommandHandler<ChangeDocument> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, documentId, changes, ifMatch }: ChangeDocument): Promise<DocumentRow> {
    return changeDocument(this.services, context, documentId, changes, ifMatch);
  }
}

@CommandHandler(RemoveDocument)
class RemoveDocumentHandler implements ICommandHandler<RemoveDocument> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, documentId }: RemoveDocument): Promise<DocumentRow> {
    return removeDocument(this.services, context, documentId);
  }
}

const TAGS = ['Documents'];

@Controller('documents')
class DocumentController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly cursors: CursorCodec,
  ) {}

  @Get()
  @Operation({
    operationId: 'listDocuments',
    summary: 'List the metadata of documents',
    description:
      'Metadata only: no bytes and no download links. In the order of creation; with updated_since in the order of ' +
      'change: pass the largest updated_at you have seen next time, and no change is missed. Lists do not contain ' +
      'removed documents.',
    tags: TAGS,
    scope: 'documents:read',
    capability: 'documents.list',
    query: DocumentsQuery,
    response: DocumentResponse,
    responseKind: 'page',
    errors: ['not_found'],
  })
  async list(@Receive() call: Call<undefined, DocumentsQuery>): Promise<Answer> {
    const { updated_since: since = null, person_id: personId = null } = call.query;
    const organisationId = call.key.organisation.id;
    const request = { organisationId, filters: { updated_since: since, person_id: personId }, query: call.query };
    const { rows, nextCursor } = await readPage(
      this.cursors,
      byUpdatedAt('listDocuments'),
      request,
      async (after, count) => {
        if (personId !== null) await this.requirePerson(organisationId, personId);
        return listDocuments(this.pool, {
          organisationId,
          personId,
          since,
          horizon: after?.horizon ?? null,
          after,
          count,
        });
      },
    );
    return { data: rows.map(presentDocument), nextCursor };
  }

  @Get(':documentId')
  @Operation({
    operationId: 'getDocument',
    summary: 'Read the metadata of a document',
    description: 'Metadata only: no bytes and no download link. A removed document is not found.',
    tags: TAGS,
    scope: 'documents:read',
    capability: 'documents.read',
    parameters: DocumentParameters,
    response: DocumentResponse,
  })
  async read(@Receive() call: Call<undefined, unknown, DocumentParameters>): Promise<Answer> {
    const row = found(await findDocument(this.pool, call.key.organisation.id, call.parameters.documentId));
    return { data: presentDocument(row) };
  }

  private async requirePerson(organisationId: string, personId: string): Promise<void> {
    if ((await findPerson(this.pool, organisationId, personId)) !== null) return;
    throw new HttpError('not_found', { details: [{ field: 'person_id', issue: 'there is no such person' }] });
  }
}

/** The metadata of people's documents; the contents are stored elsewhere. */
export const documentResource = defineResource({
  area: 'people',
  aggregates: [documentAggregate],
  projections: [documentProjection],
  schema: DOCUMENTS_SCHEMA,
  controllers: [DocumentController],
  handlers: [RecordDocumentHandler, ChangeDocumentHandler, RemoveDocumentHandler],
});
