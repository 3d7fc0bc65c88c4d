/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** A JSON object: the shape of event data and of request bodies. */
export type JsonObject = { readonly [name: string]: Json };

/**
 * Writes JSON with object members in code-unit order of their names (RFC 8785, section 3.2.3), so that equal
 * bodies have the same text. Used for idempotency fingerprints and for the hash chain over events.
 */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) text += `${text === '' ? '' : ','}${canonicalJson(item)}`;
    return `[${text}]`;
  }
  const object = value as JsonObject;
  for (const name of Object.keys(object).sort()) {
    const member = object[name];
    if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

/** The maximum nesting of arrays and objects in JSON from outside. Valid input has at most a dozen levels. */
export const MAX_JSON_DEPTH = 64;

/** The text is nested more deeply than {@link MAX_JSON_DEPTH}. */
export class DeepJsonError extends Error {
  constructor() {
    super(`JSON is nested more than ${MAX_JSON_DEPTH} levels deep`);
    this.name = 'DeepJsonError';
  }
}

/**
 * Parses JSON from outside. Code that walks a value recurses once per level, so a deep value would exhaust
 * the stack: it is refused before anything walks it. Throws {@link DeepJsonError}, and `SyntaxError` for
 * invalid JSON.
 */
export function parseJson(text: string): unknown {
  if (isNestedDeeper(text, MAX_JSON_DEPTH)) throw new DeepJsonError();
  return JSON.parse(text);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** One pass over the brackets; those inside strings are skipped. */
function isNestedDeeper(text: string, levels: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (OPENING.has(code)) depth += 1;
    else if (CLOSING.has(code)) depth -= 1;
    if (depth > levels) return true;
  }
  return false;
}

/** The position of the quotation mark that ends a string; the length of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    // A pair of backslashes is one backslash of the text; a single one escapes the mark.
    if ((at - before) % 2 === 1) return at;
  }
  return text.length;
}

/** An object or a list that is open at the scan position. */
interface Open {
  /** The names of the object so far; null for a list. */
  readonly names: Set<string> | null;
  /** The last name of the object. */
  name: string;
  /** Whether the next text is a name. */
  isAtName: boolean;
  /** The index in the list. */
  index: number;
}

/**
 * Returns the path of the first member of a JSON text whose name its object contains twice, such as
 * `terms.job_title`; null if there is none. `JSON.parse` keeps the last one silently, and other readers the
 * first (RFC 8259, section 4). The text must be valid JSON. Takes linear time, at any depth.
 */
export function repeatedMember(json: string): string | null {
  const open: Open[] = [];
  for (let at = 0; at < json.length; at += 1) {
    const inside = open.at(-1);
    switch (json[at]) {
      case '"': {
        const end = endOfString(json, at);
        if (inside?.names && inside.isAtName) {
          inside.name = JSON.parse(json.slice(at, end + 1)) as string;
          inside.isAtName = false;
          if (inside.names.has(inside.name)) return pathOf(open);
          inside.names.add(inside.name);
        }
        at = end;
        break;
      }
      case '{':
        open.push({ names: new Set(), name: '', isAtName: true, index: 0 });
        break;
      case '[':
        open.push({ names: null, name: '', isAtName: false, index: 0 });
        break;
      case ',':
        inside!.index += 1;
        inside!.isAtName = true;
        break;
      case '}':
      case ']':
        open.pop();
    }
  }
  return null;
}

function pathOf(open: readonly Open[]): string {
  return open
    .map(({ names, name, index }) => (names === null ? `[${index}]` : `.${name}`))
    .join('')
    .replace(/^\./, '');
}

/** Returns the given fields of an object: undefined means that a field was not given, null that it was. */
export function namedFields<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as ReturnType<
    typeof namedFields<Fields>
  >;
}

/**
 * Returns the given fields whose value differs from the current one, compared as JSON; null if none differs.
 */
export function changesOf<Fields extends object>(named: Partial<Fields>, current: Fields): Partial<Fields> | null {
  const names = Object.keys(named) as (keyof Fields)[];
  const differing = names.filter((name) => named[name] !== undefined && !isSame(named[name], current[name]));
  return differing.length === 0
    ? null
    : (Object.fromEntries(differing.map((name) => [name, named[name]])) as Partial<Fields>);
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || canonicalJson(one as Json) === canonicalJson(other as Json);
}
