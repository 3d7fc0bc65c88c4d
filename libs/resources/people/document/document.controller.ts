import { Controller, Get, Inject } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { HttpError } from '#http/errors.js';
import { DATABASE_POOL } from '#http/injection-tokens.js';
import { Operation, Receive } from '#http/operation.js';
import { bySync, readPage } from '#http/pages.js';
import { found } from '#kernel/rejection.js';
import { findPerson } from '../people/people.reader.js';
import { DocumentParameters, DocumentResponse, DocumentsQuery } from './document.contract.js';
import { presentDocument } from './document.presenter.js';
import { findDocument, listDocuments } from './document.queries.js';

const TAGS = ['Documents'];

@Controller('documents')
export class DocumentController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly cursors: CursorCodec,
  ) {}

  @Get()
  @Operation({
    operationId: 'listDocuments',
    summary: 'List the metadata of documents',
    description:
      'Metadata only: no bytes and no download links. In the order of creation; with updated_since in the order of change: pass the largest updated_at you have seen next time, and no change is missed. Lists do not contain removed documents.',
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
    const { rows, nextCursor } = await readPage(this.cursors, bySync('listDocuments'), request, async (after, count) => {
      if (personId !== null) await this.requirePerson(organisationId, personId);
      return listDocuments(this.pool, { organisationId, personId, since, horizon: after?.horizon ?? null, after, count });
    });
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
