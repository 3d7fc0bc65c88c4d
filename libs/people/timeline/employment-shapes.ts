import { GROWING_LIST_LENGTH } from '#http/fields/shape.js';
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
  OneOfField,
  TextField,
  integer,
  object,
  text,
  boolean,
} from '#http/fields.js';
import { PageQuery } from '#http/pages.js';
import { ACTOR_TYPES, NamedActorResponse } from '#http/actor.js';
import {
  DepartmentReference,
  ManagerReference,
  TermsRequest,
  WorkingPatternReference,
  WorkPlaceReference,
  WorkTypeReference,
} from '../record/people-shapes.js';

const PERSON_EXAMPLE = '7k2m9qx4hz1c';
const FACT_EXAMPLE = 'ef_Tq8sW1nM.x4Jd_0Rk.Vb6cZ2hLp9Yf';
const REASON_EXAMPLE = 'The promotion letter was dated 1 May.';

/** The effect of a fact (docs/reference/people-and-employment.md). */
const FACT_ACTIONS = ['start', 'change', 'correction', 'end', 'reactivate'] as const;

class PresentedTermsShape {
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
  @NumberField({ minimum: 0, nullable: true, example: 1 })
  readonly fte!: number | null;
}

/** The employment in force (docs/reference/people-and-employment.md). */
export class EmploymentResponse extends PresentedTermsShape {
  @IdField('person', { example: PERSON_EXAMPLE })
  readonly person_id!: string;
  @IdField('employmentFact', { description: 'The fact that is in force.', example: FACT_EXAMPLE })
  readonly fact_id!: string;
  @DateField({ nullable: true, description: 'First day of these terms.', example: '2024-05-01' })
  readonly effective_from!: string | null;
  @DateField({
    nullable: true,
    description: 'First day on which these terms no longer apply; null if open-ended.',
    example: null,
  })
  readonly effective_to!: string | null;
  @DateField({ nullable: true, description: 'First day of the period.', example: '2021-03-01' })
  readonly period_start_date!: string | null;
  @DateField({ nullable: true, description: 'Final day of the period, inclusive.', example: null })
  readonly period_end_date!: string | null;
  @IntegerField({
    minimum: 1,
    description: 'Grows by one with every recorded fact; the entity tag is bound to it.',
    example: 4,
  })
  readonly timeline_version!: number;
  @DateTimeField({ example: '2024-04-22T13:05:11.042Z' })
  readonly updated_at!: string;
}

export class ChangeEmploymentRequest extends TermsRequest {
  @DateField({
    description: 'Effective date: the first day of the change; may be in the past or in the future.',
    example: '2024-05-01',
  })
  readonly start_date!: string;
}

export class RecordFactRequest extends TermsRequest {
  @DateField({
    optional: true,
    description: 'Effective date; for a corrected end, the final day. Required, except with withdraw.',
    example: '2023-05-01',
  })
  readonly start_date?: string;
  @TextField({
    minimumLength: 1,
    maximumLength: 1_000,
    description: 'The reason for the correction; stored with the fact.',
    example: REASON_EXAMPLE,
  })
  readonly correction_reason!: string;
  @IdField('employmentFact', {
    nullable: true,
    optional: true,
    description: 'The fact that this one replaces completely, or withdraws.',
    example: FACT_EXAMPLE,
  })
  readonly corrects?: string | null;
  @BooleanField({
    optional: true,
    description:
      'true: the fact in corrects was recorded by mistake and is withdrawn, which restores the timeline before it. ' +
      'Only with corrects and correction_reason.',
    example: false,
  })
  readonly withdraw?: boolean;
}

/** One immutable fact with its terms. */
export class FactResponse {
  @IdField('employmentFact', { example: FACT_EXAMPLE })
  readonly fact_id!: string;
  @EnumField(FACT_ACTIONS, { example: 'correction' })
  readonly action!: string;
  @BooleanField({
    optional: true,
    description: 'Present, and true, if it withdraws the fact in corrects without a replacement.',
  })
  readonly withdraws?: boolean;
  @DateField({
    nullable: true,
    description: 'Effective date; for an end, the final day; null for a start without a date.',
    example: '2023-05-01',
  })
  readonly effective_from!: string | null;
  @TextField({ nullable: true, optional: true, example: 'Senior Engineer' })
  readonly job_title?: string | null;
  @ObjectField(() => DepartmentReference, { nullable: true, optional: true })
  readonly department?: DepartmentReference | null;
  @ObjectField(() => ManagerReference, { nullable: true, optional: true })
  readonly manager?: ManagerReference | null;
  @ObjectField(() => WorkPlaceReference, { nullable: true, optional: true })
  readonly work_place?: WorkPlaceReference | null;
  @ObjectField(() => WorkTypeReference, { nullable: true, optional: true })
  readonly work_type?: WorkTypeReference | null;
  @ObjectField(() => WorkingPatternReference, { nullable: true, optional: true })
  readonly working_pattern?: WorkingPatternReference | null;
  @IntegerField({ minimum: 0, maximum: 10_080, nullable: true, optional: true, example: 2250 })
  readonly contracted_weekly_minutes?: number | null;
  @IntegerField({ minimum: 1, maximum: 10_080, nullable: true, optional: true, example: 2250 })
  readonly full_time_weekly_minutes?: number | null;
  @TextField({ nullable: true, maximumLength: 1_000, example: REASON_EXAMPLE })
  readonly correction_reason!: string | null;
  @IdField('employmentFact', { nullable: true, description: 'The fact that it replaces or withdraws.', example: null })
  readonly corrects!: string | null;
  @IdField('employmentFact', {
    nullable: true,
    description: 'The fact that replaced or withdrew it.',
    example: null,
  })
  readonly corrected_by!: string | null;
  @DateTimeField({ example: '2024-04-22T13:05:11.042Z' })
  readonly recorded_at!: string;
  @IntegerField({ minimum: 1, description: 'The version of the timeline that it created.', example: 4 })
  readonly timeline_version!: number;
}

export class HistoryQuery extends PageQuery {}

export class TimelineQuery {
  @DateField({ optional: true, description: 'Only the segment in force on this day.', example: '2023-07-01' })
  readonly as_of?: string;
  @DateTimeField({
    optional: true,
    description:
      'As it was known at this time, inclusive: the response never changes. At most 2 seconds ahead; omit it for the ' +
      'current knowledge.',
    example: '2024-01-01T00:00:00.000Z',
  })
  readonly known_at?: string;
  @DateTimeField({
    optional: true,
    description: 'Also returns the changes between this time and known_at (or now). At most 2 seconds ahead.',
    example: '2023-01-01T00:00:00.000Z',
  })
  readonly compare_known_at?: string;
}

class ActorResponse {
  @EnumField(ACTOR_TYPES, { example: 'api_key' })
  readonly type!: string;
  @TextField({ description: 'Id of the API key, or login name of the operator.', example: 'key_8Zq2LmX4' })
  readonly id!: string;
}

/** Terms over a half-open interval of days; a gap has `employed: false` and no terms. */
class IntervalShape extends PresentedTermsShape {
  @IdField('employmentFact', {
    description: 'The fact that began the segment; for a gap, the end.',
    example: FACT_EXAMPLE,
  })
  readonly fact_id!: string;
  @DateField({
    nullable: true,
    description: 'Null if the start of an ended period is not recorded: it is before effective_to.',
    example: '2023-05-01',
  })
  readonly effective_from!: string | null;
  @DateField({ nullable: true, description: 'Exclusive; null if open-ended.', example: '2024-05-01' })
  readonly effective_to!: string | null;
  @BooleanField({ example: true })
  readonly employed!: boolean;
}

/** The terms in force over an interval, with the fact that began it. */
export class SegmentResponse extends IntervalShape {
  @DateTimeField({ example: '2023-04-22T13:05:11.042Z' })
  readonly recorded_at!: string;
  @ObjectField(() => ActorResponse)
  readonly actor!: ActorResponse;
  @ObjectField(() => ActorResponse, {
    optional: true,
    description: 'The approver; only if an AI client proposed it.',
  })
  readonly approved_by?: ActorResponse;
  @TextField({ nullable: true, maximumLength: 1_000, example: null })
  readonly correction_reason!: string | null;
  @IdField('employmentFact', {
    nullable: true,
    description: 'The fact that it supersedes; null if it corrects none.',
    example: null,
  })
  readonly corrects!: string | null;
}

const CHANGE_FIELDS = [
  'employed',
  'job_title',
  'department',
  'manager',
  'work_place',
  'work_type',
  'working_pattern',
  'contracted_weekly_minutes',
  'full_time_weekly_minutes',
] as const;

const CHANGE_VALUES = [
  boolean,
  text(),
  integer({ minimum: 0, maximum: 10_080 }),
  object(() => DepartmentReference),
  object(() => ManagerReference),
  object(() => WorkPlaceReference),
  object(() => WorkTypeReference),
  object(() => WorkingPatternReference),
];

/** One field whose value over an interval differs between the two times. */
export class TimelineChangeResponse {
  @DateField({ nullable: true, description: 'Null as in a segment.', example: '2023-05-01' })
  readonly effective_from!: string | null;
  @DateField({ nullable: true, description: 'Exclusive; null if open-ended.', example: null })
  readonly effective_to!: string | null;
  @EnumField(CHANGE_FIELDS, { example: 'job_title' })
  readonly field!: string;
  @OneOfField(CHANGE_VALUES, { nullable: true, example: 'Engineer' })
  readonly before!: unknown;
  @OneOfField(CHANGE_VALUES, { nullable: true, example: 'Senior Engineer' })
  readonly after!: unknown;
  @IdField('employmentFact', { description: 'The fact that changed it.', example: FACT_EXAMPLE })
  readonly fact_id!: string;
  @DateTimeField({ example: '2024-04-22T13:05:11.042Z' })
  readonly recorded_at!: string;
}

/** The terms that were believed in force over a half-open interval of days, between two recorded times. */
export class BeliefResponse extends IntervalShape {
  @DateTimeField({ description: 'The start of the belief, inclusive.', example: '2023-04-22T13:05:11.042Z' })
  readonly known_from!: string;
  @DateTimeField({
    nullable: true,
    description: 'The end of the belief, exclusive; null if it is current.',
    example: null,
  })
  readonly known_to!: string | null;
}

/** A fact without its terms: its actor, time and reason. */
export class RecordedFactResponse {
  @IdField('employmentFact', { example: FACT_EXAMPLE })
  readonly fact_id!: string;
  @EnumField(FACT_ACTIONS, { example: 'correction' })
  readonly action!: string;
  @BooleanField({
    optional: true,
    description: 'Present, and true, if it withdraws the fact in corrects without a replacement.',
  })
  readonly withdraws?: boolean;
  @DateField({
    nullable: true,
    description: 'Effective date; for an end, the final day; null for a start without a date.',
    example: '2023-05-01',
  })
  readonly effective_from!: string | null;
  @DateTimeField({ example: '2024-04-22T13:05:11.042Z' })
  readonly recorded_at!: string;
  @ObjectField(() => NamedActorResponse)
  readonly actor!: NamedActorResponse;
  @ObjectField(() => NamedActorResponse, {
    optional: true,
    description: 'The approver; only if an AI client proposed it.',
  })
  readonly approved_by?: NamedActorResponse;
  @TextField({ nullable: true, maximumLength: 1_000, example: REASON_EXAMPLE })
  readonly correction_reason!: string | null;
  @IdField('employmentFact', { nullable: true, description: 'The fact that it replaces or withdraws.', example: null })
  readonly corrects!: string | null;
  @IdField('employmentFact', {
    nullable: true,
    description: 'The fact that replaced or withdrew it.',
    example: null,
  })
  readonly corrected_by!: string | null;
  @IntegerField({ minimum: 1, description: 'The version of the timeline that it created.', example: 4 })
  readonly timeline_version!: number;
}

/** Every belief about a person's employment. */
export class BeliefsResponse {
  @IdField('person', { example: PERSON_EXAMPLE })
  readonly person_id!: string;
  @IntegerField({
    minimum: 0,
    description: 'The version of the timeline: 0 before the first fact was recorded.',
    example: 4,
  })
  readonly timeline_version!: number;
  @ListField(() => BeliefResponse, {
    maximumItems: GROWING_LIST_LENGTH,
    description: 'In the order of known_from, then of effective_from.',
  })
  readonly beliefs!: readonly BeliefResponse[];
  @ListField(() => RecordedFactResponse, { maximumItems: GROWING_LIST_LENGTH, description: 'Oldest first.' })
  readonly facts!: readonly RecordedFactResponse[];
}

/** A person's employment over time: whole (`segments`), or on one day (`as_of`, `employed`, `segment`). */
export class TimelineResponse {
  @IdField('person', { example: PERSON_EXAMPLE })
  readonly person_id!: string;
  @IntegerField({
    minimum: 0,
    description: 'The version at that time: 0 before the first fact was recorded.',
    example: 4,
  })
  readonly timeline_version!: number;
  @DateField({ optional: true, example: '2023-07-01' })
  readonly as_of?: string;
  @DateTimeField({ nullable: true, description: 'Null if not requested.', example: null })
  readonly known_at!: string | null;
  @BooleanField({ optional: true, description: 'With as_of.', example: true })
  readonly employed?: boolean;
  @ObjectField(() => SegmentResponse, {
    optional: true,
    nullable: true,
    description: 'With as_of; null before the first day.',
  })
  readonly segment?: SegmentResponse | null;
  @ListField(() => SegmentResponse, {
    maximumItems: GROWING_LIST_LENGTH,
    optional: true,
    description: 'Without as_of; oldest first.',
  })
  readonly segments?: readonly SegmentResponse[];
  @ListField(() => TimelineChangeResponse, {
    maximumItems: GROWING_LIST_LENGTH,
    optional: true,
    description: 'With compare_known_at.',
  })
  readonly changes?: readonly TimelineChangeResponse[];
}
