import { fieldsOf, type Shape } from '#http/fields/shape.js';
import type { LocalDate } from '#kernel/dates.js';
import { namedFields } from '#kernel/json.js';
import type { Issue } from '#kernel/rejection.js';
import { Cells } from '../../importing/cells.js';
import type { CsvRow } from '../../importing/csv-rows.js';
import { nameProblem, normaliseName } from '../../naming/name-key.js';
import { CreatePersonRequest, EndPersonRequest } from '../people/people.contract.js';
import type { Identity } from '../person/person.decider.js';

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
export const PEOPLE_COLUMNS = [
  'work_email',
  'staff_id',
  'first_name',
  'preferred_name',
  'last_name',
  'start_date',
  'end_date',
  ...TERM_COLUMNS,
] as const;

/** Columns of a file of employment history. */
export const HISTORY_COLUMNS = ['staff_id', 'work_email', 'action', 'start_date', 'end_date', ...TERM_COLUMNS] as const;

/** Actions of a row of history; without one it is a change. */
export const HISTORY_ACTIONS = ['change', 'end', 'reactivate'] as const;
export type HistoryAction = (typeof HISTORY_ACTIONS)[number];

/** Columns that name another resource, by its name or its id. */
export const NAMED_COLUMNS = ['department', 'work_place', 'work_type'] as const;
export type NamedColumn = (typeof NAMED_COLUMNS)[number];

/** Terms as a file writes them: other resources by name or id. */
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
  readonly line: number;
  readonly identity: Identity & { readonly work_email: string };
  readonly startDate: LocalDate | null;
  readonly endDate: LocalDate | null;
  readonly terms: WrittenTerms;
}

export interface HistoryRow {
  readonly line: number;
  readonly staffId: string | null;
  readonly workEmail: string | null;
  readonly action: HistoryAction;
  /** The effective date; for an end, the inclusive final day. */
  readonly date: LocalDate;
  readonly terms: WrittenTerms;
}

/** A valid row, or its issues. A refused row names its person where possible. */
export type ReadRow<Row> =
  { readonly row: Row } | { readonly issues: readonly Issue[]; readonly workEmail: string | null; readonly staffId: string | null };

/** Reads a row of people by the API's rules for its fields. Cells are trimmed; an empty cell leaves its field unnamed. */
export function readPeopleRow(header: readonly string[], { line, cells }: CsvRow): ReadRow<PeopleRow> {
  const reader = new CellReader(header, cells);
  const work_email = reader.field('work_email');
  if (work_email === undefined) reader.require('work_email');
  const identity = {
    work_email: work_email ?? '',
    ...namedFields({
      first_name: reader.field('first_name'),
      preferred_name: reader.field('preferred_name'),
      last_name: reader.field('last_name'),
      staff_id: reader.field('staff_id'),
    }),
  };
  const row = {
    line,
    identity,
    startDate: reader.field('start_date') ?? null,
    endDate: reader.field('end_date') ?? null,
    terms: reader.terms(),
  };
  return reader.result(row);
}

/** Reads a row of history. */
export function readHistoryRow(header: readonly string[], { line, cells }: CsvRow): ReadRow<HistoryRow> {
  const reader = new CellReader(header, cells);
  const staffId = reader.field('staff_id') ?? null;
  const workEmail = reader.field('work_email') ?? null;
  const startDate = reader.field('start_date') ?? null;
  const endDate = reader.field('end_date') ?? null;
  const action = reader.action();
  const terms = reader.terms();
  if (staffId === null && workEmail === null)
    reader.require(header.includes('work_email') ? 'work_email' : 'staff_id', 'staff_id or work_email is required');
  if (action === 'end') {
    if (endDate === null) reader.require('end_date', 'is required: the final day, inclusive');
    if (startDate !== null) reader.refuse('start_date', 'an end of employment has an end_date only');
    for (const column of TERM_COLUMNS) if (reader.has(column)) reader.refuse(column, 'an end of employment names no terms');
  } else {
    if (startDate === null) reader.require('start_date', 'is required: the day from which it holds');
    if (endDate !== null) reader.refuse('end_date', 'only a row whose action is end has an end_date');
  }
  return reader.result({ line, staffId, workEmail, action, date: (action === 'end' ? endDate : startDate) ?? '', terms });
}

const SHAPES: ReadonlyMap<string, Shape> = new Map(
  [CreatePersonRequest, EndPersonRequest].flatMap((shapeClass) => fieldsOf(shapeClass).map(({ name, shape }) => [name, shape] as const)),
);

/** The cells of one row of an import of people. */
class CellReader extends Cells {
  field(column: string): string | undefined {
    return this.text(column, SHAPES.get(column)!);
  }

  action(): HistoryAction {
    const action = this.raw('action')?.toLowerCase() ?? 'change';
    if ((HISTORY_ACTIONS as readonly string[]).includes(action)) return action as HistoryAction;
    this.refuse('action', `must be one of: ${HISTORY_ACTIONS.join(', ')}`);
    return 'change';
  }

  terms(): WrittenTerms {
    const number = (column: string): number | undefined => this.integer(column, SHAPES.get(column)!);
    return {
      plain: namedFields({
        job_title: this.field('job_title'),
        contracted_weekly_minutes: number('contracted_weekly_minutes'),
        full_time_weekly_minutes: number('full_time_weekly_minutes'),
      }),
      named: namedFields(Object.fromEntries(NAMED_COLUMNS.map((column) => [column, this.name(column)]))),
      manager: this.manager(),
    };
  }

  result<Row>(row: Row): ReadRow<Row> {
    if (this.issues.length === 0) return { row };
    return { issues: this.issues, workEmail: this.usable('work_email'), staffId: this.usable('staff_id') };
  }

  private name(column: string): string | undefined {
    const cell = this.usable(column);
    if (cell === null) return undefined;
    const problem = nameProblem(normaliseName(cell));
    if (problem !== null) this.refuse(column, problem);
    return normaliseName(cell);
  }

  private manager(): string | null {
    return this.raw('manager') ?? null;
  }
}
