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
export const KINDS: Readonly<
  Record<
    Kind,
    { readonly label: string; readonly hint: string; readonly columns: readonly string[]; readonly isNaming: boolean }
  >
> = {
  people: {
    label: 'People',
    hint:
      'One person a row, by their work e-mail address. A row may name a person of another row as manager. ' +
      'start_date is the hire date.',
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
    label: 'Employment history',
    hint: 'One fact a row: a change, an end or a return of a person who is there already.',
    columns: ['work_email', 'staff_id', 'action', 'start_date', 'end_date', ...TERMS],
    isNaming: true,
  },
  time_off: {
    label: 'Time off',
    hint: 'One record a row, requested by the rules of the organisation and moved to its status.',
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
    label: 'Locations',
    hint: 'One location a row, by its label.',
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

/** A state in the words of the screen, with its colour. */
export const STATES: Readonly<Record<State, { readonly label: string; readonly color: string }>> = {
  check_queued: { label: 'Waits to be checked', color: 'gray' },
  checking: { label: 'Being checked', color: 'blue' },
  checked: { label: 'Checked', color: 'indigo' },
  queued: { label: 'Waits to be imported', color: 'gray' },
  importing: { label: 'Being imported', color: 'blue' },
  imported: { label: 'Imported', color: 'teal' },
  refused: { label: 'Nothing imported', color: 'red' },
  cancelled: { label: 'Cancelled', color: 'gray' },
  failed: { label: 'Failed', color: 'red' },
  expired: { label: 'Expired', color: 'gray' },
};

const MOVING: ReadonlySet<State> = new Set<State>(['check_queued', 'checking', 'queued', 'importing']);

/** Whether a worker has it, or will have it without another step of the user. */
export const isMoving = (state: State): boolean => MOVING.has(state);
