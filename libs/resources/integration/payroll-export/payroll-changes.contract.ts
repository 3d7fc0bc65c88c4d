import {
  BooleanField,
  DateField,
  DateTimeField,
  EnumField,
  enumeration,
  IdField,
  ListField,
  ObjectField,
  TextField,
} from '#http/fields.js';
import { PageQuery } from '#http/pages.js';
import { CHANGE_TYPES, CHANGED_FIELDS, type ChangeType } from './payroll-change.js';
import { LONGEST_WINDOW_DAYS } from './payroll-window.js';

/** A person with the data by which payroll matches them. */
export class PayrollPerson {
  @IdField('person', { description: 'Id of the person in this organisation.', example: '7k2m9qx4hz1c' })
  readonly id!: string;
  @TextField({ maximumLength: 600, description: 'Their current display name.', example: 'Ada Byron' })
  readonly display_name!: string;
  @TextField({ nullable: true, description: 'Their current staff id.', example: 'E-1042' })
  readonly staff_id!: string | null;
}

export class PayrollChangesQuery extends PageQuery {
  @DateField({ description: 'First day of the window, inclusive.', example: '2026-03-01' })
  readonly from!: string;
  @DateField({
    description: `Last day of the window, inclusive; not before from, and at most ${LONGEST_WINDOW_DAYS} days in all.`,
    example: '2026-03-31',
  })
  readonly to!: string;
}

/** One recorded fact for payroll (contract part 4): it shows that something changed, never the new value. */
export class PayrollChangeResponse {
  @IdField('employmentFact', {
    description: 'The fact of the employment history, or the marker of payroll; it never changes, so it identifies the change across runs.',
    example: 'ef_Tq4mZ8xA.b6Kd_P1w.Nc5rV9tYs2Lg',
  })
  readonly fact_id!: string;
  @ObjectField(() => PayrollPerson)
  readonly person!: PayrollPerson;
  @EnumField(CHANGE_TYPES, {
    description: 'The fact that sets the first day of an employment is a starter, whatever its kind.',
    example: 'employment_change',
  })
  readonly change_type!: ChangeType;
  @DateField({ description: 'The day it takes effect; for a leaver the final day, inclusive.', example: '2026-03-16' })
  readonly effective_date!: string;
  @DateField({ nullable: true, description: 'For a correction that replaces a fact: the effective date of that fact.', example: null })
  readonly corrected_effective_date!: string | null;
  @DateTimeField({ description: 'When it was recorded.', example: '2026-04-10T09:12:44.120Z' })
  readonly recorded_at!: string;
  @BooleanField({
    description:
      'Whether it was recorded on a later day, in the time zone of the organisation, than it took effect; for a correction, also than the replaced fact took effect.',
    example: true,
  })
  readonly is_retroactive!: boolean;
  @ListField(enumeration(CHANGED_FIELDS), {
    maximumItems: CHANGED_FIELDS.length,
    description: 'The names of the fields that differ from what was known before.',
    example: ['department', 'contracted_weekly_minutes'],
  })
  readonly changed_fields!: readonly string[];
  @BooleanField({
    description: 'Whether the compensation changed from this day on, as a marker says; the service stores none.',
    example: false,
  })
  readonly compensation_changed!: boolean;
  @BooleanField({
    description: 'Whether bank details changed from this day on, as a marker says; the service stores none.',
    example: false,
  })
  readonly banking_changed!: boolean;
}
