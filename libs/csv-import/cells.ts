import { enumeration } from '#http/fields.js';
import { problemOf } from '#http/fields/rules.js';
import type { Shape } from '#http/fields/shape.js';
import { type FieldList, nameOutside, type PlainFields, type ValuesOf } from '#kernel/field-list.js';
import { lineProblem } from '#kernel/plain-text.js';
import type { Issue } from '#kernel/rejection.js';
import { normaliseName } from '#kernel/names.js';
import type { Header } from './columns.js';

/**
 * A whole number, also in the form of programs that write fractions: 2250.0 or 2250,0. Three zeros are
 * refused, because they may be thousands.
 */
const INTEGER_PATTERN = /^(-?\d{1,16})(?:[.,]0{1,2})?$/;
/** A date with the midnight that spreadsheets and data frames add. */
const DATE_AT_MIDNIGHT = /^(\d{4}-\d{2}-\d{2})[T ]00:00(?::00(?:[.,]0+)?)?Z?$/;
/** Digits that a program has read as a number and written with a fraction. */
const DIGITS_WITH_FRACTION = /^(\d+)\.0$/;
/** Characters by which spreadsheets wrap a long text within its cell. */
const WRAPPING = /[\t\r\n]+/u;

/**
 * The cells of one row by their columns, trimmed and with runs of spaces collapsed, and their issues. Empty
 * cells leave the field unchanged. A cell is a text of one line: wrapped lines are joined with a space, and
 * other characters that a line must not contain are refused, whatever the type of the cell.
 */
export class Cells {
  private readonly cells: ReadonlyMap<string, string>;
  private readonly found: Issue[] = [];

  constructor(
    private readonly header: Header,
    cells: readonly string[],
  ) {
    const hasMore = cells.slice(header.length).some((cell) => cell.trim() !== '');
    if (cells.length < header.length || hasMore)
      this.refuse('row', `has ${cells.length} cells, and the header has ${header.length}`);
    const named = header.flatMap((name, index) =>
      name === null || name === '' ? [] : [[name, unwrapped(cells[index] ?? '')] as const],
    );
    this.cells = new Map(named.filter(([, cell]) => cell !== ''));
    for (const [name, cell] of this.cells) {
      const problem = lineProblem(cell);
      if (problem !== null) this.refuse(name, problem);
    }
  }

  get issues(): readonly Issue[] {
    return this.found;
  }

  /** Whether the file has the column. */
  knows(column: string): boolean {
    return this.header.includes(column);
  }

  has(column: string): boolean {
    return this.cells.has(column);
  }

  /** The text of a cell, of which only the characters were checked; undefined if it is empty. */
  raw(column: string): string | undefined {
    return this.cells.get(column);
  }

  /** The text of a valid cell; null for one that is empty or was refused. */
  usable(column: string): string | null {
    return this.wasRefused(column) ? null : (this.cells.get(column) ?? null);
  }

  refuse(column: string, issue: string): void {
    this.found.push({ field: column, issue });
  }

  /** Reports an empty cell, unless its content was already refused. */
  require(column: string, issue = 'is required'): void {
    if (!this.has(column)) this.refuse(column, issue);
  }

  /** The fields of a plain resource that the row names, as they are stored; their issues are reported. */
  fields<Fields extends PlainFields>(list: FieldList<Fields>): Partial<ValuesOf<Fields>> {
    const named = Object.entries(list.fields).flatMap(([name, { kind }]) => {
      const cell = this.usable(nameOutside(list, name));
      return cell === null ? [] : [[name, kind === 'integer' ? (parseInteger(cell) ?? Number.NaN) : cell] as const];
    });
    const fields = list.normalise(Object.fromEntries(named) as Partial<ValuesOf<Fields>>);
    for (const { field, issue } of list.issues(fields)) this.refuse(nameOutside(list, field), issue);
    return fields;
  }

  /** The text of a cell, checked by the API's rule for the field; undefined if it is empty or was refused. */
  text(column: string, shape: Shape): string | undefined {
    return this.checked(column, shape, (cell) => cell) as string | undefined;
  }

  /** The same for a whole number; 2250.0 is one. */
  integer(column: string, shape: Shape): number | undefined {
    return this.checked(column, shape, (cell) => parseInteger(cell) ?? cell) as number | undefined;
  }

  /** The same for a date; its midnight may follow, as in 2025-03-04 00:00:00. */
  date(column: string, shape: Shape): string | undefined {
    return this.checked(column, shape, (cell) => DATE_AT_MIDNIGHT.exec(cell)?.[1] ?? cell) as string | undefined;
  }

  /** The same for one of several values, ignoring case, or a synonym of one. */
  choice<Value extends string>(
    column: string,
    values: readonly Value[],
    words: Readonly<Record<string, Value>> = {},
  ): Value | undefined {
    const read = (cell: string): string => {
      const word = cell.toLowerCase();
      return Object.hasOwn(words, word) ? words[word]! : word;
    };
    return this.checked(column, enumeration(values), read) as Value | undefined;
  }

  /**
   * The same for an identifier that may consist of digits, which data frames write with a fraction: 1001.0 is
   * 1001.
   */
  identifier(column: string): string | undefined {
    const cell = this.raw(column);
    return cell === undefined ? undefined : (DIGITS_WITH_FRACTION.exec(cell)?.[1] ?? cell);
  }

  private wasRefused(column: string): boolean {
    return this.found.some(({ field }) => field === column);
  }

  private checked(column: string, shape: Shape, read: (cell: string) => unknown): unknown {
    const cell = this.cells.get(column);
    if (cell === undefined || this.wasRefused(column)) return undefined;
    const value = read(cell);
    const problem = problemOf(shape, value);
    if (problem === null) return value;
    this.refuse(column, problem);
    return undefined;
  }
}

/** The whole number in a cell; null if it contains none. */
function parseInteger(cell: string): number | null {
  const digits = INTEGER_PATTERN.exec(cell)?.[1];
  return digits === undefined ? null : Number(digits);
}

function unwrapped(cell: string): string {
  const lines = cell.split(WRAPPING).map((line) => line.trim());
  return normaliseName(lines.filter((line) => line !== '').join(' '));
}
