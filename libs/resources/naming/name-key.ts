import { isBlank, lineProblem } from '#kernel/plain-text.js';

/** The longest name or label, in characters. */
export const MAXIMUM_NAME_LENGTH = 200;

/** A name as look-ups compare it: Unicode NFKC, without case, runs of white space as one space. Storage format. */
export function nameKey(name: string): string {
  return name.trim().replace(/\s+/gu, ' ').normalize('NFKC').toLowerCase();
}

/** A name as it is kept: without spaces at its ends, and one space where there were several. What else is in it stays, for {@link nameProblem} to judge. */
export function normaliseName(name: string): string {
  return name.replace(/\p{Space_Separator}+/gu, ' ').replace(/^ | $/g, '');
}

/** What is wrong with a tidied name, in plain words; null where nothing is. */
export function nameProblem(name: string): string | null {
  const problem = lineProblem(name);
  if (problem !== null) return problem;
  if (isBlank(name)) return 'must not be blank';
  return [...name].length > MAXIMUM_NAME_LENGTH ? `must be at most ${MAXIMUM_NAME_LENGTH} characters long` : null;
}
