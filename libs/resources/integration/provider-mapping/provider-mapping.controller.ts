import { Controller, Get, Inject } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { DATABASE_POOL } from '#http/injection-tokens.js';
import { Operation, Receive } from '#http/operation.js';
import { byCreation, readPage } from '#http/pages.js';
import { readableTypes } from './mapped-resources.js';
import { ProviderMappingResponse, ProviderMappingsQuery } from './provider-mapping.contract.js';
import { listProviderMappings } from './provider-mapping.queries.js';

@Controller('provider-mappings')
export class ProviderMappingController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly cursors: CursorCodec,
  ) {}

  @Get()
  @Operation({
    operationId: 'listProviderMappings',
    summary: 'List provider mappings',
    description:
      'In the order of creation. In addition to provider_mappings:read, each mapping needs the read scope of its resource, and is left out without it: people:read (person), org_units:read (org_unit), working_patterns:read (working_pattern), organisation:read (location), time_off:read (time_off), documents:read (document), reference:read (work_place, work_type, time_off_category, document_type).',
    tags: ['Provider mappings'],
    scope: 'provider_mappings:read',
    capability: 'provider_mappings.list',
    query: ProviderMappingsQuery,
    response: ProviderMappingResponse,
    responseKind: 'page',
  })
  async list(@Receive() call: Call<undefined, ProviderMappingsQuery>): Promise<Answer> {
    const providerName = call.query.provider_name?.trim().toLowerCase() ?? null;
    const organisationId = call.key.organisation.id;
    const resourceTypes = readableTypes(call.key.scopes);
    const filters = { provider_name: providerName, resource_types: resourceTypes };
    const request = { organisationId, filters, query: call.query };
    const { rows, nextCursor } = await readPage(this.cursors, byCreation('listProviderMappings'), request, (after, count) =>
      listProviderMappings(this.pool, { organisationId, providerName, resourceTypes, after, count }),
    );
    return { data: rows, nextCursor };
  }
}
