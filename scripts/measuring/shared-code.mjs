import ts from 'typescript';

/** The minimum number of equal lines of a match. */
const LINES = 6;
const LOGIC = new Set([
  ts.SyntaxKind.IfKeyword,
  ts.SyntaxKind.ForKeyword,
  ts.SyntaxKind.WhileKeyword,
  ts.SyntaxKind.SwitchKeyword,
  ts.SyntaxKind.ReturnKeyword,
  ts.SyntaxKind.ThrowKeyword,
  ts.SyntaxKind.AwaitKeyword,
  ts.SyntaxKind.EqualsGreaterThanToken,
]);

/**
 * Places that share at least six equal lines, token by token: `{ lines, places: ['path:line'] }`, the longest
 * first. Blank lines, comments, imports and lines without a word are not counted; a place without a branch, a
 * loop, a call of a callback, `return`, `throw` or `await` is data, not logic.
 */
export function sharedCode(files) {
  const lines = files.map((file) => linesOf(file));
  const windows = new Map();
  lines.forEach((own, file) => {
    for (let at = 0; at + LINES <= own.length; at += 1) {
      const key = own
        .slice(at, at + LINES)
        .map(({ text }) => text)
        .join('\n');
      windows.set(key, [...(windows.get(key) ?? []), { file, at }]);
    }
  });
  const found = new Map();
  for (const places of windows.values()) {
    for (let one = 0; one < places.length; one += 1)
      for (let other = one + 1; other < places.length; other += 1)
        addMatch(files, lines, places[one], places[other], found);
  }
  return [...found.values()]
    .map(({ lines: length, places }) => ({ lines: length, places: [...places] }))
    .sort((a, b) => b.lines - a.lines);
}

/** Adds the whole of a match at its first window. */
function addMatch(files, lines, one, other, found) {
  const same = (offset) => {
    const [a, b] = [lines[one.file][one.at + offset], lines[other.file][other.at + offset]];
    return a !== undefined && a.text === b?.text;
  };
  if (same(-1)) return;
  let length = LINES;
  while (same(length)) length += 1;
  // Neighbours within one file that overlap are one repetition, not two places.
  if (one.file === other.file && other.at - one.at < length) return;
  const match = lines[one.file].slice(one.at, one.at + length);
  if (!match.some(({ isLogic }) => isLogic)) return;
  const key = match.map(({ text }) => text).join('\n');
  const entry = found.get(key) ?? { lines: length, places: new Set() };
  for (const { file, at } of [one, other]) entry.places.add(`${files[file].path}:${lines[file][at].line + 1}`);
  found.set(key, entry);
}

/** The tokens of each line that counts: `{ line, text, isLogic }`. */
function linesOf({ source }) {
  const imports = source.statements.filter(ts.isImportDeclaration).map((node) => [node.getStart(), node.getEnd()]);
  const lines = new Map();
  const visit = (node) => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(source);
    if (children.length > 0) {
      children.forEach(visit);
      return;
    }
    const start = node.getStart(source);
    const text = node.getText(source);
    if (text === '' || imports.some(([from, to]) => start >= from && start < to)) return;
    const { line } = source.getLineAndCharacterOfPosition(start);
    const entry = lines.get(line) ?? { line, text: '', isLogic: false };
    entry.text += `${text} `;
    entry.isLogic ||= LOGIC.has(node.kind);
    lines.set(line, entry);
  };
  visit(source);
  return [...lines.values()].filter(({ text }) => /\w/.test(text)).sort((a, b) => a.line - b.line);
}
