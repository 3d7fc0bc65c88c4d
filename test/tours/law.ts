import type { LeftOut } from './left-out.js';
import { type Block, blocksOf, isTyped } from './page.js';

/** The other names of shells, under which no test would find a block. */
const OTHER_SHELLS = new Set(['bash', 'shell', 'zsh', 'shell-session', 'terminal', 'powershell']);
/** How a line begins that a reader is to type. */
const COMMAND = /^\s*(?:\$ |(?:npm|npx|node|workforce|curl|docker|kubectl|git|psql|sudo|apt|apt-get|systemctl) |export [A-Z_]+=)/m;
/** What the tour sets before it types a page, so that the page must say how its reader does. */
const KEYS = /\$(?:KEY|API)\b/;
const SETS_KEYS = /^(?:\$ )?(?:export )?KEY=|first-requests\.md/m;
/** A fence that `blocksOf` does not see. */
const UNSEEN_FENCE = /^(?:[ \t]+```|[ \t]*~~~)/m;

/**
 * What keeps a command of these pages from being typed, a sentence each. A page's block of commands is `sh` or `console`; a tour types it, or
 * `leftOut` says why none does.
 *
 * @param pages the text of each page, by its name.
 * @param typed the pages that tours type.
 */
export function untypedCommands(
  pages: ReadonlyMap<string, string>,
  typed: readonly string[],
  leftOut: readonly LeftOut[],
): readonly string[] {
  return [
    ...[...pages].flatMap(([page, text]) => problemsOf(page, text, typed.includes(page), leftOut)),
    ...[...new Set(typed)].filter((page) => !pages.has(page)).map((page) => `${page} is typed, and does not exist.`),
    ...typed.filter((page, index) => typed.indexOf(page) !== index).map((page) => `${page} is typed by two specs.`),
    ...leftOut.flatMap((one) => problemsOfLeftOut(one, pages)),
  ];
}

function problemsOf(page: string, text: string, isPageTyped: boolean, leftOut: readonly LeftOut[]): readonly string[] {
  const problems: string[] = [];
  if (UNSEEN_FENCE.test(text)) problems.push(`${page} has a fence that is indented or of tildes, which no test reads.`);
  const blocks = blocksOf(text);
  for (const block of blocks) {
    const problem = problemOfForm(block);
    if (problem !== null) problems.push(`${page}:${block.line} ${problem}`);
  }
  const toType = blocks.filter((block) => isTyped(block) && !leftOut.some((one) => isLeftOutBy(one, page, block.text)));
  if (!isPageTyped) return [...problems, ...toType.map(({ line }) => `${page}:${line} is neither typed nor left out for a reason.`)];
  if (toType.length === 0) problems.push(`${page} is typed, and has nothing to type.`);
  if (toType.some((block) => KEYS.test(block.text)) && !SETS_KEYS.test(text))
    problems.push(`${page} uses $KEY or $API, and does not say what sets them.`);
  return problems;
}

/** Null where a test can tell what a block is and reads all of it. */
function problemOfForm(block: Block): string | null {
  const { language, text } = block;
  if (language === '') return 'says no language.';
  if (OTHER_SHELLS.has(language)) return `is ${language}: make it sh or console.`;
  if (language === 'console') return text.startsWith('$ ') ? null : 'does not begin with a command.';
  const isSaidToBeOther = language === 'sh' || block.from !== null || block.file !== null;
  return !isSaidToBeOther && COMMAND.test(text) ? `has commands: make it sh or console, not ${language}.` : null;
}

function problemsOfLeftOut(one: LeftOut, pages: ReadonlyMap<string, string>): readonly string[] {
  const blocks = blocksOf(pages.get(one.page) ?? '').filter((block) => isTyped(block) && isLeftOutBy(one, one.page, block.text));
  const problems: string[] = [];
  if (blocks.length !== 1) problems.push(`${one.page} has ${blocks.length} blocks that begin "${one.begins}", which is left out.`);
  if (!/^[A-Z].*\.$/.test(one.reason)) problems.push(`${one.page}: "${one.reason}" is no sentence.`);
  return problems;
}

function isLeftOutBy(one: LeftOut, page: string, text: string): boolean {
  return one.page === page && text.startsWith(one.begins);
}
