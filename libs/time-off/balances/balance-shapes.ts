import { GROWING_LIST_LENGTH } from '#http/fields/shape.js';
import {
  DateField,
  DateTimeField,
  EnumField,
  IdField,
  IntegerField,
  ListField,
  NumberField,
  ObjectField,
} from '#http/fields.js';
import { TimeOffCategoryReference, TimeOffPersonReference } from '../records/time-off-shapes.js';
import { TIME_OFF_UNITS } from '../category/time-off-category.rules.js';
import { ADJUSTMENT_REASONS, type AdjustmentReason, MAX_ADJUSTMENT_MINUTES } from './ledger.js';

const CATEGORY_EXAMPLE = 'toc_kR3vN8dQ.f6Wm-2Ts.Yb7xJ1cGz4Lu';
const ADJUSTMENT_EXAMPLE = 'toa_p4Zq9VxE.w1Ks_7Ud.Mf3tR6yHj2Na';

/** The unit of the amounts of a balance, independent of the category's unit. */
export const AMOUNTS_UNIT = 'minutes';

/**
 * The amounts of a balance in days of the person, to four decimals (docs/reference/balances.md, "In days").
 */
class BalanceInDays {
  @NumberField({
    minimum: 0,
    description: 'The minutes of one day, to four decimals: the mean working day of the person.',
    example: 450,
  })
  readonly minutes_per_day!: number;
  @NumberField({ minimum: 0, example: 0 })
  readonly opening!: number;
  @NumberField({ minimum: 0, example: 28 })
  readonly accrued!: number;
  @NumberField({ minimum: 0, example: 5 })
  readonly carried_over!: number;
  @NumberField({ example: -1 })
  readonly adjusted!: number;
  @NumberField({ minimum: 0, example: 5 })
  readonly taken!: number;
  @NumberField({ minimum: 0, example: 3 })
  readonly scheduled!: number;
  @NumberField({ minimum: 0, example: 1 })
  readonly pending!: number;
  @NumberField({ minimum: 0, example: 0 })
  readonly expired!: number;
  @NumberField({ example: 27 })
  readonly remaining!: number;
  @NumberField({ example: 23 })
  readonly available!: number;
}

/** A balance in one category, in whole minutes (decisions: "Balance"; docs/reference/balances.md). */
export class CategoryBalance {
  @ObjectField(() => TimeOffCategoryReference)
  readonly category!: TimeOffCategoryReference;
  @EnumField(TIME_OFF_UNITS, {
    description: 'The unit in which people count the category. The amounts next to it are always in amounts_unit.',
    example: 'days',
  })
  readonly unit!: string;
  @EnumField([AMOUNTS_UNIT], {
    description: 'The unit of the amounts of this object: always minutes. Amounts in days are in days.',
    example: AMOUNTS_UNIT,
  })
  readonly amounts_unit!: string;
  @IntegerField({
    minimum: 0,
    description: 'Minutes left over from the last leave year beyond the carry-over; expired includes them.',
    example: 0,
  })
  readonly opening!: number;
  @IntegerField({ minimum: 0, description: 'Minutes earned in this leave year so far.', example: 12_600 })
  readonly accrued!: number;
  @IntegerField({ minimum: 0, description: 'Minutes carried over from the last leave year.', example: 2_250 })
  readonly carried_over!: number;
  @IntegerField({
    description: 'The sum of adjustments in this leave year, and the overdraft of the last one.',
    example: -450,
  })
  readonly adjusted!: number;
  @IntegerField({ minimum: 0, description: 'Approved time off in this leave year, up to as_of.', example: 2_250 })
  readonly taken!: number;
  @IntegerField({ minimum: 0, description: 'Approved time off after as_of, in this leave year.', example: 1_350 })
  readonly scheduled!: number;
  @IntegerField({ minimum: 0, description: 'Time off in this leave year that awaits a decision.', example: 450 })
  readonly pending!: number;
  @IntegerField({
    minimum: 0,
    description:
      'Minutes that expired in this leave year: opening, and carried-over minutes that were not used in time.',
    example: 0,
  })
  readonly expired!: number;
  @IntegerField({ description: 'opening + accrued + carried_over + adjusted − taken − expired.', example: 12_150 })
  readonly remaining!: number;
  @IntegerField({
    description: 'remaining − scheduled, less pending if the settings deduct pending requests.',
    example: 10_350,
  })
  readonly available!: number;
  @ObjectField(() => BalanceInDays, {
    nullable: true,
    description:
      'The same amounts in days; null if the length of a day is unknown: the working pattern has no working day.',
  })
  readonly days!: BalanceInDays | null;
}

/** A person's balances as of a day. */
export class BalanceResponse {
  @IdField('person')
  readonly person_id!: string;
  @DateField({ description: 'The requested day; balances are as of its end.', example: '2026-06-30' })
  readonly as_of!: string;
  @ListField(() => CategoryBalance, {
    maximumItems: GROWING_LIST_LENGTH,
    description: 'One for each category that deducts from a balance, by label.',
  })
  readonly balances!: readonly CategoryBalance[];
}

export class BalanceQuery {
  @DateField({
    optional: true,
    description: 'Any day, past or up to 100 years ahead; today by default.',
    example: '2026-06-30',
  })
  readonly as_of?: string;
}

export class CreateAdjustmentRequest {
  @IdField('timeOffCategory', {
    description: 'An active category that deducts from a balance.',
    example: CATEGORY_EXAMPLE,
  })
  readonly category_id!: string;
  @IntegerField({
    minimum: -MAX_ADJUSTMENT_MINUTES,
    maximum: MAX_ADJUSTMENT_MINUTES,
    description: 'Positive or negative; not 0.',
    example: -450,
  })
  readonly amount_minutes!: number;
  @DateField({
    description: 'The day from which it counts: a day of the employment, or after its final day.',
    example: '2026-06-30',
  })
  readonly effective_date!: string;
  @EnumField(ADJUSTMENT_REASONS, { example: 'payout' })
  readonly reason_code!: AdjustmentReason;
  @IdField('balanceAdjustment', {
    optional: true,
    nullable: true,
    description: 'The adjustment that this one reverses: its exact opposite.',
    example: null,
  })
  readonly reverses?: string | null;
}

/** An entry of a person's ledger; entries are reversed, never changed. */
export class AdjustmentResponse {
  @IdField('balanceAdjustment', { example: ADJUSTMENT_EXAMPLE })
  readonly id!: string;
  @ObjectField(() => TimeOffPersonReference)
  readonly person!: TimeOffPersonReference;
  @ObjectField(() => TimeOffCategoryReference)
  readonly category!: TimeOffCategoryReference;
  @IntegerField({ minimum: -MAX_ADJUSTMENT_MINUTES, maximum: MAX_ADJUSTMENT_MINUTES, example: -450 })
  readonly amount_minutes!: number;
  @DateField({ example: '2026-06-30' })
  readonly effective_date!: string;
  @EnumField(ADJUSTMENT_REASONS, { example: 'payout' })
  readonly reason_code!: string;
  @IdField('balanceAdjustment', {
    nullable: true,
    description: 'The adjustment that this one reverses.',
    example: null,
  })
  readonly reverses!: string | null;
  @DateTimeField()
  readonly created_at!: string;
}
