import type { Issue } from '#kernel/rejection.js';
import { HttpError } from '../errors.js';

/** What came of checking a body, a query or path parameters: the value, and everything that is wrong with it. */
export interface Checked<Value = unknown> {
  readonly value: Value;
  /** What makes the request invalid (400). */
  readonly issues: readonly Issue[];
}

/** Throws a 400 with all issues at once, where there are any. */
export function assertValid(...checked: readonly Checked[]): void {
  const details = checked.flatMap(({ issues }) => issues);
  if (details.length > 0) throw new HttpError('invalid_request', { details });
}
