import { isBlank, lineProblem } from './plain-text.js';

/** The maximum length of a name or label, in characters. */
export const MAX_NAME_LENGTH = 200;

/**
 * A name in comparable form: Unicode NFKC, without case, runs of white space as one space. Storage format.
 */
export function nameKey(name: string): string {
  return name.trim().replace(/\s+/gu, ' ').normalize('NFKC').toLowerCase();
}

/**
 * A name in stored form: trimmed, with runs of spaces as one space. Other characters stay, for {@link
 * nameProblem} to check.
 */
export function normaliseName(name: string): string {
  return name.replace(/\p{Space_Separator}+/gu, ' ').replace(/^ | $/g, '');
}

/** The same for an optional text: one without a visible character counts as absent. */
export function normaliseOptional(text: string): string | null {
  const normalised = normaliseName(text);
  return isBlank(normalised) && lineProblem(normalised) === null ? null : normalised;
}

/** The issue of a normalised name; null if it is valid. */
export function nameProblem(name: string): string | null {
  const problem = lineProblem(name);
  if (problem !== null) return problem;
  if (isBlank(name)) return 'must not be blank';
  return [...name].length > MAX_NAME_LENGTH ? `must be at most ${MAX_NAME_LENGTH} characters long` : null;
}
