/** A step of a reader who follows a how-to page, in the order of the page. */
export type Step =
  | { readonly kind: 'file'; readonly path: string; readonly text: string }
  | { readonly kind: 'edit'; readonly edit: Edit }
  | { readonly kind: 'command'; readonly line: string }
  | { readonly kind: 'exchange'; readonly command: string; readonly output: string };

/** Lines to add to an existing file. */
export interface Edit {
  readonly path: string;
  /** The exported constant whose list or object receives the lines. */
  readonly list: string;
  /** Each is one line of code; lines that begin with `import ` go to the imports of the file. */
  readonly lines: readonly string[];
  /** The line that precedes the addition; null: the addition comes last. */
  readonly after: string | null;
}

const BASE_FOLDER = /All paths are below `([^`]+)`/;
const FILE_NAME = /^`([\w./-]+\.\w+)`$/;
const CODE = /`([^`]+)`/g;

/**
 * The steps of a how-to page. A page uses four forms:
 *
 * - a line that is nothing but a file name in back-ticks, followed by a block of code: the file and its text, below the folder that "All paths are
 *   below" names, unless the name begins with a folder of the root;
 * - a row of a table `| File | Add |`, such as ``| `libs/kernel/identifier.ts`, `ID_PREFIXES` | `jobFamily: 'jf_',` |``: the file, the constant, and the lines
 *   that are added at its end, or "after" the line in back-ticks that follows this word;
 * - a block of `sh`: commands, one a line;
 * - a block of `console`: commands, each after `$ `, with the output that is expected.
 *
 * Blocks of code without a file name show something that exists. Throws where a row of such a table names no file, no constant or nothing to add.
 */
export function stepsOf(page: string): readonly Step[] {
  const base = BASE_FOLDER.exec(page)?.[1] ?? '';
  const steps: Step[] = [];
  const lines = page.split('\n');
  let file: string | null = null;
  let isTableOfEdits = false;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]!;
    if (line.startsWith('```')) {
      const end = lines.indexOf('```', at + 1);
      const block = lines.slice(at + 1, end);
      if (file !== null) steps.push({ kind: 'file', path: placeOf(base, file), text: `${block.join('\n')}\n` });
      else if (line === '```sh') steps.push(...commandsOf(block));
      else if (line === '```console') steps.push(...exchangesOf(block));
      file = null;
      at = end;
      continue;
    }
    if (line.trim() !== '') file = FILE_NAME.exec(line)?.[1] ?? null;
    if (!line.startsWith('|')) isTableOfEdits = false;
    else if (/^\| File \| Add \|$/.test(line)) isTableOfEdits = true;
    else if (isTableOfEdits && !/^\|[-|]+$/.test(line)) steps.push({ kind: 'edit', edit: editOf(line) });
  }
  return steps;
}

function placeOf(base: string, name: string): string {
  return /^(libs|apps|test|docs)\//.test(name) ? name : base + name;
}

function editOf(row: string): Edit {
  const [place = '', addition = ''] = row.slice(1, -1).split(' | ');
  const [path, list] = codesIn(place);
  const after = / after `([^`]+)`/.exec(addition)?.[1] ?? null;
  const lines = codesIn(addition.replace(/ after `[^`]+`/, ''));
  if (path === undefined || list === undefined || lines.length === 0)
    throw new Error(`names no file, no constant or nothing to add: ${row}`);
  return { path, list, lines, after };
}

function codesIn(text: string): readonly string[] {
  return [...text.matchAll(CODE)].map(([, code]) => code!);
}

function commandsOf(block: readonly string[]): readonly Step[] {
  return block.filter((line) => line.trim() !== '').map((line) => ({ kind: 'command', line }));
}

function exchangesOf(block: readonly string[]): readonly Step[] {
  return `\n${block.join('\n')}`
    .split('\n$ ')
    .slice(1)
    .map((text) => {
      const [, command, output] = /^((?:[^\n]*\\\n)*[^\n]*)\n?([\s\S]*)$/.exec(text)!;
      return { kind: 'exchange', command: command!, output: output! };
    });
}

/** Returns the text of a file after an edit. Throws where the file lacks what the edit names. */
export function edited(text: string, { path, list, lines, after }: Edit): string {
  const rows = text.split('\n');
  const imports = lines.filter((line) => line.startsWith('import '));
  const opening = rows.findIndex((row) => new RegExp(`\\bconst ${list}\\b`).test(row));
  const closing = rows.findIndex((row, at) => at > opening && /^[\]}]/.test(row));
  if (opening === -1 || closing === -1) throw new Error(`${path} has no list ${list} of several lines`);
  const before = after === null ? closing : 1 + rows.findIndex((row, at) => at > opening && at < closing && row.trim() === after);
  if (before === 0) throw new Error(`${list} in ${path} has no line ${after}`);
  rows.splice(before, 0, ...lines.filter((line) => !imports.includes(line)).map((line) => `  ${line}`));
  rows.splice(1 + rows.findLastIndex((row, at) => at < opening && /^(import .*|} )from '.*';$/.test(row)), 0, ...imports);
  return rows.join('\n');
}
