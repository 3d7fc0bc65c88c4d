/** The caller expects a version of the aggregate that is not the current one (`If-Match`, RFC 9110, section 13.1.1). Nothing is recorded. */
export class ExpectationFailedError extends Error {
  constructor() {
    super('the resource has changed since the caller read it');
    this.name = 'ExpectationFailedError';
  }
}

/** Begins the part of a tag that covers what only this representation shows of the resource, and no write goes by. No other part contains it. */
export const FURTHER_PART = '~';

/** Whether one of the resource's tags is among those that the caller expects; always where the caller expects nothing. */
export function matches(expected: readonly string[] | null, ...currentTags: readonly string[]): boolean {
  return expected === null || expected.some((tag) => currentTags.includes(tag.split(FURTHER_PART, 1)[0]!));
}

/** Throws {@link ExpectationFailedError} unless {@link matches}. */
export function assertMatches(expected: readonly string[] | null, ...currentTags: readonly string[]): void {
  if (!matches(expected, ...currentTags)) throw new ExpectationFailedError();
}
