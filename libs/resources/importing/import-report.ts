import type { Issue } from '#kernel/rejection.js';

/** An issue of one field of one line. */
export interface ImportProblem extends Issue {
  readonly line: number;
}

export type RowOutcome = 'created' | 'changed' | 'unchanged';

/** Counts of a running import; each row is counted in exactly one of `created`, `changed`, `unchanged` and `failed`. */
export class ImportReport {
  rows = 0;
  created = 0;
  changed = 0;
  unchanged = 0;
  failed = 0;
  private readonly found: ImportProblem[] = [];

  /** Counts a row that was imported, or would be in a dry run. */
  count(outcome: RowOutcome): void {
    this[outcome] += 1;
  }

  /** Counts a refused row, with all its issues. Called once a row. */
  fail(line: number, issues: readonly Issue[]): void {
    this.failed += 1;
    this.note(line, issues);
  }

  /** Reports an issue of the file itself. */
  note(line: number, issues: readonly Issue[]): void {
    for (const { field, issue } of issues) this.found.push({ line, field, issue });
  }

  /** All problems, in the order of lines. */
  get problems(): readonly ImportProblem[] {
    return this.found.toSorted((one, other) => one.line - other.line);
  }

  /** The number of settled rows. */
  get settled(): number {
    return this.created + this.changed + this.unchanged + this.failed;
  }
}
