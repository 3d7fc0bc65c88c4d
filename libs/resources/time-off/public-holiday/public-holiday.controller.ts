import { Controller, Get, Inject, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { Answer, Call } from '#http/call.js';
import { invalidField } from '#http/errors.js';
import { CLOCK, DATABASE_POOL } from '#http/injection-tokens.js';
import { Operation, Receive } from '#http/operation.js';
import { send } from '#http/send.js';
import { IdMint } from '#identifiers/id-mint.js';
import type { Clock } from '#kernel/clock.js';
import { dateIn, type LocalDate } from '#kernel/dates.js';
import type { HolidayChange } from '../settings/holiday-calendar.commands.js';
import { type HolidayCalendar, holidayCalendarBetween, type OrganisationHoliday } from '../settings/holiday-calendar.rules.js';
import { isHolidayRegion } from '../settings/public-holidays.rules.js';
import { readTimeOffSettings } from '../settings/time-off-settings.queries.js';
import {
  ChangePublicHolidayRequest,
  PublicHolidayDayResponse,
  PublicHolidayResponse,
  PublicHolidaysQuery,
} from './public-holiday.contract.js';
import { ChangePublicHoliday } from './public-holiday.handlers.js';

const COMMON = { tags: ['Time-off set-up'] } as const;

@Controller('public-holidays')
export class PublicHolidayController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly mint: IdMint,
    private readonly commands: CommandBus,
  ) {}

  @Get()
  @Operation({
    ...COMMON,
    operationId: 'listPublicHolidays',
    summary: 'List public holidays',
    description:
      'The holidays of one year and region, by date, all on one page: those by law, and for the region of the organisation what it added and removed itself. A country without a part has only the holidays that all its parts share.',
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
    const isOwn = region === settings.holiday_region;
    const calendar = { ...settings, holiday_region: region, own_holidays: isOwn ? settings.own_holidays : [] };
    const found = holidayCalendarBetween(calendar, `${year}-01-01`, `${year}-12-31`);
    return {
      data: found
        .filter(({ isCounted }) => isCounted || call.query.with_working_days === true)
        .map((holiday) => present(this.mint, organisationId, holiday)),
    };
  }

  @Post()
  @Operation({
    ...COMMON,
    operationId: 'changePublicHoliday',
    summary: "Add or remove a day of the organisation's holidays",
    description:
      'Says of one day that it, or a half of it, is free, that it is a working day, or that it is what the calendar of the region says. Time off that was counted already keeps its count until its dates or its category are changed. A change that changes nothing records nothing.',
    scope: 'time_off:config:write',
    capability: 'time_off.public_holidays.change',
    body: ChangePublicHolidayRequest,
    response: PublicHolidayDayResponse,
    write: { ifMatch: 'none' },
  })
  async change(@Receive() call: Call<ChangePublicHolidayRequest>): Promise<Answer> {
    const { date } = call.body;
    const change = changeOf(call.body);
    return send(
      this.commands,
      call,
      (context) => new ChangePublicHoliday(context, change),
      (calendar) => this.answerWithDay(call, date, calendar),
    );
  }

  private answerWithDay({ key }: Call<unknown>, date: LocalDate, calendar: HolidayCalendar): Answer {
    const holidays = holidayCalendarBetween(calendar, date, date);
    return { data: { date, holidays: holidays.map((one) => present(this.mint, key.organisation.id, one)) } };
  }
}

/** Throws for fields that do not go together. */
function changeOf({ change: type, date, name, day_part: dayPart }: ChangePublicHolidayRequest): HolidayChange {
  if (type === 'add') {
    if (name === undefined) throw invalidField('name', 'is required to add a day');
    return { type, date, name, dayPart: dayPart ?? 'full' };
  }
  if (name !== undefined) throw invalidField('name', 'is only taken to add a day');
  if (dayPart !== undefined) throw invalidField('day_part', 'is only taken to add a day');
  return { type, date };
}

/** An added day has an id of its own, also where the calendar of the region has one of the same name. */
function present(mint: IdMint, organisationId: string, holiday: OrganisationHoliday): PublicHolidayResponse {
  const { date, name, region, dayPart, isSubstitute, kind, isCounted } = holiday;
  const id = mint.prefixed('publicHoliday', organisationId, region, date, name, ...(kind === 'organisation' ? [kind] : []));
  return { id, date, name, region, day_part: dayPart, is_substitute: isSubstitute, kind, is_counted: isCounted };
}
