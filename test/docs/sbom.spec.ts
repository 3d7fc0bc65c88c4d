import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import ajvFormats from 'ajv-formats';

const ROOT = resolve(__dirname, '..', '..');
/** The schemas of CycloneDX as its library publishes them. */
const SCHEMAS = join(dirname(require.resolve('@cyclonedx/cyclonedx-library/package.json')), 'res', 'schema');

interface Component {
  readonly 'bom-ref': string;
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly scope: string;
  readonly licenses: readonly object[];
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
}

interface BillOfMaterials {
  readonly specVersion: string;
  readonly metadata: { readonly component: Component; readonly timestamp?: string };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

interface LockEntry {
  readonly version: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly integrity?: string;
}

const schema = (name: string): object =>
  JSON.parse(readFileSync(join(SCHEMAS, `${name}.SNAPSHOT.schema.json`), 'utf8')) as object;

function validator(): ValidateFunction {
  const parts = ['spdx', 'jsf-0.82', 'cryptography-defs'].map(
    (name) => [`http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`, schema(name)] as const,
  );
  const ajv = new Ajv({ strict: false, schemas: Object.fromEntries(parts) });
  ajvFormats.default(ajv);
  // An address in the letters of any language, and a reference with them: CycloneDX's own validator checks
  // the latter no further, too.
  ajv.addFormat('idn-email', /^[^@\s]+@[^@\s]+$/).addFormat('iri-reference', true);
  return ajv.compile(schema('bom-1.6'));
}

function packagesInProduction(): ReadonlyMap<string, LockEntry> {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockEntry>;
  };
  const production = Object.entries(packages).filter(
    ([place, { dev, link }]) => place.includes('node_modules/') && dev !== true && link !== true,
  );
  return new Map(
    production.map(([place, entry]) => [`${place.split('node_modules/').at(-1)}@${entry.version}`, entry]),
  );
}

describe('the list of components', () => {
  let directory: string;
  let text: string;
  let bom: BillOfMaterials;

  const write = (name: string): string => {
    const file = join(directory, name);
    const { status, stdout } = spawnSync(process.execPath, [join(ROOT, 'scripts', 'sbom.mjs'), file], {
      encoding: 'utf8',
      cwd: directory,
    });
    expect([status, stdout]).toEqual([0, `Wrote ${name}.\n`]);
    return readFileSync(file, 'utf8');
  };
  const nameOf = ({ group, name, version }: Component): string =>
    `${group === undefined ? '' : `${group}/`}${name}@${version}`;

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'workforce-sbom-'));
    text = write('sbom.json');
    bom = JSON.parse(text) as BillOfMaterials;
  });

  afterAll(() => rmSync(directory, { recursive: true }));

  it('is valid CycloneDX 1.6', () => {
    const validate = validator();
    expect([validate(bom), validate.errors]).toEqual([true, null]);
    expect(bom.specVersion).toBe('1.6');
  });

  it('has exactly the packages in production of the lockfile, with their digests and licences', () => {
    const locked = packagesInProduction();
    expect(bom.components.map(nameOf).sort()).toEqual([...locked.keys()].sort());
    for (const component of bom.components) {
      const { integrity } = locked.get(nameOf(component))!;
      const digests = (component.hashes ?? []).map(
        ({ alg, content }) => `${alg.replace('-', '').toLowerCase()}-${Buffer.from(content, 'hex').toString('base64')}`,
      );
      expect([nameOf(component), digests, component.licenses.length]).toEqual([
        nameOf(component),
        integrity === undefined ? [] : [integrity],
        1,
      ]);
    }
    expect(bom.components.filter(({ name }) => ['jest', 'prettier', 'eslint'].includes(name))).toEqual([]);
  });

  it('says what needs what, so that every package is reached from the program', () => {
    const needs = new Map(bom.dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]));
    const reached = new Set<string>();
    const visit = (ref: string): void => {
      if (reached.has(ref)) return;
      reached.add(ref);
      needs.get(ref)!.forEach(visit);
    };
    visit(bom.metadata.component['bom-ref']);
    expect([...reached].sort()).toEqual(
      [bom.metadata.component, ...bom.components].map((component) => component['bom-ref']).sort(),
    );
  });
});
