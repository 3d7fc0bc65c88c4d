import { BooleanField, DateTimeField, EnumField, IntegerField, TextField } from '#http/fields.js';
import {
  ACCRUAL_METHODS,
  type AccrualMethod,
  LARGEST_CARRY_OVER_MINUTES,
  LARGEST_ROUNDING_MINUTES,
  LONGEST_CARRY_OVER_DAYS,
} from './time-off-settings.rules.js';

const START = {
  pattern: { source: '^\\d{2}-\\d{2}$', words: 'must be a month and a day as MM-DD' },
  description: 'First day of the leave year as MM-DD; not 02-29.',
  example: '01-01',
};
const METHOD = {
  description:
    'How an allowance is earned: all of it at the start of the leave year, a twelfth on the first of each month, or daily in proportion to the fte in force.',
  example: 'fixed_yearly',
};
const ROUNDING = {
  minimum: 1,
  maximum: LARGEST_ROUNDING_MINUTES,
  description: 'Accrued minutes are rounded to a multiple of this number.',
  example: 1,
};
const CARRY_OVER = {
  minimum: 0,
  maximum: LARGEST_CARRY_OVER_MINUTES,
  description: 'The most minutes that are carried over into the next leave year.',
  example: 2_250,
};
const EXPIRY = {
  minimum: 1,
  maximum: LONGEST_CARRY_OVER_DAYS,
  nullable: true,
  description: 'The number of days of the leave year after which carried-over minutes expire; null: never.',
  example: 90,
};
const PENDING = { description: 'Whether pending requests reduce the available balance.', example: true };
const LONGEST_REGION = 6;
const REGION = {
  description: 'The region whose public holidays count: ISO 3166-1 alpha-2, or 3166-2 for a part of a country.',
  example: 'GB-ENG',
};

/** How time off is calculated in the organisation (decisions: "Time off"). */
export class TimeOffSettingsResponse {
  @TextField(START)
  readonly leave_year_start!: string;
  @EnumField(ACCRUAL_METHODS, METHOD)
  readonly accrual_method!: AccrualMethod;
  @IntegerField(ROUNDING)
  readonly accrual_rounding_minutes!: number;
  @IntegerField(CARRY_OVER)
  readonly carry_over_max_minutes!: number;
  @IntegerField(EXPIRY)
  readonly carry_over_expires_after_days!: number | null;
  @BooleanField(PENDING)
  readonly pending_counts!: boolean;
  @TextField({ ...REGION, description: `${REGION.description} Where none is set, the organisation's country.` })
  readonly holiday_region!: string;
  @DateTimeField()
  readonly updated_at!: string;
}

export class UpdateTimeOffSettingsRequest {
  @TextField({ ...START, optional: true })
  readonly leave_year_start?: string;
  @EnumField(ACCRUAL_METHODS, { ...METHOD, optional: true })
  readonly accrual_method?: AccrualMethod;
  @IntegerField({ ...ROUNDING, optional: true })
  readonly accrual_rounding_minutes?: number;
  @IntegerField({ ...CARRY_OVER, optional: true })
  readonly carry_over_max_minutes?: number;
  @IntegerField({ ...EXPIRY, optional: true })
  readonly carry_over_expires_after_days?: number | null;
  @BooleanField({ ...PENDING, optional: true })
  readonly pending_counts?: boolean;
  @TextField({
    ...REGION,
    maximumLength: LONGEST_REGION,
    nullable: true,
    optional: true,
    description: `${REGION.description} Null: the organisation's country.`,
  })
  readonly holiday_region?: string | null;
}
