import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(__dirname, '..', '..');

/** The events that an aggregate's `evolve` takes. */
export interface DeclaredEvents {
  /** The name of the function. */
  readonly evolve: string;
  /**
   * The type of each event with the fields of its data: a question mark where a field may be absent, and its
   * type.
   */
  readonly events: readonly string[];
}

/** Reads the events of every aggregate from the types that its declaration has, wherever the file lies. */
export function declaredEvents(): readonly DeclaredEvents[] {
  const files = readdirSync(join(ROOT, 'libs'), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /(?<!\.spec|\.d)\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file, 'utf8').includes('defineAggregate('));
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const program = ts.createProgram(files, { ...options, noEmit: true, types: [] });
  const checker = program.getTypeChecker();
  const found: DeclaredEvents[] = [];
  const visit = (node: ts.Node): void => {
    const isDeclaration = ts.isCallExpression(node) && node.expression.getText() === 'defineAggregate';
    if (isDeclaration) found.push(eventsOf(checker, node));
    ts.forEachChild(node, visit);
  };
  for (const file of files) visit(program.getSourceFile(file)!);
  return found;
}

function eventsOf(checker: ts.TypeChecker, declaration: ts.CallExpression): DeclaredEvents {
  const [definition] = declaration.arguments as unknown as [ts.ObjectLiteralExpression];
  const property = definition.properties.find((one) => one.name?.getText() === 'evolve');
  if (property === undefined || !ts.isPropertyAssignment(property)) throw new Error('an aggregate names no evolve');
  const { initializer } = property;
  const parameter = checker.getTypeAtLocation(initializer).getCallSignatures()[0]!.parameters[1]!;
  const events = partsOf(checker.getTypeOfSymbolAtLocation(parameter, initializer));
  const named = events.map((event) => {
    const [type, data] = ['type', 'data'].map((name) => checker.getTypeOfSymbol(event.getProperty(name)!));
    return `${(type as ts.StringLiteralType).value} ${fieldsOf(checker, data!)}`;
  });
  return { evolve: initializer.getText(), events: named.toSorted() };
}

function fieldsOf(checker: ts.TypeChecker, type: ts.Type): string {
  const fields = checker.getPropertiesOfType(type).map((symbol) => {
    const mark = symbol.flags & ts.SymbolFlags.Optional ? '?' : '';
    return `${symbol.name}${mark}: ${wordsOf(checker, checker.getTypeOfSymbol(symbol))}`;
  });
  return `{ ${fields.toSorted().join('; ')} }`;
}

function wordsOf(checker: ts.TypeChecker, type: ts.Type): string {
  const words = partsOf(type).map((part) => {
    if (part.aliasSymbol?.name === 'Json') return 'JSON';
    if (part.isStringLiteral()) return `'${part.value}'`;
    if (!(part.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) return checker.typeToString(part);
    const element = checker.isArrayType(part) ? checker.getTypeArguments(part as ts.TypeReference)[0] : undefined;
    const value = element ?? checker.getIndexTypeOfType(part, ts.IndexKind.String);
    if (value === undefined) return fieldsOf(checker, part);
    return `${element === undefined ? 'object' : 'list'} of (${wordsOf(checker, value)})`;
  });
  return [...new Set(words)].toSorted().join(' | ');
}

function partsOf(type: ts.Type): readonly ts.Type[] {
  if (type.aliasSymbol?.name === 'Json' || !type.isUnion()) return [type];
  return type.types.filter(({ flags }) => !(flags & ts.TypeFlags.Undefined));
}
