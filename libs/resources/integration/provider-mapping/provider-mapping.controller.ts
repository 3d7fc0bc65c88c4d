import { Controller, Get, Inject } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursor.js';
import { DATABASE_POOL } from '#http/injection-tokens.js';
import { Operation, Receive } from '#http/operation.js';
import { type CreationPlace, pageByCreation } from '#http/page-by-creation.js';
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
      'In the order of creation. Beside provider_mappings:read, each mapping needs the read scope of its resource, and is left out without it: people:read (person), org_units:read (org_unit), working_patterns:read (working_pattern), organisation:read (location), time_off:read (time_off), documents:read (document), reference:read (work_place, work_type, time_off_category, document_type).',
    tags: ['Provider mappings'],
    scope: 'provider_mappings:read',
    capability: 'provider_mappings.list',
    query: ProviderMappingsQuery,
    response: ProviderMappingResponse,
    responseKind: 'page',
    successStatus: 200,
  })
  async list(@Receive() call: Call<undefined, ProviderMappingsQuery>): Promise<Answer> {
    const providerName = call.query.provider_name?.trim().toLowerCase() ?? null;
    const organisationId = call.key.organisation.id;
    const resourceTypes = readableTypes(call.key.scopes);
    const scope = {
      organisationId,
      route: 'listProviderMappings',
      filters: { provider_name: providerName, resource_types: resourceTypes },
    };
    const read = (after: CreationPlace | null, count: number) =>
      listProviderMappings(this.pool, { organisationId, providerName, resourceTypes, after, count });
    const { rows, nextCursor } = await pageByCreation(this.cursors, scope, call.query, read);
    return { data: rows, nextCursor };
  }
}
