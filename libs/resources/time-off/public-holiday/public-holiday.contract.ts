import { GROWING_LIST_LENGTH } from '#http/fields/shape.js';
import { BooleanField, DateField, EnumField, IdField, IntegerField, ListField, TextField } from '#http/fields.js';
import { MAXIMUM_NAME_LENGTH } from '../../naming/name-key.js';
import { HOLIDAY_PARTS, type HolidayPart } from '../settings/holiday-calendar.decider.js';
import { HOLIDAY_KINDS } from '../settings/holiday-calendar.rules.js';
import { FIRST_HOLIDAY_YEAR, LAST_HOLIDAY_YEAR } from '../settings/public-holidays.rules.js';

const LONGEST_REGION = 6;

/** A public holiday, or a half of one (decisions: "Time off"). */
export class PublicHolidayResponse {
  @IdField('publicHoliday', { description: 'The same for the same region, date and name.' })
  readonly id!: string;
  @DateField({ example: '2026-12-28' })
  readonly date!: string;
  @TextField({
    description: 'In English where an English name is known, else in the language of the region.',
    example: 'Boxing Day (substitute day)',
  })
  readonly name!: string;
  @TextField({ description: 'The requested region.', example: 'GB-ENG' })
  readonly region!: string;
  @EnumField(HOLIDAY_PARTS, { description: 'The part of the day that is free.', example: 'full' })
  readonly day_part!: string;
  @BooleanField({ description: 'Whether it replaces a holiday that fell on a day off, which is listed as well.', example: true })
  readonly is_substitute!: boolean;
  @EnumField(HOLIDAY_KINDS, {
    description:
      'What the day is: public by law; bank: banks close; optional: free by custom or agreement; school; observance; organisation: added by the organisation.',
    example: 'public',
  })
  readonly kind!: string;
  @BooleanField({ description: 'Whether it is free when time off is counted. False only in a list with with_working_days.', example: true })
  readonly is_counted!: boolean;
}

/** The query of `GET /public-holidays`. */
export class PublicHolidaysQuery {
  @IntegerField({
    minimum: FIRST_HOLIDAY_YEAR,
    maximum: LAST_HOLIDAY_YEAR,
    optional: true,
    description: "By default the present year in the organisation's time zone.",
    example: 2026,
  })
  readonly year?: number;
  @TextField({
    minimumLength: 2,
    maximumLength: LONGEST_REGION,
    optional: true,
    description: "ISO 3166-1 alpha-2 or 3166-2; by default the holiday region of the organisation's time-off settings.",
    example: 'GB-ENG',
  })
  readonly region?: string;
  @BooleanField({
    optional: true,
    description:
      'Whether the list also has days that do not count: those of other kinds than public and organisation, and those that the organisation removed.',
    example: false,
  })
  readonly with_working_days?: boolean;
}

/** What an organisation may say of a day. */
export const HOLIDAY_CHANGES = ['add', 'remove', 'restore'] as const;

/** The body of `POST /public-holidays`. */
export class ChangePublicHolidayRequest {
  @EnumField(HOLIDAY_CHANGES, {
    description:
      'add: the day, or a half of it, is free, whatever the calendar of the region says. remove: it is a working day. restore: it is what the calendar of the region says.',
    example: 'add',
  })
  readonly change!: (typeof HOLIDAY_CHANGES)[number];
  @DateField({ example: '2026-12-24' })
  readonly date!: string;
  @TextField({
    minimumLength: 1,
    maximumLength: MAXIMUM_NAME_LENGTH,
    optional: true,
    description: 'Required to add a day, and only taken then.',
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
export class PublicHolidayDayResponse {
  @DateField({ example: '2026-12-24' })
  readonly date!: string;
  @ListField(() => PublicHolidayResponse, {
    maximumItems: GROWING_LIST_LENGTH,
    description: 'Everything that the calendar has on this day, whether it counts or not.',
  })
  readonly holidays!: readonly PublicHolidayResponse[];
}
