import { Controller, Get, Inject } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Answer, Call } from '#http/call.js';
import { DATABASE_POOL } from '#http/injection-tokens.js';
import { Operation, Receive } from '#http/operation.js';
import { IdMint } from '#identifiers/id-mint.js';
import { found } from '#kernel/rejection.js';
import { countryOf } from '../../organisation/country/countries.js';
import { PersonParameters } from '../person/person.contract.js';
import type { PostalAddress } from '../../naming/postal-address.js';
import { type HomeAddressResponse, PersonalProfileResponse } from './personal-profile.contract.js';
import { findPersonalProfile } from './personal-profile.queries.js';

@Controller('people')
export class PersonalProfileController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly mint: IdMint,
  ) {}

  @Get(':personId/personal')
  @Operation({
    operationId: 'getPersonalProfile',
    summary: "Read a person's personal profile",
    description:
      'Middle names, date of birth, private contact data and home address. A profile that was never written has nulls. Profiles are managed in the product settings, never through the API.',
    tags: ['People'],
    scope: 'people:personal:read',
    capability: 'people.personal.read',
    parameters: PersonParameters,
    response: PersonalProfileResponse,
  })
  async read(@Receive() call: Call<undefined, unknown, PersonParameters>): Promise<Answer> {
    const organisationId = call.key.organisation.id;
    const profile = found(await findPersonalProfile(this.pool, organisationId, call.parameters.personId));
    return { data: { ...profile, home_address: this.presentAddress(organisationId, profile.home_address) } };
  }

  private presentAddress(organisationId: string, address: PostalAddress | null): HomeAddressResponse | null {
    if (address === null) return null;
    const { country_code: code, ...lines } = address;
    return { ...lines, country: countryOf(this.mint, organisationId, code) };
  }
}
