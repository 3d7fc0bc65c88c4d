import { BooleanField, DateTimeField, EnumField, IdField, IntegerField, TextField, partialOf } from '#http/fields.js';
import { COLOUR_PATTERN, LARGEST_ALLOWANCE_MINUTES, LONGEST_CODE, TIME_OFF_UNITS, type TimeOffUnit } from './time-off-category.rules.js';

const CATEGORY_EXAMPLE = 'toc_kR3vN8dQ.f6Wm-2Ts.Yb7xJ1cGz4Lu';
const LABEL = { minimumLength: 1, maximumLength: 200, description: 'Unique among the active ones, without case.', example: 'Annual leave' };
const CODE = {
  maximumLength: LONGEST_CODE,
  nullable: true,
  description: "The organisation's own short name; unique among the active ones, without case.",
  example: 'AL',
};
const COLOUR = { pattern: { source: COLOUR_PATTERN, words: 'must be a colour as #rrggbb' }, nullable: true, example: '#1f7a4d' };
const STANDARD = {
  description:
    'Whether its records may not overlap other standard time off of the same person. A change applies to records created or changed from then on.',
  example: true,
};
const PAID = { example: true };
const APPROVAL = { description: 'Whether a new record is pending; otherwise it is approved immediately.', example: true };
const UNIT = { description: 'The unit in which people count it. Minutes are stored in either case.', example: 'days' };
const DEDUCTS = { description: 'Whether its records use up a balance.', example: true };
const HOLIDAYS = { description: 'Whether a public holiday inside a record uses up minutes.', example: false };
const MINUTES = { minimum: 0, maximum: LARGEST_ALLOWANCE_MINUTES, nullable: true };
const ALLOWANCE = {
  ...MINUTES,
  description: 'For a whole leave year; null: there is no allowance. A change applies from its day on.',
  example: 12_600,
};
const NEGATIVE = { ...MINUTES, description: 'How far below zero the available balance may go; null: no limit.', example: 0 };

/** A kind of time off (decisions: "Time off"). */
export class TimeOffCategoryResponse {
  @IdField('timeOffCategory', { example: CATEGORY_EXAMPLE })
  readonly id!: string;
  @TextField({ ...LABEL, minimumLength: 0 })
  readonly label!: string;
  @TextField({ ...CODE, minimumLength: 0 })
  readonly code!: string | null;
  @TextField(COLOUR)
  readonly colour!: string | null;
  @BooleanField(STANDARD)
  readonly is_standard!: boolean;
  @BooleanField(PAID)
  readonly paid!: boolean;
  @BooleanField(APPROVAL)
  readonly requires_approval!: boolean;
  @EnumField(TIME_OFF_UNITS, UNIT)
  readonly unit!: TimeOffUnit;
  @BooleanField(DEDUCTS)
  readonly deducts_balance!: boolean;
  @BooleanField(HOLIDAYS)
  readonly counts_public_holidays!: boolean;
  @IntegerField(ALLOWANCE)
  readonly annual_allowance_minutes!: number | null;
  @IntegerField(NEGATIVE)
  readonly negative_balance_minutes!: number | null;
  @BooleanField({ description: 'False once it is archived: new records cannot refer to it.', example: true })
  readonly is_active!: boolean;
  @DateTimeField()
  readonly created_at!: string;
  @DateTimeField()
  readonly updated_at!: string;
}

export class TimeOffCategoryParameters {
  @IdField('timeOffCategory', { description: 'Id of the time-off category.', example: CATEGORY_EXAMPLE })
  readonly categoryId!: string;
}

/**
 * Fields that are left out are as in the examples: approved paid leave in days, without an allowance or a limit. Labels and codes of the
 * examples are of no category of the demo, and those of a change are not those of a creation: both can be sent.
 */
export class CreateTimeOffCategoryRequest {
  @TextField({ ...LABEL, example: 'Study leave' })
  readonly label!: string;
  @TextField({ ...CODE, optional: true, example: 'STUDY' })
  readonly code?: string | null;
  @TextField({ ...COLOUR, optional: true })
  readonly colour?: string | null;
  @BooleanField({ ...STANDARD, optional: true })
  readonly is_standard?: boolean;
  @BooleanField({ ...PAID, optional: true })
  readonly paid?: boolean;
  @BooleanField({ ...APPROVAL, optional: true })
  readonly requires_approval?: boolean;
  @EnumField(TIME_OFF_UNITS, { ...UNIT, optional: true })
  readonly unit?: TimeOffUnit;
  @BooleanField({ ...DEDUCTS, optional: true })
  readonly deducts_balance?: boolean;
  @BooleanField({ ...HOLIDAYS, optional: true })
  readonly counts_public_holidays?: boolean;
  @IntegerField({ ...ALLOWANCE, optional: true })
  readonly annual_allowance_minutes?: number | null;
  @IntegerField({ ...NEGATIVE, optional: true })
  readonly negative_balance_minutes?: number | null;
}

export class UpdateTimeOffCategoryRequest extends partialOf(CreateTimeOffCategoryRequest) {
  @TextField({ ...LABEL, optional: true, example: 'Volunteering leave' })
  override readonly label?: string;
  @TextField({ ...CODE, optional: true, example: 'VOLUNTEER' })
  override readonly code?: string | null;
}
