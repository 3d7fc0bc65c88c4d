import { Controller, Get, Inject } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Answer, Call } from '#http/call.js';
import { invalidField } from '#http/errors.js';
import { CLOCK, DATABASE_POOL } from '#http/injection-tokens.js';
import { Operation, Receive } from '#http/operation.js';
import { IdMint } from '#identifiers/id-mint.js';
import type { Clock } from '#kernel/clock.js';
import { dateIn } from '#kernel/dates.js';
import { readTimeOffSettings } from '../settings/time-off-settings.queries.js';
import { PublicHolidayResponse, PublicHolidaysQuery } from './public-holiday.contract.js';
import { isHolidayRegion, type PublicHoliday, publicHolidaysBetween } from '../settings/public-holidays.rules.js';

@Controller('public-holidays')
export class PublicHolidayController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly mint: IdMint,
  ) {}

  @Get()
  @Operation({
    operationId: 'listPublicHolidays',
    summary: 'List public holidays',
    description:
      'The holidays of one year and region, by date, all on one page. A country without a part has only the holidays that all its parts share.',
    tags: ['Time-off set-up'],
    scope: 'time_off:read',
    capability: 'time_off.public_holidays.list',
    query: PublicHolidaysQuery,
    response: PublicHolidayResponse,
    responseKind: 'list',
  })
  async list(@Receive() call: Call<undefined, PublicHolidaysQuery>): Promise<Answer> {
    const organisationId = call.key.organisation.id;
    const named = call.query.region?.toUpperCase();
    if (named !== undefined && !isHolidayRegion(named)) {
      throw invalidField('region', 'must be a country or a part of one with known holidays, such as GB or GB-ENG');
    }
    const settings = await readTimeOffSettings(this.pool, organisationId);
    const region = named ?? settings.holiday_region;
    const year = call.query.year ?? Number(dateIn(settings.time_zone, this.clock.now()).slice(0, 4));
    return {
      data: publicHolidaysBetween(region, `${year}-01-01`, `${year}-12-31`).map((holiday) => this.present(organisationId, holiday)),
    };
  }

  private present(organisationId: string, { date, name, region, dayPart, isSubstitute }: PublicHoliday): PublicHolidayResponse {
    const id = this.mint.prefixed('publicHoliday', organisationId, region, date, name);
    return { id, date, name, region, day_part: dayPart, is_substitute: isSubstitute };
  }
}
