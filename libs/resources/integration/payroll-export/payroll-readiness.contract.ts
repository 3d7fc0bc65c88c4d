import { BooleanField, EnumField, ListField, ObjectField, TextField } from '#http/fields.js';
import { PayrollPerson } from './payroll-changes.contract.js';
import {
  type Presence,
  PRESENCE_NAMES,
  type PresenceName,
  SEVERITIES,
  type Severity,
  MOST_READINESS_ISSUES,
} from './payroll-readiness.rules.js';

/** Whether each value is recorded; never the value. */
export class PayrollPresence implements Presence {
  @BooleanField()
  readonly staff_id!: boolean;
  @BooleanField()
  readonly work_email!: boolean;
  @BooleanField()
  readonly start_date!: boolean;
  @BooleanField()
  readonly job_title!: boolean;
  @BooleanField()
  readonly department!: boolean;
  @BooleanField()
  readonly manager!: boolean;
  @BooleanField()
  readonly work_type!: boolean;
  @BooleanField()
  readonly contracted_weekly_minutes!: boolean;
  @BooleanField()
  readonly full_time_weekly_minutes!: boolean;
  @BooleanField()
  readonly working_pattern!: boolean;
  @BooleanField({ description: 'From the personal profile.' })
  readonly date_of_birth!: boolean;
  @BooleanField({ description: 'From the personal profile.' })
  readonly home_address!: boolean;
  @BooleanField({ description: 'Whether every required custom field of sensitivity payroll that the API may show has a value.' })
  readonly custom_fields!: boolean;
  @BooleanField({ description: 'By the latest marker of payroll up to today.' })
  readonly compensation!: boolean;
  @BooleanField({ description: 'By the latest marker of payroll up to today.' })
  readonly bank_details!: boolean;
  @BooleanField({ description: 'By the latest marker of payroll up to today.' })
  readonly tax_id!: boolean;
  @BooleanField({ description: 'By the latest marker of payroll up to today.' })
  readonly government_id!: boolean;
}

export class PayrollIssue {
  @EnumField(SEVERITIES, {
    description: 'blocking stops a payroll run for the person, warning makes it doubtful, info is worth knowing.',
    example: 'blocking',
  })
  readonly severity!: Severity;
  @EnumField(PRESENCE_NAMES, { example: 'contracted_weekly_minutes' })
  readonly field!: PresenceName;
  @TextField({
    description: 'A description of the issue, without any value.',
    maximumLength: 20_000,
    example: 'no contracted weekly minutes are recorded',
  })
  readonly issue!: string;
}

/** The data of a person that is present for payroll, and the issues (contract part 4). */
export class PayrollReadinessResponse {
  @ObjectField(() => PayrollPerson)
  readonly person!: PayrollPerson;
  @ObjectField(() => PayrollPresence)
  readonly presence!: PayrollPresence;
  @ListField(() => PayrollIssue, { maximumItems: MOST_READINESS_ISSUES, description: 'The most severe first; empty where there are none.' })
  readonly issues!: readonly PayrollIssue[];
}
