import { Controller, Get, Inject } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Answer, Call } from '#http/call.js';
import { DATABASE_POOL } from '#http/injection-tokens.js';
import { Operation, Receive } from '#http/operation.js';
import { IdMint } from '#identifiers/id-mint.js';
import { defineResource } from '../../resource.js';
import { LOCATION_COMMAND_HANDLERS } from './location.handlers.js';
import { countryOf } from '../country/countries.js';
import { LocationResponse } from './location.contract.js';
import { LOCATIONS_SCHEMA, locationTable } from './location.table.js';

@Controller('organisation/locations')
class LocationController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly mint: IdMint,
  ) {}

  @Get()
  @Operation({
    operationId: 'listOrganisationLocations',
    summary: 'List the active locations',
    description: 'By label, all on one page. Locations are managed in the product settings, never through the API.',
    tags: ['Organisation'],
    scope: 'organisation:read',
    capability: 'organisation.locations.list',
    response: LocationResponse,
    responseKind: 'list',
  })
  async list(@Receive() call: Call): Promise<Answer> {
    const organisationId = call.key.organisation.id;
    const rows = await locationTable.listInUse(this.pool, organisationId);
    return { data: rows.map((row) => ({ ...row, country: countryOf(this.mint, organisationId, row.country_code) })) };
  }
}

/** Locations of an organisation. Operators manage them on the command line; the API shows them. */
export const locationResource = defineResource({
  area: 'organisation',
  tables: [locationTable],
  schema: LOCATIONS_SCHEMA,
  controllers: [LocationController],
  handlers: LOCATION_COMMAND_HANDLERS,
});
