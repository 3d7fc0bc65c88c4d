import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(__dirname, '..', '..');

/** Possible values are listed a line each where there are more. */
const ON_ONE_LINE = 6;

/** The events that an aggregate's `evolve` takes, a line for each field of their data. */
export interface DeclaredEvents {
  /** The name of the function. */
  readonly evolve: string;
  /**
   * The type of an event, and below it, indented: the field, a question mark where it may be absent, and its
   * type.
   */
  readonly lines: readonly string[];
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
    return { name: (type as ts.StringLiteralType).value, fields: fieldsOf(checker, data!, '  ') };
  });
  const lines = named.toSorted(byName).flatMap(({ name, fields }) => [name, ...fields]);
  return { evolve: initializer.getText(), lines };
}

function fieldsOf(checker: ts.TypeChecker, type: ts.Type, indent: string): readonly string[] {
  const fields = checker.getPropertiesOfType(type).map((symbol) => {
    const [one, inner] = shapeOf(checker, checker.getTypeOfSymbol(symbol), indent);
    return { name: symbol.name, text: `${symbol.flags & ts.SymbolFlags.Optional ? '?' : ''}: ${one}`, inner };
  });
  return fields.toSorted(byName).flatMap(({ name, text, inner }) => [`${indent}${name}${text}`, ...inner]);
}

/** A type in words, and a line for each field of the objects in it. */
function shapeOf(checker: ts.TypeChecker, type: ts.Type, indent: string): readonly [string, readonly string[]] {
  const shapes = partsOf(type).map((part): readonly [string, readonly string[]] => {
    if (part.aliasSymbol?.name === 'Json') return ['JSON', []];
    if (part.isStringLiteral()) return [`'${part.value}'`, []];
    if (!(part.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) return [checker.typeToString(part), []];
    const element = checker.isArrayType(part) ? checker.getTypeArguments(part as ts.TypeReference)[0] : undefined;
    const value = element ?? checker.getIndexTypeOfType(part, ts.IndexKind.String);
    if (value === undefined) return ['object', fieldsOf(checker, part, `${indent}  `)];
    const [one, inner] = shapeOf(checker, value, indent);
    return [`${element === undefined ? 'object' : 'list'} of (${one})`, inner];
  });
  const words = [...new Set(shapes.map(([one]) => one))].toSorted();
  const inner = shapes.flatMap(([, lines]) => lines);
  if (words.length <= ON_ONE_LINE) return [words.join(' | '), inner];
  return ['one of', [...words.map((word) => `${indent}  | ${word}`), ...inner]];
}

function partsOf(type: ts.Type): readonly ts.Type[] {
  if (type.aliasSymbol?.name === 'Json' || !type.isUnion()) return [type];
  return type.types.filter(({ flags }) => !(flags & ts.TypeFlags.Undefined));
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1;
}
