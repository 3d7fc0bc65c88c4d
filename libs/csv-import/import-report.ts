import type { Issue } from '#kernel/rejection.js';

/** An issue of one field of one line. */
export interface ImportProblem extends Issue {
  readonly line: number;
}

/** A change of an existing record by a row, or one that a dry run would make. */
export interface ImportChange {
  readonly line: number;
  /** Identifies the record: the e-mail address of a person, the label of a location. */
  readonly subject: string;
  /** The column. */
  readonly field: string;
  /** The value before, by name for another resource; null for none. */
  readonly before: string | null;
  readonly after: string | null;
  /** The effective date, `YYYY-MM-DD`; null for data without history, such as a name. */
  readonly effective_date: string | null;
}

/** The maximum number of retained changes of one import; all are counted. */
export const MAX_CHANGES = 10_000;

export type RowOutcome = 'created' | 'changed' | 'unchanged';

/**
 * Counts of a running import; each row is counted in exactly one of `created`, `changed`, `unchanged` and
 * `failed`.
 */
export class ImportReport {
  rows = 0;
  created = 0;
  changed = 0;
  unchanged = 0;
  failed = 0;
  private readonly found: ImportProblem[] = [];
  private readonly noted: ImportProblem[] = [];
  private readonly retained: ImportChange[] = [];
  private readonly refusedLines = new Set<number>();
  private changeCount = 0;

  /** Counts an imported row, or one that would be in a dry run. */
  count(outcome: RowOutcome): void {
    this[outcome] += 1;
  }

  /** Counts a refused row, with all its issues. Called once per row. */
  fail(line: number, issues: readonly Issue[]): void {
    this.failed += 1;
    this.refusedLines.add(line);
    this.note(line, issues);
  }

  hasRefused(line: number): boolean {
    return this.refusedLines.has(line);
  }

  /** Reports an issue of the file itself. */
  note(line: number, issues: readonly Issue[]): void {
    for (const { field, issue } of issues) this.found.push({ line, field, issue });
  }

  /** Reports an ignored part of the file that refuses no row. */
  warn(line: number, issues: readonly Issue[]): void {
    for (const { field, issue } of issues) this.noted.push({ line, field, issue });
  }

  /** Reports a change of a row. The first {@link MAX_CHANGES} are retained. */
  describe(changes: readonly ImportChange[]): void {
    this.changeCount += changes.length;
    this.retained.push(...changes.slice(0, MAX_CHANGES - this.retained.length));
  }

  /** The retained changes, in the order of lines. */
  get changes(): readonly ImportChange[] {
    return this.retained.toSorted((one, other) => one.line - other.line);
  }

  /** The number of all changes. */
  get allChanges(): number {
    return this.changeCount;
  }

  /** All warnings, in the order of lines. */
  get warnings(): readonly ImportProblem[] {
    return this.noted.toSorted((one, other) => one.line - other.line);
  }

  /** All problems, in the order of lines. */
  get problems(): readonly ImportProblem[] {
    return this.found.toSorted((one, other) => one.line - other.line);
  }

  /** Whether nothing of the file can be imported: it has no usable header, no rows, or only refused rows. */
  get isRefused(): boolean {
    return this.created + this.changed + this.unchanged === 0;
  }

  /** The number of settled rows. */
  get settled(): number {
    return this.created + this.changed + this.unchanged + this.failed;
  }
}
