import { fieldsOf, type Shape } from '#http/fields/shape.js';
import type { LocalDate } from '#kernel/dates.js';
import { namedFields } from '#kernel/json.js';
import type { Cells } from '#csv-import/cells.js';
import type { FileColumns } from '#csv-import/columns.js';
import { nameProblem, normaliseName } from '#kernel/names.js';
import { CreatePersonRequest, EndPersonRequest } from '../record/people-shapes.js';
import type { Identity } from '../person/person.js';
import type { MatchBy } from './import-settings.js';

const TERM_COLUMNS = [
  'job_title',
  'department',
  'manager',
  'work_place',
  'work_type',
  'contracted_weekly_minutes',
  'full_time_weekly_minutes',
] as const;

/** Columns of a file of people, named like the fields of the API. */
const PEOPLE_COLUMNS = [
  'work_email',
  'staff_id',
  'first_name',
  'preferred_name',
  'last_name',
  'start_date',
  'end_date',
  'effective_date',
  ...TERM_COLUMNS,
] as const;

/** Columns of a file of employment history. */
const HISTORY_COLUMNS = ['staff_id', 'work_email', 'action', 'start_date', 'end_date', ...TERM_COLUMNS] as const;

const PERSON_SYNONYMS = {
  work_email: [
    'email',
    'email address',
    'mail',
    'work email address',
    'company email',
    'business email',
    'user principal name',
  ],
  staff_id: [
    'employee id',
    'employee number',
    'employee no',
    'employee code',
    'emp id',
    'emp no',
    'staff number',
    'staff no',
    'personnel number',
    'personnel no',
    'worker id',
  ],
};

const TERM_SYNONYMS = {
  job_title: ['job', 'job name', 'position', 'position title', 'role'],
  department: ['dept', 'department name', 'org unit', 'organisational unit', 'organizational unit'],
  manager: [
    'line manager',
    'reports to',
    'supervisor',
    'manager email',
    'manager id',
    'manager employee id',
    'manager staff id',
  ],
  work_place: ['office', 'site', 'location', 'work location', 'place of work'],
  work_type: ['employment type', 'contract type', 'type of employment'],
  contracted_weekly_minutes: ['weekly minutes', 'contracted minutes'],
  full_time_weekly_minutes: ['full time minutes'],
};

const END_SYNONYMS = [
  'termination date',
  'leaving date',
  'leave date',
  'last day',
  'last working day',
  'final day',
  'employment end date',
];

/** A file of people. `start_date` is the hire date, so columns of other dates are not aliases of it. */
export const PEOPLE_FILE: FileColumns = {
  columns: PEOPLE_COLUMNS,
  synonyms: {
    ...PERSON_SYNONYMS,
    first_name: ['given name', 'forename', 'legal first name'],
    preferred_name: ['known as', 'nickname', 'preferred first name'],
    last_name: ['surname', 'family name', 'legal last name'],
    start_date: [
      'hire date',
      'date hired',
      'date of hire',
      'hired on',
      'joining date',
      'date of joining',
      'join date',
      'employment start date',
    ],
    end_date: END_SYNONYMS,
    effective_date: ['effective from', 'effective as of', 'valid from', 'as of', 'as of date'],
    ...TERM_SYNONYMS,
  },
  needed: [['work_email']],
};

/** A file of employment history. Its `start_date` is the effective date of a fact, and not a hire date. */
export const HISTORY_FILE: FileColumns = {
  columns: HISTORY_COLUMNS,
  synonyms: {
    ...PERSON_SYNONYMS,
    action: ['event', 'change type'],
    start_date: ['effective date', 'effective from', 'valid from', 'from'],
    end_date: END_SYNONYMS,
    ...TERM_SYNONYMS,
  },
  needed: [['work_email', 'staff_id']],
};

/** Actions of a row of history; without one it is a change. */
const HISTORY_ACTIONS = ['change', 'end', 'reactivate'] as const;
export type HistoryAction = (typeof HISTORY_ACTIONS)[number];

/** Columns that refer to another resource, by its name or its id. */
export const NAMED_COLUMNS = ['department', 'work_place', 'work_type'] as const;
export type NamedColumn = (typeof NAMED_COLUMNS)[number];

/** Terms as written in a file: other resources by name or id. */
export interface WrittenTerms {
  readonly plain: {
    readonly job_title?: string;
    readonly contracted_weekly_minutes?: number;
    readonly full_time_weekly_minutes?: number;
  };
  readonly named: { readonly [Column in NamedColumn]?: string };
  /** A staff_id, an e-mail address or an id. */
  readonly manager: string | null;
}

export interface PeopleRow {
  /** Null only if the staff_id identifies the person, or the row is refused. */
  readonly identity: Identity;
  /** The hire date. */
  readonly startDate: LocalDate | null;
  readonly endDate: LocalDate | null;
  /** The effective date of the terms. */
  readonly effectiveDate: LocalDate | null;
  readonly terms: WrittenTerms;
}

export interface HistoryRow {
  readonly staffId: string | null;
  readonly workEmail: string | null;
  readonly action: HistoryAction;
  /** The effective date; for an end, the inclusive final day. */
  readonly date: LocalDate;
  readonly terms: WrittenTerms;
}

/**
 * Reads a row of people by the API's rules for its fields. Cells are trimmed; empty cells leave the field
 * unchanged.
 *
 * @param key - the column that identifies the person, which may not be empty
 */
export function readPeopleRow(cells: Cells, key: MatchBy = 'work_email'): PeopleRow {
  const identity = namedFields({
    work_email: field(cells, 'work_email'),
    first_name: field(cells, 'first_name'),
    preferred_name: field(cells, 'preferred_name'),
    last_name: field(cells, 'last_name'),
    staff_id: staffId(cells),
  });
  cells.require(key);
  return {
    identity,
    startDate: day(cells, 'start_date'),
    endDate: day(cells, 'end_date'),
    effectiveDate: cells.date('effective_date', SHAPES.get('start_date')!) ?? null,
    terms: termsOf(cells),
  };
}

/** Reads a row of history. */
export function readHistoryRow(cells: Cells): HistoryRow {
  const person = { staffId: staffId(cells) ?? null, workEmail: field(cells, 'work_email') ?? null };
  const startDate = day(cells, 'start_date');
  const endDate = day(cells, 'end_date');
  const action = cells.choice('action', HISTORY_ACTIONS) ?? 'change';
  const terms = termsOf(cells);
  if (person.staffId === null && person.workEmail === null)
    cells.require(cells.knows('work_email') ? 'work_email' : 'staff_id', 'staff_id or work_email is required');
  if (action === 'end') {
    if (endDate === null) cells.require('end_date', 'is required: the final day, inclusive');
    if (startDate !== null) cells.refuse('start_date', 'an end of employment has an end_date only');
    for (const column of TERM_COLUMNS) if (cells.has(column)) cells.refuse(column, 'an end of employment has no terms');
  } else {
    if (startDate === null) cells.require('start_date', 'is required: the effective date');
    if (endDate !== null) cells.refuse('end_date', 'only a row whose action is end has an end_date');
  }
  return { ...person, action, date: (action === 'end' ? endDate : startDate) ?? '', terms };
}

const SHAPES: ReadonlyMap<string, Shape> = new Map(
  [CreatePersonRequest, EndPersonRequest].flatMap((shapeClass) =>
    fieldsOf(shapeClass).map(({ name, shape }) => [name, shape] as const),
  ),
);

function field(cells: Cells, column: string): string | undefined {
  return cells.text(column, SHAPES.get(column)!);
}

function day(cells: Cells, column: 'start_date' | 'end_date'): LocalDate | null {
  return cells.date(column, SHAPES.get(column)!) ?? null;
}

function staffId(cells: Cells): string | undefined {
  return field(cells, 'staff_id') === undefined ? undefined : cells.identifier('staff_id');
}

function termsOf(cells: Cells): WrittenTerms {
  const number = (column: string): number | undefined => cells.integer(column, SHAPES.get(column)!);
  return {
    plain: namedFields({
      job_title: field(cells, 'job_title'),
      contracted_weekly_minutes: number('contracted_weekly_minutes'),
      full_time_weekly_minutes: number('full_time_weekly_minutes'),
    }),
    named: namedFields(Object.fromEntries(NAMED_COLUMNS.map((column) => [column, nameIn(cells, column)]))),
    manager: cells.identifier('manager') ?? null,
  };
}

function nameIn(cells: Cells, column: string): string | undefined {
  const cell = cells.usable(column);
  if (cell === null) return undefined;
  const problem = nameProblem(normaliseName(cell));
  if (problem !== null) cells.refuse(column, problem);
  return normaliseName(cell);
}
