/** The longest name or label, in characters. */
export const MAXIMUM_NAME_LENGTH = 200;

/** A name as look-ups compare it: Unicode NFKC, without case, runs of white space as one space. Storage format. */
export function nameKey(name: string): string {
  return tidyName(name).normalize('NFKC').toLowerCase();
}

/** A name as it is kept: without white space at its ends, and one space where there were several. */
export function tidyName(name: string): string {
  return name.trim().replace(/\s+/gu, ' ');
}

/** What is wrong with a tidied name, in plain words; null where nothing is. */
export function nameProblem(name: string): string | null {
  if (name === '') return 'must not be blank';
  if ([...name].length > MAXIMUM_NAME_LENGTH) return `must be at most ${MAXIMUM_NAME_LENGTH} characters long`;
  // Control characters and unpaired surrogates: PostgreSQL refuses some of them, and no name has any.
  if (/[\p{Cc}\p{Cs}]/u.test(name)) return 'must not contain control characters';
  return null;
}
