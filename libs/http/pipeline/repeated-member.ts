/** An object or a list that is open where the scan is. */
interface Open {
  /** The names of the object so far; null for a list. */
  readonly names: Set<string> | null;
  /** The last name of the object. */
  name: string;
  /** Whether the next text is a name. */
  isAtName: boolean;
  /** The place in the list. */
  index: number;
}

/**
 * Returns the path of the first member of a JSON text whose name its object has twice, such as `terms.job_title`; null where there is none.
 * `JSON.parse` keeps the last one silently, and other readers the first (RFC 8259, section 4). The text must be valid JSON. Takes linear time,
 * and a text of any depth.
 */
export function repeatedMember(json: string): string | null {
  const open: Open[] = [];
  for (let at = 0; at < json.length; at += 1) {
    const inside = open.at(-1);
    switch (json.charCodeAt(at)) {
      case QUOTE: {
        const end = endOfText(json, at);
        if (inside?.names && inside.isAtName) {
          inside.name = JSON.parse(json.slice(at, end + 1)) as string;
          inside.isAtName = false;
          if (inside.names.has(inside.name)) return pathOf(open);
          inside.names.add(inside.name);
        }
        at = end;
        break;
      }
      case BRACE:
        open.push({ names: new Set(), name: '', isAtName: true, index: 0 });
        break;
      case BRACKET:
        open.push({ names: null, name: '', isAtName: false, index: 0 });
        break;
      case COMMA:
        inside!.index += 1;
        inside!.isAtName = true;
        break;
      case CLOSING_BRACE:
      case CLOSING_BRACKET:
        open.pop();
    }
  }
  return null;
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [BRACE, CLOSING_BRACE, BRACKET, CLOSING_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];

/** The place of the quotation mark that ends the text which begins here. */
function endOfText(json: string, start: number): number {
  let at = start + 1;
  while (json.charCodeAt(at) !== QUOTE) at += json.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

function pathOf(open: readonly Open[]): string {
  return open
    .map(({ names, name, index }) => (names === null ? `[${index}]` : `.${name}`))
    .join('')
    .replace(/^\./, '');
}
