/** A kind of text that differs from one installation to another, or from one run to another. */
interface Kind {
  /** How pages show it. */
  readonly shown: string;
  /**
   * What is printed in its place; null where that is the same text, unless {@link Meanings.set} says
   * otherwise.
   */
  readonly printed: string | null;
  /** Whether the same text on the page always stands for the same text. */
  readonly isKept: boolean;
}

const SEGMENT = (length: number): string => `[\\w-]{${length}}`;
const ID = `(?:[a-z]+_)+${SEGMENT(8)}\\.${SEGMENT(8)}\\.${SEGMENT(12)}`;

/** In the order in which they are looked for: the more particular ones first. */
const KINDS: readonly Kind[] = [
  { shown: ID, printed: ID, isKept: true },
  { shown: 'req_[\\w-]+\\.[0-9a-z]+', printed: 'req_[\\w-]+\\.[0-9a-z]+', isKept: false },
  {
    shown: 'svc_(?:live|test)_[0-9A-Za-z]*…?[0-9A-Za-z]*',
    printed: 'svc_(?:live|test)_[0-9A-Za-z]+',
    isKept: true,
  },
  // The end of a secret, of which nothing else is shown.
  { shown: '…[\\w+/]{3}=', printed: '…[\\w+/]{3}=', isKept: false },
  {
    shown: '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z',
    printed: '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z',
    isKept: true,
  },
  {
    shown: '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}',
    printed: '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}',
    isKept: true,
  },
  { shown: '\\bp\\d+\\.e\\d+\\.[\\w-]{8}(?:\\.\\d+)?', printed: 'p\\d+\\.e\\d+\\.[\\w-]{8}(?:\\.\\d+)?', isKept: true },
  { shown: '\\bv\\d+\\.[\\w-]{16}', printed: 'v\\d+\\.[\\w-]{16}', isKept: true },
  { shown: '\\bc[\\w-]*-[\\w-]{12,}', printed: 'c[\\w-]*-[\\w-]{12,}', isKept: true },
  { shown: '\\b[0-9a-f]{16,64}\\b', printed: '[0-9a-f]{16,64}', isKept: true },
  // A public key.
  { shown: '\\b(?=[\\w-]*\\d)[\\w-]{43}\\b', printed: '[\\w-]{43}', isKept: true },
  // A word of twelve letters is no person.
  { shown: '\\b(?=[a-z]*\\d)[0-9a-z]{12}\\b', printed: '[0-9a-z]{12}', isKept: true },
  { shown: '\\b\\d{4}-\\d\\d-\\d\\d\\b', printed: null, isKept: true },
  { shown: '127\\.0\\.0\\.1:\\d{4,5}', printed: '127\\.0\\.0\\.1:\\d{4,5}', isKept: true },
  { shown: '\\d+ rows a second', printed: '\\d+ rows a second', isKept: false },
  { shown: '"rows_per_second":\\d+', printed: '"rows_per_second":\\d+', isKept: false },
  { shown: '\\b\\d+(?:\\.\\d+)? (?:ms|s)\\b', printed: '\\d+(?:\\.\\d+)? (?:ms|s)', isKept: false },
];

const ANY = new RegExp(KINDS.map(({ shown }) => `(${shown})`).join('|'), 'g');

/** What stands in this run for what a page shows: ids, keys, times, tags, ports. */
export class Meanings {
  private readonly meanings = new Map<string, string>();

  /** States what a text of the page stands for. */
  set(shown: string, meaning: string): void {
    this.meanings.set(shown, meaning);
  }

  /** A command of the page, with what it stands for in this run. */
  typed(command: string): string {
    const known = [...this.meanings.keys()].sort((one, other) => other.length - one.length);
    if (known.length === 0) return command;
    return command.replace(new RegExp(known.map(escaped).join('|'), 'g'), (shown) => this.meanings.get(shown)!);
  }

  /**
   * Compares what was printed with what the page shows, where `…` stands for anything on the line and a line
   * of it for any lines. Learns what its ids, times and the like stand for. Returns whether they agree.
   */
  agrees(shown: string, printed: string): boolean {
    const learnt: string[] = [];
    const pattern = shown
      .split('\n')
      .map((line) => (line.trim() === '…' ? '[^]*?' : this.patternOf(line, learnt)))
      .join('\n')
      .replaceAll('\n[^]*?\n', '\n(?:[^]*?\n)?')
      .replace(/^\[\^\]\*\?\n/, '(?:[^]*?\n)?')
      .replace(/\n\[\^\]\*\?$/, '(?:\n[^]*?)?');
    const match = new RegExp(`^${pattern}$`).exec(tidy(printed));
    if (match === null) return false;
    for (const [index, token] of learnt.entries()) this.set(token, match[index + 1]!);
    return true;
  }

  private patternOf(text: string, learnt: string[]): string {
    let pattern = '';
    let end = 0;
    for (const match of text.matchAll(ANY)) {
      const kind = KINDS[match.slice(1).findIndex((group) => group !== undefined)]!;
      pattern += anything(text.slice(end, match.index)) + this.patternOfToken(match[0], kind, learnt);
      end = match.index + match[0].length;
    }
    return pattern + anything(text.slice(end));
  }

  private patternOfToken(token: string, { printed, isKept }: Kind, learnt: string[]): string {
    if (!isKept) return `(?:${printed!})`;
    const known = this.meanings.get(token);
    if (known !== undefined || printed === null) return escaped(known ?? token);
    const before = learnt.indexOf(token);
    if (before !== -1) return `(?:\\${before + 1})`;
    learnt.push(token);
    return `(${printed})`;
  }
}

/** The pattern of a literal text in which `…` stands for anything. */
function anything(text: string): string {
  return text.split('…').map(escaped).join('[^\\n]*?');
}

/** Without blanks at the ends of lines and empty lines at the ends of the text. */
function tidy(text: string): string {
  return text
    .replaceAll('\r', '')
    .replaceAll(/[ \t]+$/gm, '')
    .trim();
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
