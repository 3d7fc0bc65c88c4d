/** Fields of answers in the order of contract part 2 and docs/reference/people-and-employment.md. */
export const PERSON_FIELDS = [
  'id',
  'work_email',
  'first_name',
  'preferred_name',
  'last_name',
  'display_name',
  'staff_id',
  'job_title',
  'department',
  'manager',
  'work_place',
  'work_type',
  'working_pattern',
  'contracted_weekly_minutes',
  'full_time_weekly_minutes',
  'fte',
  'status',
  'start_date',
  'end_date',
  'created_at',
  'updated_at',
];
export const TERM_FIELDS = [
  'job_title',
  'department',
  'manager',
  'work_place',
  'work_type',
  'working_pattern',
  'contracted_weekly_minutes',
  'full_time_weekly_minutes',
];
export const EMPLOYMENT_FIELDS = [
  'person_id',
  'fact_id',
  ...TERM_FIELDS,
  'fte',
  'effective_from',
  'effective_to',
  'period_start_date',
  'period_end_date',
  'timeline_version',
  'updated_at',
];
export const FACT_FIELDS = [
  'fact_id',
  'action',
  'effective_from',
  'correction_reason',
  'corrects',
  'corrected_by',
  'recorded_at',
  'timeline_version',
];
export const SEGMENT_FIELDS = [
  'fact_id',
  'effective_from',
  'effective_to',
  'employed',
  ...TERM_FIELDS,
  'fte',
  'recorded_at',
  'actor',
  'correction_reason',
  'corrects',
];
export const CHANGE_FIELDS = ['effective_from', 'effective_to', 'field', 'before', 'after', 'fact_id', 'recorded_at'];

interface Named {
  readonly id: string;
  readonly name?: string;
  readonly display_name?: string;
  readonly label?: string;
}

export interface Terms {
  readonly job_title: string | null;
  readonly department: Named | null;
  readonly manager: Named | null;
  readonly work_place: Named | null;
  readonly work_type: Named | null;
  readonly working_pattern: Named | null;
  readonly contracted_weekly_minutes: number | null;
  readonly full_time_weekly_minutes: number | null;
  readonly fte: number | null;
}

export interface Person extends Terms {
  readonly id: string;
  readonly work_email: string;
  readonly first_name: string | null;
  readonly preferred_name: string | null;
  readonly last_name: string | null;
  readonly display_name: string;
  readonly staff_id: string | null;
  readonly status: string | null;
  readonly start_date: string | null;
  readonly end_date: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface Employment extends Terms {
  readonly person_id: string;
  readonly fact_id: string;
  readonly effective_from: string | null;
  readonly effective_to: string | null;
  readonly period_start_date: string | null;
  readonly period_end_date: string | null;
  readonly timeline_version: number;
  readonly updated_at: string;
}

export interface Fact extends Partial<Omit<Terms, 'fte'>> {
  readonly fact_id: string;
  readonly action: string;
  readonly withdraws?: boolean;
  readonly effective_from: string | null;
  readonly correction_reason: string | null;
  readonly corrects: string | null;
  readonly corrected_by: string | null;
  readonly recorded_at: string;
  readonly timeline_version: number;
}

export interface Segment extends Terms {
  readonly fact_id: string;
  readonly effective_from: string | null;
  readonly effective_to: string | null;
  readonly employed: boolean;
  readonly recorded_at: string;
  readonly actor: { readonly type: string; readonly id: string };
  readonly correction_reason: string | null;
  readonly corrects: string | null;
}

export interface TimelineChange {
  readonly effective_from: string | null;
  readonly effective_to: string | null;
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly fact_id: string;
  readonly recorded_at: string;
}

export interface Timeline {
  readonly person_id: string;
  readonly timeline_version: number;
  readonly known_at: string | null;
  readonly segments: readonly Segment[];
  readonly changes: readonly TimelineChange[];
  readonly as_of: string;
  readonly employed: boolean;
  readonly segment: Segment | null;
}
