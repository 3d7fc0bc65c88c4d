import { execFile, execFileSync } from 'node:child_process';
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { temporaryDirectory } from '../support/test-server.js';

const ROOT = resolve(__dirname, '..', '..');
const CLIENT = join(ROOT, 'libs', 'client');

const CONSUMER = `import { createClient, type Employment, type Person, type TimeOff, WorkforceError, type WebhookEventType } from '@workforce-hr/client';

const workforce = createClient({ baseUrl: 'https://hr.example', retry: { longestPause: 120_000 }, timeout: 5_000 });

export async function names(): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const person of workforce.people.list({ limit: 10 })) found.push(person.display_name);
  for await (const unit of workforce.orgUnits.list()) found.push(unit.name);
  return found;
}

export async function promote(person: Person, entityTag: string): Promise<Employment> {
  // @ts-expect-error a write to an existing employment needs the tag
  await workforce.people.changeEmployment(person.id, { start_date: '2026-03-01', job_title: 'Lead' });
  const { data } = await workforce.people.changeEmployment(person.id, { start_date: '2026-03-01', job_title: 'Lead' }, { ifMatch: entityTag });
  return data;
}

export async function book(person_id: string, category_id: string): Promise<TimeOff> {
  const body = { person_id, category_id, start_date: '2026-03-02', end_date: '2026-03-03' };
  const { data } = await workforce.timeOff.create(body, { idempotencyKey: 'booking-1' });
  await workforce.webhooks.delete('wh_1');
  return data;
}

// @ts-expect-error there is no such event
export const wrong: WebhookEventType = 'person.promoted';
export const delay = (error: unknown): number => (error instanceof WorkforceError ? (error.retryAfter ?? 0) : 0);
`;

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

let packed: Packed;
let directory: string;
const PACKAGE = (): string => join(directory, 'node_modules', '@workforce-hr', 'client');
beforeAll(async () => {
  directory = await temporaryDirectory();
  const run = promisify(execFile);
  const { stdout } = await run('npm', ['pack', '--json', '--silent', '--pack-destination', directory], { cwd: CLIENT });
  [packed] = JSON.parse(stdout.slice(stdout.lastIndexOf('\n[') + 1)) as [Packed];
  await run('tar', ['-xzf', join(directory, packed.filename), '-C', directory]);
  await mkdir(join(directory, 'node_modules', '@workforce-hr'), { recursive: true });
  await rename(join(directory, 'package'), PACKAGE());
  await symlink(join(ROOT, 'node_modules', 'openapi-fetch'), join(directory, 'node_modules', 'openapi-fetch'));
  await symlink(join(ROOT, 'node_modules', '@types'), join(directory, 'node_modules', '@types'));
});
afterAll(() =>
  Promise.all([directory, join(CLIENT, 'dist')].map((folder) => rm(folder, { recursive: true, force: true }))),
);

/** What the compiler says of files that import the package as it is published. */
function problemsOf(
  files: readonly string[],
  module: ts.ModuleKind.Node16 | ts.ModuleKind.NodeNext,
): readonly string[] {
  const program = ts.createProgram(files, {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noPropertyAccessFromIndexSignature: true,
    skipLibCheck: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module,
    moduleResolution:
      module === ts.ModuleKind.Node16 ? ts.ModuleResolutionKind.Node16 : ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    typeRoots: [join(ROOT, 'node_modules', '@types')],
    types: ['node'],
  });
  return ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
    return `${basename(file?.fileName ?? '')}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

describe('the package in an empty project', () => {
  it.each(['cts', 'mts'])('is typed for a consumer of the kind .%s by the resolution node16', async (extension) => {
    const file = join(directory, `consumer.${extension}`);
    await writeFile(file, CONSUMER);
    expect(problemsOf([file], ts.ModuleKind.Node16)).toEqual([]);
  });

  it.each([
    ['cjs', "const { createClient, CONTRACT_VERSION } = require('@workforce-hr/client');"],
    ['mjs', "import { createClient, CONTRACT_VERSION } from '@workforce-hr/client';"],
  ])('runs in a program of the kind .%s', async (extension, loading) => {
    const file = join(directory, `program.${extension}`);
    await writeFile(
      file,
      `${loading}\nconsole.log(typeof createClient().people.list, typeof createClient().GET, typeof CONTRACT_VERSION);\n`,
    );
    expect(execFileSync(process.execPath, [file], { encoding: 'utf8' })).toBe('function function string\n');
  });

  it('has its licence, its page and the modules alone, and says where its source is', async () => {
    expect(await readFile(join(PACKAGE(), 'LICENSE'), 'utf8')).toBe(await readFile(join(ROOT, 'LICENSE'), 'utf8'));
    const others = packed.files
      .map(({ path }) => path)
      .filter((path) => !/^dist\/(esm|cjs)\/.*\.(js|d\.ts)$/.test(path));
    expect(others.sort()).toEqual(['LICENSE', 'README.md', 'dist/cjs/package.json', 'package.json']);
    const manifest = JSON.parse(await readFile(join(PACKAGE(), 'package.json'), 'utf8')) as {
      readonly repository: { readonly directory: string };
      readonly publishConfig: object;
      readonly private?: boolean;
      readonly scripts: Readonly<Record<string, string>>;
    };
    expect([manifest.repository.directory, manifest.publishConfig, manifest.private]).toEqual([
      'libs/client',
      { access: 'public', provenance: true },
      undefined,
    ]);
    expect(Object.keys(manifest.scripts)).toEqual(['prepack']);
  });

  it('names the version of the contract in its modules', async () => {
    const { info } = JSON.parse(await readFile(join(ROOT, 'dist', 'openapi.json'), 'utf8')) as {
      readonly info: { readonly version: string };
    };
    expect(await readFile(join(PACKAGE(), 'dist', 'esm', 'generated', 'resources.js'), 'utf8')).toContain(
      `CONTRACT_VERSION = '${info.version}'`,
    );
  });

  it('has a method for each operation of the document', async () => {
    const document = JSON.parse(await readFile(join(ROOT, 'dist', 'openapi.json'), 'utf8')) as {
      readonly paths: Record<string, Record<string, unknown>>;
    };
    const generated = await readFile(join(CLIENT, 'generated', 'resources.ts'), 'utf8');
    for (const [path, verbs] of Object.entries(document.paths))
      for (const verb of Object.keys(verbs)) expect(generated).toContain(`{ verb: '${verb}', path: '${path}', `);
  });
});

it('compiles with every example of its page and of the first page', async () => {
  const files: string[] = [];
  for (const page of ['README.md', join('libs', 'client', 'README.md')]) {
    const text = await readFile(join(ROOT, page), 'utf8');
    for (const [, block] of text.matchAll(/```ts\n([\s\S]*?)```/g)) {
      if (!block!.includes('@workforce-hr/client')) continue;
      const file = join(directory, `example-${files.length}.mts`);
      await writeFile(file, block!);
      files.push(file);
    }
  }
  expect(files.length).toBeGreaterThan(0);
  expect(problemsOf(files, ts.ModuleKind.NodeNext)).toEqual([]);
});
