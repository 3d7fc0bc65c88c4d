// The only rule about the characters of texts that people enter: names, labels, reasons, values, addresses.
// docs/reference/http.md documents it.

/** Tab, line feed, and carriage return with line feed: the structure of a text of several lines. */
const LINE_STRUCTURE = /\r\n|[\n\t]/g;
/** C0, DEL and C1: invisible characters that terminals, spreadsheets and log readers interpret. */
const CONTROL = /\p{Cc}/u;
const UNPAIRED_SURROGATE = /\p{Surrogate}/u;
/**
 * Line and paragraph separator; embeddings, overrides and isolates, which display a text in another order
 * than the stored one (Unicode Technical Report 36, "Bidirectional Text Spoofing"); byte order mark;
 * interlinear annotation. Joiners (U+200C, U+200D), the zero-width space (U+200B) and direction marks
 * (U+200E, U+200F, U+061C) are allowed: Persian, Indic, Khmer, Arabic and Hebrew names and many emoji need
 * them.
 */
const REORDERING = /[\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]/u;
const NOT_IN_LINE = new RegExp([CONTROL, UNPAIRED_SURROGATE, REORDERING].map(({ source }) => source).join('|'), 'gu');
/** White space and characters that are invisible on their own. */
const BLANK = /^[\s\p{Default_Ignorable_Code_Point}]*$/u;

/** Returns the problem with the characters of a text of one line, in plain words; null if there is none. */
export function lineProblem(text: string): string | null {
  if (UNPAIRED_SURROGATE.test(text)) return 'must not contain unpaired surrogates';
  if (CONTROL.test(text)) return 'must not contain control characters';
  return REORDERING.test(text)
    ? 'must not contain line separators or characters that change the direction of text'
    : null;
}

/** Returns the same for a text of several lines, which may contain tabs and line breaks. */
export function linesProblem(text: string): string | null {
  return lineProblem(text.replace(LINE_STRUCTURE, ' '));
}

/** Whether the text has no visible character. */
export function isBlank(text: string): boolean {
  return BLANK.test(text);
}

/**
 * Returns the caller's text, cut to a length in characters, as a text of one line: U+FFFD replaces each
 * character that lines may not contain.
 */
export function asLine(text: string, maximumLength: number): string {
  return text.slice(0, maximumLength).replace(NOT_IN_LINE, '\ufffd');
}

// The same rules as patterns for clients (ECMA-262, without features that other dialects lack). They accept
// every valid text, and refuse all others except unpaired surrogates, lone carriage returns and texts of
// invisible characters only, which the service refuses.
const OUTSIDE_LINES = String.raw`\u007F-\u009F\u2028-\u202E\u2066-\u2069\uFEFF\uFFF9-\uFFFB`;
const OUTSIDE_LINE = String.raw`\u0000-\u001F${OUTSIDE_LINES}`;
const OUTSIDE_STRUCTURE = String.raw`\u0000-\u0008\u000B\u000C\u000E-\u001F${OUTSIDE_LINES}`;

export const LINE_PATTERN = `^[^${OUTSIDE_LINE}]*$`;
export const LINES_PATTERN = `^[^${OUTSIDE_STRUCTURE}]*$`;
export const VISIBLE_LINE_PATTERN = visible(OUTSIDE_LINE);
export const VISIBLE_LINES_PATTERN = visible(OUTSIDE_STRUCTURE);

/**
 * White space, a visible character, and the rest: each character matches in one way, so that matching takes
 * linear time.
 */
function visible(outside: string): string {
  return String.raw`^[^\S${outside}]*[^\s${outside}][^${outside}]*$`;
}
