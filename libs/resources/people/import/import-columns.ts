import { problemOf, problemOfCharacters } from '#http/fields/problem.js';
import { fieldsOf, type Shape } from '#http/fields/shape.js';
import type { LocalDate } from '#kernel/dates.js';
import type { Issue } from '#kernel/rejection.js';
import { nameProblem, tidyName } from '../../naming/name-key.js';
import { CreatePersonRequest, EndPersonRequest } from '../people.contract.js';
import type { Identity } from '../person.decider.js';
import type { ImportReport } from './import-report.js';

/** A row of a file, with the line where it begins; the header is line 1. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

const TERM_COLUMNS = ['job_title', 'department', 'manager', 'work_place', 'work_type', 'contracted_weekly_minutes', 'full_time_weekly_minutes'] as const;

/** Columns of a file of people, named like the fields of the API. */
export const PEOPLE_COLUMNS = ['work_email', 'staff_id', 'first_name', 'preferred_name', 'last_name', 'start_date', 'end_date', ...TERM_COLUMNS] as const;

/** Columns of a file of employment history. */
export const HISTORY_COLUMNS = ['staff_id', 'work_email', 'action', 'start_date', 'end_date', ...TERM_COLUMNS] as const;

/** Actions of a row of history; without one it is a change. */
export const HISTORY_ACTIONS = ['change', 'end', 'reactivate'] as const;
export type HistoryAction = (typeof HISTORY_ACTIONS)[number];

/** Columns that name another resource, by its name or its id. */
export const NAMED_COLUMNS = ['department', 'work_place', 'work_type'] as const;
export type NamedColumn = (typeof NAMED_COLUMNS)[number];

/** Terms as a file writes them: other resources by what it calls them. */
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
  /** The effective date; of an end, the inclusive final day. */
  readonly date: LocalDate;
  readonly terms: WrittenTerms;
}

/** A row that can be used, or what is wrong with it. Whom a refused row is about is told as far as it can be known. */
export type ReadRow<Row> =
  | { readonly row: Row }
  | { readonly issues: readonly Issue[]; readonly workEmail: string | null; readonly staffId: string | null };

/** Nothing where every column is known, stands once, and one of those is there that are needed. */
function problemsOfHeader(header: readonly string[], known: readonly string[], needed: readonly string[]): readonly Issue[] {
  const issues: Issue[] = [];
  header.forEach((name, index) => {
    if (!known.includes(name)) issues.push({ field: name, issue: `is not a column of this import; there are ${known.join(', ')}` });
    else if (header.indexOf(name) < index) issues.push({ field: name, issue: 'stands in the header more than once' });
  });
  if (!needed.some((name) => header.includes(name))) issues.push({ field: needed[0]!, issue: `the header needs a column ${needed.join(' or ')}` });
  return issues;
}

/** Takes the header from the rows; null, with everything that is wrong with it reported on line 1, where it cannot be used. */
export async function readHeader(
  rows: AsyncIterator<CsvRow>,
  report: Pick<ImportReport, 'note'>,
  known: readonly string[],
  needed: readonly string[],
): Promise<readonly string[] | null> {
  const first = await rows.next();
  const header = first.done === true ? [] : first.value.cells.map((cell) => cell.trim());
  const issues = problemsOfHeader(header, known, needed);
  report.note(1, issues);
  return issues.length > 0 ? null : header;
}

/** Reads a row of people by the API's own rules for its fields. An empty cell is a field that is not named; cells are trimmed. */
export function readPeopleRow(header: readonly string[], { line, cells }: CsvRow): ReadRow<PeopleRow> {
  const reader = new CellReader(header, cells);
  const work_email = reader.text('work_email');
  if (work_email === undefined) reader.require('work_email');
  const identity = {
    work_email: work_email ?? '',
    ...reader.named({
      first_name: reader.text('first_name'),
      preferred_name: reader.text('preferred_name'),
      last_name: reader.text('last_name'),
      staff_id: reader.text('staff_id'),
    }),
  };
  const row = { line, identity, startDate: reader.text('start_date') ?? null, endDate: reader.text('end_date') ?? null, terms: reader.terms() };
  return reader.result(row);
}

/** Reads a row of history. */
export function readHistoryRow(header: readonly string[], { line, cells }: CsvRow): ReadRow<HistoryRow> {
  const reader = new CellReader(header, cells);
  const staffId = reader.text('staff_id') ?? null;
  const workEmail = reader.text('work_email') ?? null;
  const startDate = reader.text('start_date') ?? null;
  const endDate = reader.text('end_date') ?? null;
  const action = reader.action();
  const terms = reader.terms();
  if (staffId === null && workEmail === null) reader.require(header.includes('work_email') ? 'work_email' : 'staff_id', 'staff_id or work_email is required');
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
const WHOLE_NUMBER = /^-?\d{1,16}$/;

/** The cells of one row, and what turned out to be wrong with them. */
class CellReader {
  private readonly cells: ReadonlyMap<string, string>;
  private readonly issues: Issue[] = [];

  constructor(header: readonly string[], cells: readonly string[]) {
    if (cells.length !== header.length) this.refuse('row', `has ${cells.length} cells where the header has ${header.length}`);
    this.cells = new Map(header.map((name, index) => [name, cells[index]?.trim() ?? ''] as const).filter(([, cell]) => cell !== ''));
  }

  has(column: string): boolean {
    return this.cells.has(column);
  }

  refuse(field: string, issue: string): void {
    this.issues.push({ field, issue });
  }

  /** Reports that the cell is empty, unless what was in it was refused already. */
  require(field: string, issue = 'is required'): void {
    if (!this.has(field)) this.refuse(field, issue);
  }

  text(column: string): string | undefined {
    return this.checked(column, (cell) => cell) as string | undefined;
  }

  action(): HistoryAction {
    const action = this.cells.get('action')?.toLowerCase() ?? 'change';
    if ((HISTORY_ACTIONS as readonly string[]).includes(action)) return action as HistoryAction;
    this.refuse('action', `must be one of: ${HISTORY_ACTIONS.join(', ')}`);
    return 'change';
  }

  terms(): WrittenTerms {
    const number = (column: string): number | undefined =>
      this.checked(column, (cell) => (WHOLE_NUMBER.test(cell) ? Number(cell) : cell)) as number | undefined;
    return {
      plain: this.named({
        job_title: this.text('job_title'),
        contracted_weekly_minutes: number('contracted_weekly_minutes'),
        full_time_weekly_minutes: number('full_time_weekly_minutes'),
      }),
      named: this.named(Object.fromEntries(NAMED_COLUMNS.map((column) => [column, this.name(column)]))),
      manager: this.manager(),
    };
  }

  named<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
    return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
  }

  result<Row>(row: Row): ReadRow<Row> {
    if (this.issues.length === 0) return { row };
    const usable = (column: string): string | null => (this.issues.some(({ field }) => field === column) ? null : (this.cells.get(column) ?? null));
    return { issues: this.issues, workEmail: usable('work_email'), staffId: usable('staff_id') };
  }

  private checked(column: string, read: (cell: string) => unknown): unknown {
    const cell = this.cells.get(column);
    if (cell === undefined) return undefined;
    const value = read(cell);
    const problem = problemOf(SHAPES.get(column)!, value);
    if (problem === null) return value;
    this.refuse(column, problem);
    return undefined;
  }

  private name(column: string): string | undefined {
    const cell = this.cells.get(column);
    if (cell === undefined) return undefined;
    const problem = nameProblem(tidyName(cell));
    if (problem !== null) this.refuse(column, problem);
    return tidyName(cell);
  }

  private manager(): string | null {
    const cell = this.cells.get('manager');
    const problem = cell === undefined ? null : problemOfCharacters(cell);
    if (problem !== null) this.refuse('manager', problem);
    return cell ?? null;
  }
}
