import { BooleanField, DateField, EnumField, IdField, IntegerField, TextField } from '#http/fields.js';
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
  @EnumField(['full', 'morning', 'afternoon'], { description: 'The part of the day that is free.', example: 'full' })
  readonly day_part!: string;
  @BooleanField({ description: 'Whether it replaces a holiday that fell on a day off, which is listed as well.', example: true })
  readonly is_substitute!: boolean;
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
}
