/** How a text separates its cells. */
export interface Dialect {
  readonly delimiter: string;
  /** The lines before the header: one if the text begins with a line `sep=…`, otherwise none. */
  readonly linesBefore: 0 | 1;
}

const DELIMITERS = [',', ';', '\t', '|'] as const;
/** The line by which Excel writes and reads the delimiter of a file. */
const SEPARATOR_LINE = /^"?sep=([^"\p{L}\p{N}\s]|\t)"?[ \t]*$/iu;
const QUOTED = /"(?:[^"]|"")*"?/g;

/**
 * Detects the delimiter from the first lines of a text: the line `sep=…`, otherwise the character of comma,
 * semicolon, tab and vertical bar that the header contains most often outside of quotation marks; a comma if
 * it contains none.
 */
export function dialectOf(firstLines: string): Dialect {
  const [first = ''] = firstLines.split(/\r\n|\n|\r/, 1);
  const named = SEPARATOR_LINE.exec(first)?.[1];
  if (named !== undefined) return { delimiter: named, linesBefore: 1 };
  const plain = first.replace(QUOTED, '');
  const counts = DELIMITERS.map((delimiter) => plain.split(delimiter).length);
  return { delimiter: DELIMITERS[counts.indexOf(Math.max(...counts))]!, linesBefore: 0 };
}
