import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(__dirname, '..', '..');

/** What an import of a namespace names. */
const WHOLE_FILE = '*';

/** A file of the product: its syntax tree, what it declares at the top, and what its imports name. */
interface Source {
  readonly path: string;
  readonly tree: ts.SourceFile;
  readonly declared: ReadonlyMap<string, ts.Node>;
  readonly imported: ReadonlyMap<string, { readonly path: string; readonly name: string }>;
}

/** A function, a method, or another piece of a file. */
export interface Piece {
  readonly path: string;
  readonly node: ts.Node;
}

/**
 * The program's TypeScript without specs, by path. Nothing is run and no types are known: names are followed
 * through imports.
 */
export class ProductSources {
  private readonly sources: ReadonlyMap<string, Source>;

  private constructor(files: readonly string[]) {
    this.sources = new Map(files.map((path) => [path, sourceOf(path)]));
  }

  /** Reads `apps` and `libs`. */
  static read(): ProductSources {
    const files = ['apps', 'libs'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile() && /(?<!\.spec|\.d)\.ts$/.test(entry.name))
        .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
        .filter((path) => !path.startsWith('apps/console/') && !path.startsWith('libs/client/')),
    );
    return new ProductSources(files);
  }

  /** All pieces of all files for which the test returns true. */
  find(isSelected: (node: ts.Node, path: string) => boolean): readonly Piece[] {
    return [...this.sources.values()].flatMap(({ path, tree }) => {
      const found: Piece[] = [];
      const visit = (node: ts.Node): void => {
        if (isSelected(node, path)) found.push({ path, node });
        ts.forEachChild(node, visit);
      };
      visit(tree);
      return found;
    });
  }

  /**
   * Visits the nodes of a piece, and of everything that it names, calls or constructs, wherever that is
   * declared. Of a method whose object is not known, those of all classes that its file names are visited.
   *
   * @param enter - whether to go on below a node
   * @param isWithin - whether to follow names into a file
   */
  walk(from: Piece, enter: (node: ts.Node, path: string) => boolean, isWithin: (path: string) => boolean): void {
    const seen = new Set<ts.Node>();
    const follow = ({ path, node }: Piece): void => {
      if (seen.has(node)) return;
      seen.add(node);
      visit(this.sources.get(path)!, node);
    };
    const visit = (source: Source, node: ts.Node): void => {
      if (ts.isTypeNode(node) || !enter(node, source.path)) return;
      for (const piece of this.namedBy(source, node)) if (isWithin(piece.path)) follow(piece);
      ts.forEachChild(node, (child) => visit(source, child));
    };
    follow(from);
  }

  /**
   * The declaration that a name has in a file, wherever it is; null for what is not the product's, or local.
   */
  private declarationOf(source: Source, name: string): Piece | null {
    const node = source.declared.get(name);
    if (node !== undefined) return { path: source.path, node };
    const imported = source.imported.get(name);
    const target = imported === undefined ? undefined : this.sources.get(imported.path);
    return target === undefined ? null : this.declarationOf(target, imported!.name);
  }

  private namedBy(source: Source, node: ts.Node): readonly Piece[] {
    if (ts.isPropertyAccessExpression(node)) {
      const whole = ts.isIdentifier(node.expression) ? source.imported.get(node.expression.text) : undefined;
      if (whole?.name === WHOLE_FILE) {
        const named = this.sources.get(whole.path);
        const member = named === undefined ? null : this.declarationOf(named, node.name.text);
        return member === null ? [] : [member];
      }
      const classes = [...source.imported.keys(), ...source.declared.keys()].flatMap(
        (name) => this.declarationOf(source, name) ?? [],
      );
      return classes.flatMap(({ path, node: declared }) =>
        ts.isClassDeclaration(declared)
          ? declared.members
              .filter((member) => member.name?.getText() === node.name.text)
              .map((member) => ({ path, node: member }))
          : [],
      );
    }
    if (!ts.isIdentifier(node) || !isFollowed(node)) return [];
    const named = this.declarationOf(source, node.text);
    return named === null || ts.isClassDeclaration(named.node) ? [] : [named];
  }
}

/**
 * The place of a node in its file, for whoever reads that a test failed: the path and the function, method or
 * constant around it.
 */
export function placeOf({ path, node }: Piece): string {
  const names: string[] = [];
  for (let around: ts.Node | undefined = node; around !== undefined; around = around.parent) {
    if (
      isConstant(around) ||
      ts.isFunctionDeclaration(around) ||
      ts.isMethodDeclaration(around) ||
      ts.isClassDeclaration(around)
    )
      names.unshift(around.name?.getText() ?? '');
  }
  return `${path} ${names.join('.')}`.trim();
}

/** Not where it names a member, nor where only a member of a member of it is used. */
function isFollowed(node: ts.Identifier): boolean {
  if (!ts.isPropertyAccessExpression(node.parent)) return true;
  return node.parent.expression === node && !ts.isPropertyAccessExpression(node.parent.parent);
}

function isConstant(node: ts.Node): node is ts.VariableDeclaration {
  return ts.isVariableDeclaration(node) && ts.isSourceFile(node.parent.parent.parent);
}

function sourceOf(path: string): Source {
  const tree = ts.createSourceFile(path, readFileSync(join(ROOT, path), 'utf8'), ts.ScriptTarget.ES2022, true);
  const declared = new Map<string, ts.Node>();
  const imported = new Map<string, { readonly path: string; readonly name: string }>();
  for (const statement of tree.statements) {
    if ((ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) && statement.name !== undefined)
      declared.set(statement.name.text, statement);
    if (ts.isVariableStatement(statement))
      for (const declaration of statement.declarationList.declarations)
        declared.set(declaration.name.getText(), declaration);
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) continue;
    const target = targetOf(path, statement.moduleSpecifier);
    const names = ts.isImportDeclaration(statement) ? statement.importClause?.namedBindings : statement.exportClause;
    if (target === null || names === undefined || ts.isNamespaceExport(names)) continue;
    if (ts.isNamespaceImport(names)) {
      imported.set(names.name.text, { path: target, name: WHOLE_FILE });
      continue;
    }
    for (const { name, propertyName } of names.elements)
      imported.set(name.text, { path: target, name: (propertyName ?? name).text });
  }
  return { path, tree, declared, imported };
}

/** The file of an import; null for a package. */
function targetOf(path: string, specifier: ts.Expression | undefined): string | null {
  const text = specifier === undefined || !ts.isStringLiteral(specifier) ? '' : specifier.text.replace(/\.js$/, '.ts');
  if (text.startsWith('.')) return posix.join(posix.dirname(path), text);
  const [, library, rest] = /^#([a-z-]+)\/(.*)$/.exec(text) ?? [];
  return library === undefined
    ? null
    : `${['api', 'worker', 'cli'].includes(library) ? 'apps' : 'libs'}/${library}/${rest}`;
}
