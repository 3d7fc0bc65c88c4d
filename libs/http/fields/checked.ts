import type { Issue } from '#kernel/rejection.js';
import { HttpError } from '../errors.js';

/** What came of checking a body, a query or path parameters: the value, and everything that is wrong with it. */
export interface Checked<Value = unknown> {
  readonly value: Value;
  /** What makes the request invalid (400). */
  readonly issues: readonly Issue[];
  /** Ids that cannot exist (404), which only counts once the request is valid and no earlier answer is stored. */
  readonly unknownIds: readonly Issue[];
}

/** Throws a 400 with all issues at once, where there are any. */
export function assertValid(...checked: readonly Checked[]): void {
  const details = checked.flatMap(({ issues }) => issues);
  if (details.length > 0) throw new HttpError('invalid_request', { details });
}

/** The 404 for ids that cannot exist; null where all could. Those of a query and of a body are named, that of a path is the resource itself. */
export function unknownIdError(path: Checked, ...named: readonly Checked[]): HttpError | null {
  if (path.unknownIds.length > 0) return new HttpError('not_found');
  const details = named.flatMap(({ unknownIds }) => unknownIds);
  return details.length === 0 ? null : new HttpError('not_found', { details });
}
