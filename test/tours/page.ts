/** A command of a page, and what the page says that it prints. */
export interface TypedCommand {
  /** As the page has it, of one line or several. */
  readonly text: string;
  /** The lines below the command; null where the page shows none. */
  readonly printed: string | null;
  /** The line of the page, counted from 1. */
  readonly line: number;
}

/** A fenced block of a page. */
export interface Block {
  /** The first word after the fence: `console` and `sh` are typed. */
  readonly language: string;
  /**
   * What follows the language: `background=NAME` for a command that goes on while the next ones are typed,
   * and `from=NAME` for what it prints meanwhile.
   */
  readonly background: string | null;
  readonly from: string | null;
  /** `file=NAME`: the reader saves the block under this name, where the commands are typed. */
  readonly file: string | null;
  readonly text: string;
  /** The line of the first line of the text, counted from 1. */
  readonly line: number;
}

/** Languages of blocks that are typed. */
const TYPED = new Set(['console', 'sh']);
const PROMPT = '$ ';

/** Whether a reader types this block. */
export function isTyped({ language }: Block): boolean {
  return TYPED.has(language);
}

/** The fenced blocks of a page, in their order. */
export function blocksOf(page: string): readonly Block[] {
  const blocks: Block[] = [];
  const lines = page.split('\n');
  let opened: { info: string; line: number } | null = null;
  for (const [index, line] of lines.entries()) {
    const fence = /^```(.*)$/.exec(line);
    if (fence === null) continue;
    if (opened === null) {
      opened = { info: fence[1]!.trim(), line: index + 2 };
      continue;
    }
    const [language = '', ...options] = opened.info.split(/\s+/);
    const option = (name: string): string | null =>
      options.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
    blocks.push({
      language,
      background: option('background'),
      from: option('from'),
      file: option('file'),
      text: lines.slice(opened.line - 1, index).join('\n'),
      line: opened.line,
    });
    opened = null;
  }
  return blocks;
}

/**
 * The commands of a typed block. In a `console` block each begins with a prompt and is followed by what it
 * prints; the lines of a `sh` block are one command, whose output is not shown.
 */
export function commandsOf(block: Block): readonly TypedCommand[] {
  if (block.language === 'sh') return [{ text: block.text, printed: null, line: block.line }];
  const commands: { text: string[]; printed: string[]; line: number }[] = [];
  let isOpen = false;
  for (const [index, line] of block.text.split('\n').entries()) {
    if (line.startsWith(PROMPT)) {
      commands.push({ text: [line.slice(PROMPT.length)], printed: [], line: block.line + index });
    } else if (isOpen) {
      commands.at(-1)!.text.push(line);
    } else {
      commands.at(-1)?.printed.push(line);
      continue;
    }
    isOpen = isUnfinished(commands.at(-1)!.text);
  }
  return commands.map(({ text, printed, line }) => {
    const shown = printed.join('\n').trim();
    return { text: text.join('\n'), printed: shown === '' ? null : shown, line };
  });
}

/** Whether the shell would ask for another line: after a backslash, or within a here-document. */
function isUnfinished(lines: readonly string[]): boolean {
  const end = /<<-?\s*'?"?(\w+)/.exec(lines[0]!)?.[1];
  if (end !== undefined) return lines.length === 1 || lines.at(-1) !== end;
  return lines.at(-1)!.endsWith('\\');
}
