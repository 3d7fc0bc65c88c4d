import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

const { factory } = ts;

/** The files that the program reads besides its code. */
const LINKED = ['node_modules', 'docs', 'README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'];
/** The data beside the code, which the build copies (`assets` in nest-cli.json). */
const DATA = join('apps', 'cli', 'sample-data', 'data');

/**
 * Compiles the product into `directory`, with every function of apps/ and libs/ reporting its calls to the
 * recorder (`recorder.mjs`). The directory is a package of its own, with links to the packages and the
 * documentation of `root`. Types are not checked.
 */
export function writeInstrumentedCopy(root, directory) {
  const functions = [];
  for (const file of sourcesOf(root)) {
    const compiled = ts.transpileModule(readFileSync(join(root, file), 'utf8'), {
      fileName: file,
      compilerOptions: {
        target: ts.ScriptTarget.ES2022,
        module: ts.ModuleKind.ESNext,
        experimentalDecorators: true,
        emitDecoratorMetadata: true,
      },
      transformers: { before: [(context) => (source) => instrumented(source, file, functions, context)] },
    });
    const target = join(directory, 'dist', file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, compiled.outputText);
  }
  writeFileSync(join(directory, 'functions.json'), JSON.stringify(functions));
  cpSync(join(root, 'package.json'), join(directory, 'package.json'));
  for (const name of LINKED) symlinkSync(join(root, name), join(directory, name));
  symlinkSync(join(root, DATA), join(directory, 'dist', DATA));
}

/** The files of the product, specs aside, relative to `root`. */
function sourcesOf(root) {
  return ['apps', 'libs'].flatMap((folder) =>
    readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !/\.(spec|d)\.ts$/.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name))),
  );
}

/** Adds each function to `functions`; its index there is the reported number. */
function instrumented(source, file, functions, context) {
  const enclosing = [];
  const visit = (node) => {
    if (!ts.isFunctionLike(node) || node.body === undefined) return ts.visitEachChild(node, visit, context);
    const id =
      functions.push({ file, name: nameOf(node, enclosing.at(-1)?.name), within: enclosing.at(-1)?.id ?? null }) - 1;
    enclosing.push({ id, name: functions[id].name });
    const visited = ts.visitEachChild(node, visit, context);
    enclosing.pop();
    return withEntry(visited, id);
  };
  return ts.visitNode(source, visit);
}

/**
 * `Class.method`, the variable or property that the function becomes, or the name of the function around it.
 */
function nameOf(node, around) {
  if (ts.isConstructorDeclaration(node)) return `new ${node.parent.name?.text ?? 'class'}`;
  const own =
    node.name ??
    (ts.isVariableDeclaration(node.parent) || ts.isPropertyAssignment(node.parent) ? node.parent.name : undefined);
  const isNamed = own !== undefined && (ts.isIdentifier(own) || ts.isPrivateIdentifier(own) || ts.isStringLiteral(own));
  if (!isNamed) return around ?? 'callback';
  const owner = ts.isClassLike(node.parent) ? node.parent.name?.text : undefined;
  if (owner !== undefined) return `${owner}.${own.text}`;
  return ts.isFunctionDeclaration(node) || around === undefined ? own.text : around;
}

/**
 * Runs the body inside `__trace.run`; if that is impossible (constructors, generators), only the entry is
 * recorded.
 */
function withEntry(node, id) {
  const isGenerator = node.asteriskToken !== undefined;
  if (ts.isConstructorDeclaration(node) || isGenerator)
    return withBody(node, withStatement(node.body, call('note', id)), node.modifiers);
  const isAsync = node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword) ?? false;
  const inner = factory.createArrowFunction(
    isAsync ? [factory.createModifier(ts.SyntaxKind.AsyncKeyword)] : undefined,
    undefined,
    [],
    undefined,
    factory.createToken(ts.SyntaxKind.EqualsGreaterThanToken),
    ts.isBlock(node.body) ? node.body : factory.createParenthesizedExpression(node.body),
  );
  const outer = call('run', id, inner);
  const body = ts.isBlock(node.body) ? factory.createBlock([factory.createReturnStatement(outer)], true) : outer;
  return withBody(
    node,
    body,
    node.modifiers?.filter(({ kind }) => kind !== ts.SyntaxKind.AsyncKeyword),
  );
}

function call(method, id, ...rest) {
  const recorder = factory.createPropertyAccessExpression(factory.createIdentifier('__trace'), method);
  return factory.createCallExpression(recorder, undefined, [factory.createNumericLiteral(id), ...rest]);
}

function withStatement(block, expression) {
  return factory.updateBlock(block, [factory.createExpressionStatement(expression), ...block.statements]);
}

function withBody(node, body, modifiers) {
  const { parameters, typeParameters, type, name, asteriskToken } = node;
  if (ts.isFunctionDeclaration(node))
    return factory.updateFunctionDeclaration(
      node,
      modifiers,
      asteriskToken,
      name,
      typeParameters,
      parameters,
      type,
      body,
    );
  if (ts.isFunctionExpression(node))
    return factory.updateFunctionExpression(
      node,
      modifiers,
      asteriskToken,
      name,
      typeParameters,
      parameters,
      type,
      body,
    );
  if (ts.isArrowFunction(node))
    return factory.updateArrowFunction(
      node,
      modifiers,
      typeParameters,
      parameters,
      type,
      node.equalsGreaterThanToken,
      body,
    );
  if (ts.isMethodDeclaration(node))
    return factory.updateMethodDeclaration(
      node,
      modifiers,
      asteriskToken,
      name,
      node.questionToken,
      typeParameters,
      parameters,
      type,
      body,
    );
  if (ts.isGetAccessorDeclaration(node))
    return factory.updateGetAccessorDeclaration(node, modifiers, name, parameters, type, body);
  if (ts.isSetAccessorDeclaration(node))
    return factory.updateSetAccessorDeclaration(node, modifiers, name, parameters, body);
  return factory.updateConstructorDeclaration(node, modifiers, parameters, body);
}
