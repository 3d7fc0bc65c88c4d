import { Controller, Get, Inject } from '@nestjs/common';
import type { Pool } from 'pg';
import { CLOCK, DATABASE_POOL } from '#commands/injection-tokens.js';
import type { Call } from '#http/call.js';
import { Endpoint } from '#http/endpoint.js';
import { Receive } from '#http/operation.js';
import type { Clock } from '#kernel/clock.js';
import { countDirectory, directoryQueryOf, withDay } from '#people/record/directory.js';
import { PeopleQuery } from '#people/record/people-shapes.js';

/** The number of people in a list of `GET /people`, which the contract's pages do not have. */
@Controller('console/people-count')
export class PeopleCountController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @Endpoint({ name: 'countPeople', callers: 'sessions', scopes: ['people:read'], query: PeopleQuery })
  async count(@Receive() { key, query }: Call<undefined, PeopleQuery>): Promise<object> {
    const organisationId = key.organisation.id;
    const directory = directoryQueryOf({ ...query, sort: 'name' })!;
    const dated = await withDay(this.pool, organisationId, directory, this.clock.now());
    return { data: { count: await countDirectory(this.pool, organisationId, dated) } };
  }
}
