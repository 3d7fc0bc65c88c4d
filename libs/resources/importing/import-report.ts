import type { Issue } from '#kernel/rejection.js';

/** What is wrong with one field of one line. */
export interface ImportProblem extends Issue {
  readonly line: number;
}

export type RowOutcome = 'created' | 'changed' | 'unchanged';

/** Counts of an import while it goes on; each row ends up in exactly one of `created`, `changed`, `unchanged` and `failed`. */
export class ImportReport {
  rows = 0;
  created = 0;
  changed = 0;
  unchanged = 0;
  failed = 0;
  private readonly found: ImportProblem[] = [];

  /** Counts a row that came about, or would. */
  count(outcome: RowOutcome): void {
    this[outcome] += 1;
  }

  /** Counts a row that is refused, with everything that is wrong with it. Called once a row. */
  fail(line: number, issues: readonly Issue[]): void {
    this.failed += 1;
    this.note(line, issues);
  }

  /** Something is wrong with the file itself. */
  note(line: number, issues: readonly Issue[]): void {
    for (const { field, issue } of issues) this.found.push({ line, field, issue });
  }

  /** In the order of lines. */
  get problems(): readonly ImportProblem[] {
    return this.found.toSorted((one, other) => one.line - other.line);
  }

  /** Rows that are settled. */
  get settled(): number {
    return this.created + this.changed + this.unchanged + this.failed;
  }
}
