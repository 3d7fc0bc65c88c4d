import { execFile } from 'node:child_process';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { temporaryDirectory } from '../support/test-server.js';

const ROOT = resolve(__dirname, '..', '..');
const DOCUMENT = join(ROOT, 'dist', 'openapi.json');
const GENERATOR = join(ROOT, 'node_modules', 'openapi-typescript', 'bin', 'cli.js');

const MISTAKEN = `import type { components } from './api.js';
export const iban = (person: components['schemas']['PersonResponse']): string => person.iban;
`;

let directory: string;
let problems: ReadonlyMap<string, readonly string[]>;
beforeAll(async () => {
  directory = await temporaryDirectory();
  const [program, mistaken] = [join(directory, 'program.ts'), join(directory, 'mistaken.ts')];
  await promisify(execFile)(process.execPath, [GENERATOR, DOCUMENT, '--output', join(directory, 'api.ts')]);
  await copyFile(join(__dirname, 'program.ts.txt'), program);
  await writeFile(mistaken, MISTAKEN);
  problems = problemsOf([program, mistaken]);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** What the compiler says of programs and of what they import, by the name of the file. */
function problemsOf(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const program = ts.createProgram(files, {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
  });
  const found = new Map<string, readonly string[]>();
  for (const { file, start, messageText } of ts.getPreEmitDiagnostics(program)) {
    const name = basename(file?.fileName ?? '');
    const line = file === undefined || start === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1;
    found.set(name, [...(found.get(name) ?? []), `${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`]);
  }
  return found;
}

describe('a client that openapi-typescript generates from the document', () => {
  it('has every operation of the document', async () => {
    const document = JSON.parse(await readFile(DOCUMENT, 'utf8')) as {
      paths: Record<string, Record<string, { operationId?: string }>>;
    };
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).flatMap(({ operationId }) => operationId ?? []),
    );
    const generated = await readFile(join(directory, 'api.ts'), 'utf8');
    expect(ids.length).toBeGreaterThan(20);
    expect(ids.filter((id) => !generated.includes(`operations["${id}"]`))).toEqual([]);
  });

  it('compiles by itself, and with a program that reads, lists, writes and handles errors', () => {
    expect([...problems].filter(([name]) => name !== 'mistaken.ts')).toEqual([]);
  });

  it('does not compile with a program that reads a field which the document does not have', () => {
    expect(problems.get('mistaken.ts')).toEqual([expect.stringContaining("2: Property 'iban' does not exist")]);
  });
});
