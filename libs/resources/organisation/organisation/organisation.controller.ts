import { Controller, Get, Inject } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Answer, Call } from '#http/call.js';
import { DATABASE_POOL } from '#http/injection-tokens.js';
import { Operation, Receive } from '#http/operation.js';
import { IdMint } from '#identifiers/id-mint.js';
import { found } from '#kernel/rejection.js';
import { countryOf } from '../country/countries.js';
import { OrganisationResponse } from './organisation.contract.js';
import { findOrganisation } from './organisation.queries.js';
import { shownSubdomain } from './sandbox-subdomain.js';

@Controller('organisation')
export class OrganisationController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly mint: IdMint,
  ) {}

  @Get()
  @Operation({
    operationId: 'getOrganisation',
    summary: 'Read the organisation',
    description: 'The profile of the organisation that the key acts for. It is set in the product settings, never through the API.',
    tags: ['Organisation'],
    scope: 'organisation:read',
    capability: 'organisation.profile.read',
    response: OrganisationResponse,
  })
  async read(@Receive() call: Call): Promise<Answer> {
    const organisation = found(await findOrganisation(this.pool, call.key.organisation.id));
    const shown = { id: this.mint.shownOrganisation(organisation.id), subdomain: shownSubdomain(organisation.id, organisation.subdomain) };
    return { data: { ...organisation, ...shown, country: countryOf(this.mint, organisation.id, organisation.country_code) } };
  }
}
