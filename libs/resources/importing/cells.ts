import { problemOf } from '#http/fields/problem.js';
import type { Shape } from '#http/fields/shape.js';
import type { Issue } from '#kernel/rejection.js';

const WHOLE_NUMBER = /^-?\d{1,16}$/;

/** The cells of one row by their columns, trimmed, and what turned out to be wrong with them. An empty cell is a field that is not named. */
export class Cells {
  private readonly cells: ReadonlyMap<string, string>;
  private readonly found: Issue[] = [];

  constructor(header: readonly string[], cells: readonly string[]) {
    if (cells.length !== header.length) this.refuse('row', `has ${cells.length} cells where the header has ${header.length}`);
    this.cells = new Map(header.map((name, index) => [name, cells[index]?.trim() ?? ''] as const).filter(([, cell]) => cell !== ''));
  }

  get issues(): readonly Issue[] {
    return this.found;
  }

  has(column: string): boolean {
    return this.cells.has(column);
  }

  /** The text of a cell as it stands there, unchecked; undefined where it is empty. */
  raw(column: string): string | undefined {
    return this.cells.get(column);
  }

  /** The same of a cell that is known to be good; null for one that is empty or was refused. */
  usable(column: string): string | null {
    return this.found.some(({ field }) => field === column) ? null : (this.cells.get(column) ?? null);
  }

  refuse(column: string, issue: string): void {
    this.found.push({ field: column, issue });
  }

  /** Reports that the cell is empty, unless what was in it was refused already. */
  require(column: string, issue = 'is required'): void {
    if (!this.has(column)) this.refuse(column, issue);
  }

  /** The cell by the API's own rule for such a field; undefined where it is empty, or was refused. */
  text(column: string, shape: Shape): string | undefined {
    return this.checked(column, shape, (cell) => cell) as string | undefined;
  }

  /** The same of a whole number. */
  integer(column: string, shape: Shape): number | undefined {
    return this.checked(column, shape, (cell) => (WHOLE_NUMBER.test(cell) ? Number(cell) : cell)) as number | undefined;
  }

  private checked(column: string, shape: Shape, read: (cell: string) => unknown): unknown {
    const cell = this.cells.get(column);
    if (cell === undefined) return undefined;
    const value = read(cell);
    const problem = problemOf(shape, value);
    if (problem === null) return value;
    this.refuse(column, problem);
    return undefined;
  }
}
