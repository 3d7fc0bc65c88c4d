import { DateField, DateTimeField, IdField, IntegerField, ListField, NumberField, TextField, partialOf } from '#http/fields.js';

const WORKING_PATTERN_EXAMPLE = 'working_pattern_Hs3kV9bT.e1Mq-6Zx.Lr7yC2nPd5Fw';
const LONGEST_LABEL = 200;
const LONGEST_CYCLE = 8;
const MINUTES_PER_DAY = 1_440;
const WEEKDAYS_EXAMPLE = [1, 2, 3, 4, 5].map((weekday) => ({ week: 1, weekday, morning_minutes: 240, afternoon_minutes: 210 }));
const DAYS = {
  maximumItems: 7 * LONGEST_CYCLE,
  description: 'The working days of the cycle, each once; days that are missing are off.',
  example: WEEKDAYS_EXAMPLE,
};
const ANCHOR = { description: 'A date in the first week of a cycle; weeks begin on Monday.', example: '2026-01-05' };
const CYCLE = { minimum: 1, maximum: LONGEST_CYCLE, description: 'The number of weeks after which the pattern repeats.', example: 1 };

/** A working day of the cycle. */
export class WorkingDay {
  @IntegerField({ minimum: 1, maximum: LONGEST_CYCLE, description: 'The week of the cycle, from 1.', example: 1 })
  readonly week!: number;
  @IntegerField({ minimum: 1, maximum: 7, description: '1 is Monday, 7 is Sunday.', example: 1 })
  readonly weekday!: number;
  @IntegerField({ minimum: 0, maximum: MINUTES_PER_DAY, example: 240 })
  readonly morning_minutes!: number;
  @IntegerField({ minimum: 0, maximum: MINUTES_PER_DAY, description: 'Together with the morning at most 1440.', example: 210 })
  readonly afternoon_minutes!: number;
}

/** When people work (decisions: "Set-up resources"). */
export class WorkingPatternResponse {
  @IdField('workingPattern', { example: WORKING_PATTERN_EXAMPLE })
  readonly id!: string;
  @TextField({ maximumLength: LONGEST_LABEL, example: 'Monday to Friday' })
  readonly label!: string;
  @IntegerField(CYCLE)
  readonly cycle_weeks!: number;
  @DateField(ANCHOR)
  readonly anchor_date!: string;
  @ListField(() => WorkingDay, DAYS)
  readonly days!: WorkingDay[];
  @NumberField({ minimum: 0, maximum: 10_080, description: 'The mean of the weeks of the cycle, to four decimals.', example: 2250 })
  readonly weekly_minutes!: number;
  @DateTimeField({
    nullable: true,
    description: 'When it was archived, so that no new reference to it is allowed; null while it is active.',
    example: null,
  })
  readonly archived_at!: string | null;
  @DateTimeField()
  readonly created_at!: string;
  @DateTimeField()
  readonly updated_at!: string;
}

export class WorkingPatternParameters {
  @IdField('workingPattern', { description: 'Id of the working pattern.', example: WORKING_PATTERN_EXAMPLE })
  readonly workingPatternId!: string;
}

export class CreateWorkingPatternRequest {
  @TextField({ minimumLength: 1, maximumLength: LONGEST_LABEL, example: 'Monday to Friday' })
  readonly label!: string;
  @IntegerField(CYCLE)
  readonly cycle_weeks!: number;
  @DateField(ANCHOR)
  readonly anchor_date!: string;
  @ListField(() => WorkingDay, DAYS)
  readonly days!: WorkingDay[];
}

export class UpdateWorkingPatternRequest extends partialOf(CreateWorkingPatternRequest) {}
