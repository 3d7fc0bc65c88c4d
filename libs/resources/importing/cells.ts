import { problemOf } from '#http/fields/problem.js';
import type { Shape } from '#http/fields/shape.js';
import { lineProblem } from '#kernel/plain-text.js';
import type { Issue } from '#kernel/rejection.js';
import { normaliseName } from '../naming/name-key.js';

const WHOLE_NUMBER = /^-?\d{1,16}$/;
/** Characters by which spreadsheets wrap a long text within its cell. */
const WRAPPING = /[\t\r\n]+/u;

/**
 * The cells of one row by their columns, trimmed and with runs of blanks as one, and their issues. An empty cell leaves its field unnamed. A cell is a text of one line:
 * wrapped lines are joined with a space, and other characters that a line must not contain are refused, whatever the type of the cell.
 */
export class Cells {
  private readonly cells: ReadonlyMap<string, string>;
  private readonly found: Issue[] = [];

  constructor(header: readonly string[], cells: readonly string[]) {
    if (cells.length !== header.length) this.refuse('row', `has ${cells.length} cells where the header has ${header.length}`);
    this.cells = new Map(header.map((name, index) => [name, unwrapped(cells[index] ?? '')] as const).filter(([, cell]) => cell !== ''));
    for (const [name, cell] of this.cells) {
      const problem = lineProblem(cell);
      if (problem !== null) this.refuse(name, problem);
    }
  }

  get issues(): readonly Issue[] {
    return this.found;
  }

  has(column: string): boolean {
    return this.cells.has(column);
  }

  /** The text of a cell, with only its characters checked; undefined where it is empty. */
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

  /** Reports an empty cell, unless its content was refused already. */
  require(column: string, issue = 'is required'): void {
    if (!this.has(column)) this.refuse(column, issue);
  }

  /** The text of a cell, checked by the API's rule for such a field; undefined where it is empty or was refused. */
  text(column: string, shape: Shape): string | undefined {
    return this.checked(column, shape, (cell) => cell) as string | undefined;
  }

  /** The same for a whole number. */
  integer(column: string, shape: Shape): number | undefined {
    return this.checked(column, shape, (cell) => (WHOLE_NUMBER.test(cell) ? Number(cell) : cell)) as number | undefined;
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

function unwrapped(cell: string): string {
  const lines = cell.split(WRAPPING).map((line) => line.trim());
  return normaliseName(lines.filter((line) => line !== '').join(' '));
}
