import {
  BooleanField,
  DateField,
  DateTimeField,
  EnumField,
  IdField,
  IntegerField,
  NumberField,
  ObjectField,
  TextField,
} from '#http/fields.js';
import { PageQuery } from '#http/pages.js';
import { PERSON_EXAMPLE } from '../person/person-reference.js';
import { PERSON_STATUSES } from '#kernel/person-statuses.js';

const ORG_UNIT_EXAMPLE = 'org_unit_mQ7x2LkA.9dFs_P0z.Yb3kR8tVw1Qe';
const WORK_PLACE_EXAMPLE = 'wp_Zk4nB8vQ.w2Lp0dXs.Qf6uT1rYc9Hm';
const WORK_TYPE_EXAMPLE = 'wt_c8RtY2mK.p5Vx_7Lq.Jd0sN4gWz3Ba';
const WORKING_PATTERN_EXAMPLE = 'working_pattern_Hs3kV9bT.e1Mq-6Zx.Lr7yC2nPd5Fw';

export class DepartmentReference {
  @IdField('orgUnit', { description: 'Id of the org unit.', example: ORG_UNIT_EXAMPLE })
  readonly id!: string;
  @TextField({ description: 'Its current name.', example: 'Engineering' })
  readonly name!: string;
}

export class ManagerReference {
  @IdField('person', { description: 'Id of the manager.', example: 'b3w8n0ez5t6y' })
  readonly id!: string;
  @TextField({ maximumLength: 600, description: 'Their current display name.', example: 'Grace Okafor' })
  readonly display_name!: string;
}

export class WorkPlaceReference {
  @IdField('workPlace', { description: 'Id of the work place.', example: WORK_PLACE_EXAMPLE })
  readonly id!: string;
  @TextField({ description: 'Its current label.', example: 'London office' })
  readonly label!: string;
}

export class WorkTypeReference {
  @IdField('workType', { description: 'Id of the work type.', example: WORK_TYPE_EXAMPLE })
  readonly id!: string;
  @TextField({ description: 'Its current label.', example: 'Full-time' })
  readonly label!: string;
}

export class WorkingPatternReference {
  @IdField('workingPattern', { description: 'Id of the working pattern.', example: WORKING_PATTERN_EXAMPLE })
  readonly id!: string;
  @TextField({ description: 'Its current label.', example: 'Monday to Friday' })
  readonly label!: string;
}

/** A person for every key with people:read (contract part 2, "Person"). */
export class PersonResponse {
  @IdField('person', { description: 'Id of the person in this organisation.', example: PERSON_EXAMPLE })
  readonly id!: string;
  @TextField({
    format: 'email',
    maximumLength: 254,
    description:
      'Unique within the organisation, ignoring case; erased@erased.invalid if the personal data of the person was ' +
      'erased.',
    example: 'ada.byron@example.com',
  })
  readonly work_email!: string;
  @TextField({ nullable: true, example: 'Augusta' })
  readonly first_name!: string | null;
  @TextField({ nullable: true, example: 'Ada' })
  readonly preferred_name!: string | null;
  @TextField({ nullable: true, example: 'Byron' })
  readonly last_name!: string | null;
  @TextField({
    maximumLength: 600,
    description: 'Preferred or first name, then last name; the e-mail address without either.',
    example: 'Ada Byron',
  })
  readonly display_name!: string;
  @TextField({ nullable: true, example: 'E-1042' })
  readonly staff_id!: string | null;
  @TextField({ nullable: true, example: 'Staff Engineer' })
  readonly job_title!: string | null;
  @ObjectField(() => DepartmentReference, { nullable: true })
  readonly department!: DepartmentReference | null;
  @ObjectField(() => ManagerReference, { nullable: true })
  readonly manager!: ManagerReference | null;
  @ObjectField(() => WorkPlaceReference, { nullable: true })
  readonly work_place!: WorkPlaceReference | null;
  @ObjectField(() => WorkTypeReference, { nullable: true })
  readonly work_type!: WorkTypeReference | null;
  @ObjectField(() => WorkingPatternReference, { nullable: true })
  readonly working_pattern!: WorkingPatternReference | null;
  @IntegerField({ minimum: 0, maximum: 10_080, nullable: true, example: 2250 })
  readonly contracted_weekly_minutes!: number | null;
  @IntegerField({ minimum: 1, maximum: 10_080, nullable: true, example: 2250 })
  readonly full_time_weekly_minutes!: number | null;
  @NumberField({
    minimum: 0,
    nullable: true,
    description: 'Contracted divided by full-time minutes, to four decimals.',
    example: 1,
  })
  readonly fte!: number | null;
  @EnumField(PERSON_STATUSES, {
    nullable: true,
    description: 'Whether an end is recorded. The terms in force on a day depend on the dates.',
    example: 'active',
  })
  readonly status!: string | null;
  @DateField({ nullable: true, description: 'First day of the period of these terms.', example: '2021-03-01' })
  readonly start_date!: string | null;
  @DateField({ nullable: true, description: 'Final day, inclusive.', example: null })
  readonly end_date!: string | null;
  @DateTimeField({ example: '2021-02-11T09:30:00.000Z' })
  readonly created_at!: string;
  @DateTimeField({ example: '2024-06-03T07:12:45.310Z' })
  readonly updated_at!: string;
}

export class PeopleQuery extends PageQuery {
  @DateTimeField({
    optional: true,
    description:
      'Inclusive: only items changed since then, in the order of change. Pass the largest updated_at seen next time.',
    example: '2024-06-01T00:00:00.000Z',
  })
  readonly updated_since?: string;
  @EnumField(['updated_at_desc', 'name', 'start_date'], {
    optional: true,
    description:
      'Most recently updated first, by display name, or by first day. Default: in the order of creation; with q or ' +
      'as_of by display name.',
    example: 'updated_at_desc',
  })
  readonly sort?: 'updated_at_desc' | 'name' | 'start_date';
  @TextField({
    minimumLength: 1,
    maximumLength: 100,
    optional: true,
    description: 'Beginnings of names, of the address or staff id; without a match, similar names.',
    example: 'ada',
  })
  readonly q?: string;
  @EnumField(PERSON_STATUSES, { optional: true, description: 'Not with as_of.', example: 'active' })
  readonly status?: string;
  @IdField('orgUnit', { optional: true, description: 'People of this org unit.', example: ORG_UNIT_EXAMPLE })
  readonly department_id?: string;
  @BooleanField({
    optional: true,
    description: 'With department_id: also people of the units below it.',
    example: true,
  })
  readonly include_units?: boolean;
  @BooleanField({
    optional: true,
    description: 'Only people who belong to no org unit. Not with department_id.',
    example: true,
  })
  readonly without_department?: boolean;
  @IdField('person', { optional: true, description: 'Direct reports of this person.', example: 'b3w8n0ez5t6y' })
  readonly manager_id?: string;
  @IdField('workPlace', { optional: true, description: 'People of this work place.', example: WORK_PLACE_EXAMPLE })
  readonly work_place_id?: string;
  @TextField({
    format: 'email',
    maximumLength: 254,
    optional: true,
    description: 'Ignoring case.',
    example: 'ada.byron@example.com',
  })
  readonly work_email?: string;
  @TextField({ optional: true, description: 'Exactly.', example: 'E-1042' })
  readonly staff_id?: string;
  @DateField({
    optional: true,
    description:
      'People who worked here on this day, each with the terms and the period of that day. Names are those of today. ' +
      'Not with updated_since, status, or a sort other than name.',
    example: '2023-07-01',
  })
  readonly as_of?: string;
  @DateTimeField({
    optional: true,
    description:
      'As it was known at this time, inclusive; as_of is today by default. Facts that are being recorded at this ' +
      'moment may be missing.',
    example: '2024-01-01T00:00:00.000Z',
  })
  readonly known_at?: string;
}

export class ReportsQuery extends PageQuery {
  @EnumField(['direct', 'all'], {
    optional: true,
    description: 'all: also the reports of reports; direct by default.',
    example: 'all',
  })
  readonly depth?: 'direct' | 'all';
}

/** A person who reports to another, directly or through others. */
export class ReportResponse {
  @IntegerField({ minimum: 1, description: '1 for a direct report, 2 for a report of one, and so on.', example: 1 })
  readonly depth!: number;
  @ObjectField(() => PersonResponse)
  readonly person!: PersonResponse;
}

/** The terms that a write may contain; null clears one, an absent term carries forward. */
export class TermsRequest {
  @TextField({ nullable: true, optional: true, example: 'Principal Engineer' })
  readonly job_title?: string | null;
  @IdField('orgUnit', { nullable: true, optional: true, description: 'Id of an org unit.', example: ORG_UNIT_EXAMPLE })
  readonly department_id?: string | null;
  @IdField('person', {
    nullable: true,
    optional: true,
    description: 'Id of the manager, another person.',
    example: 'b3w8n0ez5t6y',
  })
  readonly manager_id?: string | null;
  @IdField('workPlace', { nullable: true, optional: true, example: WORK_PLACE_EXAMPLE })
  readonly work_place_id?: string | null;
  @IdField('workType', { nullable: true, optional: true, example: WORK_TYPE_EXAMPLE })
  readonly work_type_id?: string | null;
  @IdField('workingPattern', { nullable: true, optional: true, example: WORKING_PATTERN_EXAMPLE })
  readonly working_pattern_id?: string | null;
  @IntegerField({ minimum: 0, maximum: 10_080, nullable: true, optional: true, example: 2250 })
  readonly contracted_weekly_minutes?: number | null;
  @IntegerField({ minimum: 1, maximum: 10_080, nullable: true, optional: true, example: 2250 })
  readonly full_time_weekly_minutes?: number | null;
}

export class CreatePersonRequest extends TermsRequest {
  @TextField({
    format: 'email',
    minimumLength: 3,
    maximumLength: 254,
    description: 'Unique within the organisation, ignoring case.',
    example: 'ada.byron@example.com',
  })
  readonly work_email!: string;
  @TextField({ nullable: true, optional: true, example: 'Augusta' })
  readonly first_name?: string | null;
  @TextField({ nullable: true, optional: true, example: 'Ada' })
  readonly preferred_name?: string | null;
  @TextField({ nullable: true, optional: true, example: 'Byron' })
  readonly last_name?: string | null;
  @TextField({ nullable: true, optional: true, example: 'E-1042' })
  readonly staff_id?: string | null;
  @DateField({
    nullable: true,
    optional: true,
    description: 'First day of employment; may be in the future.',
    example: '2021-03-01',
  })
  readonly start_date?: string | null;
}

export class UpdatePersonRequest {
  @TextField({
    format: 'email',
    minimumLength: 3,
    maximumLength: 254,
    optional: true,
    example: 'ada.lovelace@example.com',
  })
  readonly work_email?: string;
  @TextField({ nullable: true, optional: true, example: 'Augusta' })
  readonly first_name?: string | null;
  @TextField({ nullable: true, optional: true, example: 'Ada' })
  readonly preferred_name?: string | null;
  @TextField({ nullable: true, optional: true, example: 'Lovelace' })
  readonly last_name?: string | null;
  @TextField({ nullable: true, optional: true, example: 'E-1042' })
  readonly staff_id?: string | null;
}

export class EndPersonRequest {
  @DateField({ description: 'The final day, inclusive.', example: '2026-03-31' })
  readonly end_date!: string;
}

export class ReactivatePersonRequest extends TermsRequest {
  @DateField({
    description: 'First day of the new period, after the final day of the prior one.',
    example: '2026-09-01',
  })
  readonly start_date!: string;
}
