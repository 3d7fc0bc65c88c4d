import { Controller, Get, Inject, Post } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import { CLOCK, DATABASE_POOL } from '#commands/injection-tokens.js';
import { ResourceServices } from '#commands/resource-services.js';
import type { Answer, Call } from '#http/call.js';
import { invalidField } from '#http/errors.js';
import { BooleanField, DateField, EnumField, IdField, IntegerField, ListField, TextField } from '#http/fields.js';
import { GROWING_LIST_LENGTH } from '#http/fields/shape.js';
import { Operation, Receive } from '#http/operation.js';
import { send } from '#http/send.js';
import { IdMint } from '#identifiers/id-mint.js';
import type { Clock } from '#kernel/clock.js';
import { dateIn, type LocalDate } from '#kernel/dates.js';
import { MAX_NAME_LENGTH } from '#kernel/names.js';
import { HOLIDAY_PARTS, type HolidayPart } from '../settings/holiday-calendar.js';
import {
  HOLIDAY_KINDS,
  type HolidayCalendar,
  holidayCalendarBetween,
  type OrganisationHoliday,
} from '../settings/holiday-calendar.rules.js';
import { FIRST_HOLIDAY_YEAR, isHolidayRegion, LAST_HOLIDAY_YEAR } from '../settings/public-holidays.js';
import { changeHoliday, type HolidayChange } from '../settings/time-off-settings.api.js';
import { readTimeOffSettings } from '../settings/time-off-settings.js';

const MAX_REGION_LENGTH = 6;

/** A public holiday, or half of one (decisions: "Time off"). */
class PublicHolidayResponse {
  @IdField('publicHoliday', { description: 'The same for the same region, date and name.' })
  readonly id!: string;
  @DateField({ example: '2026-12-28' })
  readonly date!: string;
  @TextField({
    description: 'In English if an English name is known, otherwise in the language of the region.',
    example: 'Boxing Day (substitute day)',
  })
  readonly name!: string;
  @TextField({ description: 'The requested region.', example: 'GB-ENG' })
  readonly region!: string;
  @EnumField(HOLIDAY_PARTS, { description: 'The part of the day that is free.', example: 'full' })
  readonly day_part!: string;
  @BooleanField({
    description: 'Whether it replaces a holiday that fell on a day off, which is listed as well.',
    example: true,
  })
  readonly is_substitute!: boolean;
  @EnumField(HOLIDAY_KINDS, {
    description:
      'What the day is: public by law; bank: banks close; optional: free by custom or agreement; school; observance; ' +
      'organisation: added by the organisation.',
    example: 'public',
  })
  readonly kind!: string;
  @BooleanField({
    description: 'Whether it is free when time off is calculated. False only in a list with with_working_days.',
    example: true,
  })
  readonly is_counted!: boolean;
}

/** The query of `GET /public-holidays`. */
class PublicHolidaysQuery {
  @IntegerField({
    minimum: FIRST_HOLIDAY_YEAR,
    maximum: LAST_HOLIDAY_YEAR,
    optional: true,
    description: "By default the current year in the organisation's time zone.",
    example: 2026,
  })
  readonly year?: number;
  @TextField({
    minimumLength: 2,
    maximumLength: MAX_REGION_LENGTH,
    optional: true,
    description: "ISO 3166-1 alpha-2 or 3166-2; by default the holiday region of the organisation's time-off settings.",
    example: 'GB-ENG',
  })
  readonly region?: string;
  @BooleanField({
    optional: true,
    description:
      'Whether the list also contains days that do not count: those of kinds other than public and organisation, and ' +
      'those that the organisation removed.',
    example: false,
  })
  readonly with_working_days?: boolean;
}

/** The kinds of change that an organisation may make to a day. */
const HOLIDAY_CHANGES = ['add', 'remove', 'restore'] as const;

/** The body of `POST /public-holidays`. */
class ChangePublicHolidayRequest {
  @EnumField(HOLIDAY_CHANGES, {
    description:
      'add: the day, or half of it, is free, independent of the calendar of the region. remove: it is a working day. ' +
      'restore: the calendar of the region applies.',
    example: 'add',
  })
  readonly change!: (typeof HOLIDAY_CHANGES)[number];
  @DateField({ example: '2026-12-24' })
  readonly date!: string;
  @TextField({
    minimumLength: 1,
    maximumLength: MAX_NAME_LENGTH,
    optional: true,
    description: 'Required to add a day, and accepted only then.',
    example: 'Christmas Eve',
  })
  readonly name?: string;
  @EnumField(HOLIDAY_PARTS, {
    optional: true,
    description: 'The part of an added day that is free; full by default.',
    example: 'afternoon',
  })
  readonly day_part?: HolidayPart;
}

/** A day of the organisation's calendar after a change. */
class PublicHolidayDayResponse {
  @DateField({ example: '2026-12-24' })
  readonly date!: string;
  @ListField(() => PublicHolidayResponse, {
    maximumItems: GROWING_LIST_LENGTH,
    description: 'All entries of the calendar on this day, whether they count or not.',
  })
  readonly holidays!: readonly PublicHolidayResponse[];
}

export class ChangePublicHoliday extends Command<HolidayCalendar> {
  constructor(
    readonly context: CommandContext,
    readonly change: HolidayChange,
  ) {
    super();
  }
}

@CommandHandler(ChangePublicHoliday)
export class ChangePublicHolidayHandler implements ICommandHandler<ChangePublicHoliday> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, change }: ChangePublicHoliday): Promise<HolidayCalendar> {
    return changeHoliday(this.services, context, change);
  }
}

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
      'The holidays of one year and region, by date, all on one page: those by law, and for the region of the ' +
      'organisation those that it added or removed. A country without a subdivision has only the holidays that all ' +
      'its subdivisions share.',
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
        .map((holiday) => presentPublicHoliday(this.mint, organisationId, holiday)),
    };
  }

  @Post()
  @Operation({
    ...COMMON,
    operationId: 'changePublicHoliday',
    summary: "Add or remove a day of the organisation's holidays",
    description:
      'Sets one day, or half of it, free, makes it a working day, or restores the calendar of the region. Time off ' +
      'that was already calculated keeps its count until its dates or its category are changed. A request without a ' +
      'change records nothing.',
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
    return {
      data: { date, holidays: holidays.map((one) => presentPublicHoliday(this.mint, key.organisation.id, one)) },
    };
  }
}

/** Throws for fields that cannot be combined. */
function changeOf({ change: type, date, name, day_part: dayPart }: ChangePublicHolidayRequest): HolidayChange {
  if (type === 'add') {
    if (name === undefined) throw invalidField('name', 'is required to add a day');
    return { type, date, name, dayPart: dayPart ?? 'full' };
  }
  if (name !== undefined) throw invalidField('name', 'is accepted only to add a day');
  if (dayPart !== undefined) throw invalidField('day_part', 'is accepted only to add a day');
  return { type, date };
}

/** An added day has an id of its own, even if the calendar of the region has a holiday with the same name. */
export function presentPublicHoliday(
  mint: IdMint,
  organisationId: string,
  holiday: OrganisationHoliday,
): PublicHolidayResponse {
  const { date, name, region, dayPart, isSubstitute, kind, isCounted } = holiday;
  const id = mint.prefixed(
    'publicHoliday',
    organisationId,
    region,
    date,
    name,
    ...(kind === 'organisation' ? [kind] : []),
  );
  return { id, date, name, region, day_part: dayPart, is_substitute: isSubstitute, kind, is_counted: isCounted };
}
