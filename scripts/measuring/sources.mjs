import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import ts from 'typescript';

/**
 * Every TypeScript file of apps/ and libs/ below `root`, by path: `{ path, lines, isSpec, source }`, where
 * `source` is its syntax tree.
 */
export function readSources(root) {
  return ['apps', 'libs'].flatMap((folder) =>
    readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => {
        const path = relative(root, join(entry.parentPath, entry.name));
        const text = readFileSync(join(root, path), 'utf8');
        const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
        return { path, lines: text.split('\n').length - 1, isSpec: path.endsWith('.spec.ts'), source };
      })
      .sort((one, other) => (one.path < other.path ? -1 : 1)),
  );
}

/** `apps/api`, `libs/http`. */
export function libraryOf(path) {
  return path.split('/').slice(0, 2).join('/');
}

/** The library of an import; null for a package. An alias is `#library/…`. */
export function targetLibraryOf(path, specifier) {
  if (specifier.startsWith('.')) return libraryOf(posix.join(posix.dirname(path), specifier));
  const [, name] = /^#([a-z-]+)\//.exec(specifier) ?? [];
  if (name === undefined) return null;
  return `${['api', 'worker', 'cli'].includes(name) ? 'apps' : 'libs'}/${name}`;
}

/** The module specifiers of a file's imports and re-exports. */
export function specifiersOf({ source }) {
  return source.statements
    .filter((statement) => ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement))
    .flatMap(({ moduleSpecifier }) => (moduleSpecifier === undefined ? [] : [moduleSpecifier.text]));
}

/** Every function with a body, nested ones too: `{ name, lines }`. */
export function functionsOf({ source }) {
  const found = [];
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body !== undefined) {
      const [first, last] = [node.getStart(), node.getEnd()].map(
        (position) => source.getLineAndCharacterOfPosition(position).line,
      );
      const name = node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : undefined);
      found.push({
        name: name?.getText() ?? (ts.isConstructorDeclaration(node) ? 'constructor' : 'callback'),
        lines: last - first + 1,
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
