// The one rule about the characters of what people type: names, labels, reasons, values, addresses. docs/reference/http.md has it in words.

/** Tab, line feed, and carriage return with line feed: what structures a text of several lines. */
const LINE_STRUCTURE = /\r\n|[\n\t]/g;
/** C0, DEL and C1: no visible character. Terminals, spreadsheets and log readers act on them. */
const CONTROL = /\p{Cc}/u;
const UNPAIRED_SURROGATE = /\p{Surrogate}/u;
/**
 * Line and paragraph separator; embeddings, overrides and isolates, which make a text read otherwise than it is stored (Unicode
 * Technical Report 36, "Bidirectional Text Spoofing"); byte order mark; interlinear annotation. Joiners (U+200C, U+200D), the zero-width space (U+200B) and
 * direction marks (U+200E, U+200F, U+061C) are not among them: Persian, Indic, Khmer, Arabic and Hebrew names and many emoji need them.
 */
const REORDERING = /[\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]/u;
/** White space and characters that show nothing by themselves. */
const BLANK = /^[\s\p{Default_Ignorable_Code_Point}]*$/u;

/** What is wrong with the characters of a text of one line, in plain words; null where nothing is. */
export function lineProblem(text: string): string | null {
  if (UNPAIRED_SURROGATE.test(text)) return 'must not contain unpaired surrogates';
  if (CONTROL.test(text)) return 'must not contain control characters';
  return REORDERING.test(text) ? 'must not contain line separators or characters that change the direction of text' : null;
}

/** The same of a text that may have several lines: tabs and line breaks are part of it. */
export function linesProblem(text: string): string | null {
  return lineProblem(text.replace(LINE_STRUCTURE, ' '));
}

/** Whether nothing of the text can be seen. */
export function isBlank(text: string): boolean {
  return BLANK.test(text);
}
