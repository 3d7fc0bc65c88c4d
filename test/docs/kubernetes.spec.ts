import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import { CronJob, Job } from 'kubernetes-models/batch/v1';
import { Deployment } from 'kubernetes-models/apps/v1';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, type IPodSpec, PersistentVolumeClaim, Service } from 'kubernetes-models/v1';
import ts from 'typescript';
import { parse, parseAllDocuments } from 'yaml';
import { commandLine } from '#cli/command-line.js';
import { VARIABLES } from '#configuration/configuration.js';

const ROOT = resolve(__dirname, '..', '..');
const CHART = join(ROOT, 'deploy', 'helm');
const read = (...name: readonly string[]): string => readFileSync(join(...name), 'utf8');
const { version } = JSON.parse(read(ROOT, 'package.json')) as { version: string };

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: Readonly<Record<string, unknown>>;
}
type Files = Readonly<Record<string, readonly Manifest[]>>;

const MODELS = { ConfigMap, CronJob, Deployment, Ingress, Job, PersistentVolumeClaim, PodDisruptionBudget, Service };
/** Keys of the Secret, as scripts/make-production-secrets.mjs names its files. */
const KEYS = ['database_url', 'ops_token', 'master_key', 'redis_url', 'eventstore_url'];
/** Sets of values that reach every branch of the templates. */
const SETS: Readonly<Record<string, object>> = {
  'the defaults': {},
  'EventStoreDB, without Redis': { secret: { redis: false, eventstore: true, variables: ['OIDC_CLIENT_SECRET'] } },
  'no ingress, another class of storage': { ingress: { enabled: false }, backup: { storageClass: 'fast' } },
  'a class of ingress, annotations, settings': {
    ingress: { className: 'haproxy', annotations: { 'cert-manager.io/cluster-issuer': 'letsencrypt' } },
    settings: { REQUEST_LOG: 'off' },
    backup: { enabled: false },
  },
};

function rendered(values: object): Files {
  const script = join(ROOT, 'scripts', 'write-kubernetes-manifests.mjs');
  const parameters = [script, '--print', JSON.stringify(values)];
  return JSON.parse(execFileSync(process.execPath, parameters, { encoding: 'utf8' })) as Files;
}

const sets = Object.entries(SETS).map(([name, values]) => ({ name, objects: Object.values(rendered(values)).flat() }));
const podsOf = (objects: readonly Manifest[]): readonly { readonly name: string; readonly pod: IPodSpec }[] =>
  objects.flatMap(({ kind, metadata: { name }, spec }) => {
    if (kind !== 'Deployment' && kind !== 'Job' && kind !== 'CronJob') return [];
    const job = kind === 'CronJob' ? (spec['jobTemplate'] as Manifest).spec : spec;
    return [{ name, pod: (job['template'] as { readonly spec: IPodSpec }).spec }];
  });
const PODS = podsOf(sets[0]!.objects);

it('the manifests are the chart; if not: node scripts/write-kubernetes-manifests.mjs', () => {
  const folder = join(ROOT, 'deploy', 'kubernetes');
  const written = Object.fromEntries(
    readdirSync(folder).map((file) => [
      file,
      parseAllDocuments(read(folder, file)).map((one) => one.toJS() as Manifest),
    ]),
  );
  expect(written).toEqual(rendered({}));
});

describe.each(sets)('the objects of the chart with $name', ({ objects }) => {
  it('are valid by the schemas of Kubernetes', () => {
    for (const object of objects) {
      const Model = MODELS[object.kind as keyof typeof MODELS];
      const model = new Model(object as never);
      expect(() => model.validate()).not.toThrow();
      expect(model.apiVersion).toBe(object.apiVersion);
    }
  });

  it('name Secrets, ConfigMaps, claims and Services that exist, by keys and ports that they have', () => {
    const names = (kind: string): readonly string[] =>
      objects.filter((object) => object.kind === kind).map(({ metadata: { name } }) => name);
    for (const { pod } of podsOf(objects)) {
      const [container] = pod.containers;
      for (const from of container!.envFrom ?? []) expect(names('ConfigMap')).toContain(from.configMapRef!.name);
      for (const { name, value } of container!.env ?? []) {
        expect(VARIABLE_NAMES).toContain(name.replace(/_FILE$/, ''));
        if (name.endsWith('_FILE'))
          expect(['OIDC_CLIENT_SECRET', ...KEYS].map((key) => `/run/secrets/workforce/${key}`)).toContain(value);
      }
      for (const volume of pod.volumes!) {
        if (volume.persistentVolumeClaim !== undefined)
          expect(names('PersistentVolumeClaim')).toContain(volume.persistentVolumeClaim.claimName);
        if (volume.secret !== undefined) expect(volume.secret.secretName).toBe('workforce-hr');
      }
      expect(container!.volumeMounts!.map(({ name }) => name)).toEqual(pod.volumes!.map(({ name }) => name));
    }
    const selected = (kind: string): readonly string[] =>
      objects.filter((object) => object.kind === kind).map(({ spec }) => JSON.stringify(spec['selector']));
    const ofDeployments = selected('Deployment').map(
      (text) => (JSON.parse(text) as { matchLabels: object }).matchLabels,
    );
    expect(selected('PodDisruptionBudget')).toEqual(selected('Deployment'));
    expect(selected('Service')).toEqual(ofDeployments.map((labels) => JSON.stringify(labels)));
  });
});

it('the objects of the chart have no field that Kubernetes does not know', () => {
  const lines = sets
    .flatMap(({ objects }) => objects)
    .map(
      (object) =>
        `(${JSON.stringify(object)}) satisfies import('kubernetes-models/${object.apiVersion}').I${object.kind};`,
    );
  expect(problemsOfTypes(lines.join('\n'))).toEqual([]);
});

const VARIABLE_NAMES = Object.values(VARIABLES).map(({ name }) => name as string);

describe('the chart', () => {
  it('is of the version of the program, and its values have the form that it states', () => {
    expect(parse(read(CHART, 'Chart.yaml'))).toMatchObject({ version, appVersion: version });
    const validate = new Ajv({ strict: false }).compile(JSON.parse(read(CHART, 'values.schema.json')) as object);
    expect(validate(parse(read(CHART, 'values.yaml'))) || validate.errors).toBe(true);
    expect(validate({ ...(parse(read(CHART, 'values.yaml')) as object), publicUrl: 'http://hr' })).toBe(false);
  });

  it('has an API, a worker, a migration and a backup, by commands that the program has', async () => {
    const commands = (await commandLine()).commands.map((command) => command.name());
    expect(PODS.map(({ name }) => name)).toEqual([
      'workforce-api',
      'workforce-backup',
      'workforce-migrate',
      'workforce-worker',
    ]);
    for (const { pod } of PODS) {
      const [{ args, command, image }] = pod.containers as [IPodSpec['containers'][0]];
      expect(image).toBe(`workforce-hr:${version}`);
      if (args !== undefined) expect(commands).toContain(args[0]);
      else expect(command!.slice(0, 2)).toEqual(['sh', '/app/deploy/back-up.sh']);
    }
  });

  it('sets variables that the program has, and gives it the time that a stop needs', () => {
    const settings = sets[0]!.objects.find(({ kind }) => kind === 'ConfigMap') as unknown as {
      readonly data: Readonly<Record<string, string>>;
    };
    for (const name of Object.keys(settings.data)) expect(VARIABLE_NAMES).toContain(name);
    const stop = Number(settings.data['DRAIN_SECONDS']) + Number(settings.data['SHUTDOWN_SECONDS']);
    for (const { pod } of PODS.filter(({ name }) => /api|worker/.test(name)))
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(stop);
  });
});

describe.each(PODS)('the pods of $name', ({ pod }) => {
  const [container] = pod.containers;

  it('have no more rights than they need, and limits', () => {
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(container!.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container!.resources).toEqual({
      requests: { cpu: expect.any(String), memory: expect.any(String) },
      limits: { cpu: expect.any(String), memory: expect.any(String) },
    });
  });
});

/** What TypeScript says about a file of the project that has this text. */
function problemsOfTypes(text: string): readonly string[] {
  const file = join(ROOT, 'test', 'docs', 'objects-of-the-chart.ts');
  const options: ts.CompilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2022) : getSourceFile(name, ...rest);
  const program = ts.createProgram([file], options, host);
  return program
    .getSemanticDiagnostics(program.getSourceFile(file))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}
