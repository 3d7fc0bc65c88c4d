import {
  BooleanField,
  DateField,
  DateTimeField,
  EnumField,
  IdField,
  IntegerField,
  ListField,
  NumberField,
  ObjectField,
  TextField,
} from '#http/fields.js';
import { PageQuery } from '#http/pages.js';
import { DAY_PARTS, DAY_REASONS, type DayPart } from './day-count.rules.js';
import { TIME_OFF_STATUSES, type TimeOffStatus } from '#kernel/time-off-statuses.js';
import { MAX_TIME_OFF_DAYS } from './time-off.rules.js';

const TIME_OFF_EXAMPLE = 'to_Vq8sT2mK.n4Xc_7Rb.Hd5wL9yZ1PaE';
const CATEGORY_EXAMPLE = 'toc_kR3vN8dQ.f6Wm-2Ts.Yb7xJ1cGz4Lu';
const PERSON_EXAMPLE = '7k2m9qx4hz1c';
const MINUTES_PER_DAY = 1_440;

export class TimeOffPersonReference {
  @IdField('person', { example: PERSON_EXAMPLE })
  readonly id!: string;
  @TextField({ maximumLength: 600, description: 'Their current display name.', example: 'Ada Byron' })
  readonly display_name!: string;
}

export class TimeOffCategoryReference {
  @IdField('timeOffCategory', { example: CATEGORY_EXAMPLE })
  readonly id!: string;
  @TextField({ description: 'Its current label.', example: 'Annual leave' })
  readonly label!: string;
}

class TimeOffDay {
  @DateField({ example: '2026-08-03' })
  readonly date!: string;
  @EnumField(DAY_PARTS, { description: 'The requested part of the day, counted or not.', example: 'full' })
  readonly day_part!: string;
  @IntegerField({
    minimum: 0,
    maximum: MINUTES_PER_DAY,
    description: 'The minutes that the day uses up; 0 if it is not counted.',
    example: 450,
  })
  readonly minutes!: number;
  @BooleanField({ example: true })
  readonly counted!: boolean;
  @EnumField(DAY_REASONS, { description: 'The reason for which the day is counted or not.', example: 'working_day' })
  readonly reason!: string;
}

/** A time-off record (contract part 2; decisions: "Time off"). Notes and reasons are never included. */
export class TimeOffResponse {
  @IdField('timeOff', { example: TIME_OFF_EXAMPLE })
  readonly id!: string;
  @ObjectField(() => TimeOffPersonReference)
  readonly person!: TimeOffPersonReference;
  @ObjectField(() => TimeOffCategoryReference)
  readonly category!: TimeOffCategoryReference;
  @DateField({ example: '2026-08-03' })
  readonly start_date!: string;
  @DateField({ description: 'Inclusive.', example: '2026-08-07' })
  readonly end_date!: string;
  @EnumField(DAY_PARTS, { example: 'full' })
  readonly start_day_part!: string;
  @EnumField(DAY_PARTS, { description: 'For a single day the same as start_day_part.', example: 'full' })
  readonly end_day_part!: string;
  @ListField(() => TimeOffDay, {
    maximumItems: MAX_TIME_OFF_DAYS,
    description: 'Every day from the first to the last, as it was counted when the record was created or last changed.',
  })
  readonly days!: readonly TimeOffDay[];
  @IntegerField({ minimum: 0, description: 'The minutes that the counted days use up.', example: 2250 })
  readonly total_minutes!: number;
  @NumberField({ minimum: 0, description: 'The same in days of the working pattern, to four decimals.', example: 5 })
  readonly total_days!: number;
  @TextField({ description: 'For display.', example: 'Pending' })
  readonly status!: string;
  @EnumField(TIME_OFF_STATUSES, { description: 'For workflow logic.', example: 'pending' })
  readonly status_code!: string;
  @DateTimeField()
  readonly created_at!: string;
  @DateTimeField()
  readonly updated_at!: string;
}

export class TimeOffParameters {
  @IdField('timeOff', { description: 'Id of the time-off record.', example: TIME_OFF_EXAMPLE })
  readonly timeOffId!: string;
}

/** The query of `GET /time-off`. A list should be bounded by a window, but need not be. */
export class TimeOffQuery extends PageQuery {
  @DateField({
    optional: true,
    description: 'First day of the window; lists records that touch the window.',
    example: '2026-07-01',
  })
  readonly from?: string;
  @DateField({
    optional: true,
    description: 'Last day of the window, inclusive; not before from.',
    example: '2026-09-30',
  })
  readonly to?: string;
  @EnumField(TIME_OFF_STATUSES, { optional: true, description: 'Only records in this state.', example: 'approved' })
  readonly status?: TimeOffStatus;
  @IdField('person', { optional: true, description: 'Only records of this person.', example: PERSON_EXAMPLE })
  readonly person_id?: string;
  @IdField('timeOffCategory', {
    optional: true,
    description: 'Only records of this category.',
    example: CATEGORY_EXAMPLE,
  })
  readonly category_id?: string;
  @DateTimeField({
    optional: true,
    description:
      'Inclusive: only items changed since then, in the order of change. Pass the largest updated_at seen next time.',
    example: '2026-06-01T00:00:00.000Z',
  })
  readonly updated_since?: string;
  @EnumField(['updated_at_desc'], {
    optional: true,
    description: 'Most recently updated first. Without it: in the order of first days.',
    example: 'updated_at_desc',
  })
  readonly sort?: 'updated_at_desc';
}

export class CreateTimeOffRequest {
  @IdField('person', { description: 'The person who takes time off.', example: PERSON_EXAMPLE })
  readonly person_id!: string;
  @IdField('timeOffCategory', { description: 'An active category.', example: CATEGORY_EXAMPLE })
  readonly category_id!: string;
  @DateField({ example: '2026-08-03' })
  readonly start_date!: string;
  @DateField({ description: `Inclusive; at most ${MAX_TIME_OFF_DAYS} days in all.`, example: '2026-08-07' })
  readonly end_date!: string;
  @EnumField(DAY_PARTS, {
    optional: true,
    description: 'By default full; for several days full or afternoon.',
    example: 'full',
  })
  readonly start_day_part?: DayPart;
  @EnumField(DAY_PARTS, {
    optional: true,
    description: 'By default full, or start_day_part for a single day; for several days full or morning.',
    example: 'full',
  })
  readonly end_day_part?: DayPart;
}

export class UpdateTimeOffRequest {
  @IdField('timeOffCategory', { optional: true, description: 'An active category.', example: CATEGORY_EXAMPLE })
  readonly category_id?: string;
  @DateField({ optional: true, example: '2026-08-03' })
  readonly start_date?: string;
  @DateField({ optional: true, description: 'Inclusive.', example: '2026-08-10' })
  readonly end_date?: string;
  @EnumField(DAY_PARTS, { optional: true, example: 'full' })
  readonly start_day_part?: DayPart;
  @EnumField(DAY_PARTS, { optional: true, example: 'morning' })
  readonly end_day_part?: DayPart;
}
