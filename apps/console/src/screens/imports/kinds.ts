import type { Schemas } from '../../data/client.js';

export type Import = Schemas['ImportResponse'];
export type Kind = Import['kind'];
export type State = Import['state'];

const TERMS = [
  'job_title',
  'department',
  'manager',
  'work_place',
  'work_type',
  'contracted_weekly_minutes',
  'full_time_weekly_minutes',
];

/** What a file may contain, and its columns; the first ones are required. */
export const KINDS: Readonly<Record<Kind, { readonly columns: readonly string[]; readonly isNaming: boolean }>> = {
  people: {
    columns: [
      'work_email',
      'first_name',
      'last_name',
      'start_date',
      'staff_id',
      'preferred_name',
      'end_date',
      'effective_date',
      ...TERMS,
    ],
    isNaming: true,
  },
  employment_history: {
    columns: ['work_email', 'staff_id', 'action', 'start_date', 'end_date', ...TERMS],
    isNaming: true,
  },
  time_off: {
    columns: [
      'work_email',
      'staff_id',
      'category',
      'start_date',
      'end_date',
      'start_day_part',
      'end_day_part',
      'status',
    ],
    isNaming: false,
  },
  locations: {
    columns: [
      'label',
      'address_line_1',
      'address_line_2',
      'address_line_3',
      'city',
      'region_state',
      'postal_code',
      'country',
      'capacity',
    ],
    isNaming: false,
  },
};

/** The colour of each state. */
export const STATES: Readonly<Record<State, string>> = {
  check_queued: 'gray',
  checking: 'blue',
  checked: 'indigo',
  queued: 'gray',
  importing: 'blue',
  imported: 'teal',
  refused: 'red',
  cancelled: 'gray',
  failed: 'red',
  expired: 'gray',
};

const MOVING: ReadonlySet<State> = new Set<State>(['check_queued', 'checking', 'queued', 'importing']);

/** Whether a worker has it, or will have it without another step of the user. */
export const isMoving = (state: State): boolean => MOVING.has(state);
