const USAGE =
  /^error: |\bmust\b|\btakes?\b|does not|Nothing to |\bneeds\b|exclude each other|is not a date|replaced as a whole|There is no (?:scope|event type|ring|projection)|is not an option|lies in the past/;
const NOT_FOUND = /^There is no|has no sandbox yet|cannot be read/;

/**
 * The exit code of a command that ends with this sentence (docs/reference/cli.md): wrong usage, not found, or
 * refused.
 */
export function exitCodeOfSentence(sentence: string): number {
  if (USAGE.test(sentence)) return 2;
  return NOT_FOUND.test(sentence) ? 4 : 3;
}
