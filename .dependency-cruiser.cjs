/**
 * Which part may know which: the arrows of docs/map.md. The aliases of package.json (`#kernel/…`) lead to
 * `dist`, so a folder counts the same below it.
 */
const MAY_IMPORT = {
  // What carries the product, from the bottom.
  kernel: [],
  tracing: [],
  configuration: ['kernel'],
  identifiers: ['kernel'],
  database: ['kernel', 'configuration'],
  'embedded-postgres': ['kernel', 'configuration', 'database'],
  jobs: ['kernel', 'configuration', 'database'],
  'event-store': ['kernel', 'configuration', 'database', 'tracing'],
  projections: ['kernel', 'identifiers', 'database', 'event-store', 'tracing'],
  commands: ['kernel', 'identifiers', 'database', 'event-store', 'tracing', 'projections'],
  // Only commands read and record; HTTP translates.
  http: ['kernel', 'configuration', 'identifiers', 'tracing', 'commands'],
};
const BELOW = Object.keys(MAY_IMPORT).filter((name) => name !== 'embedded-postgres');
/** The contexts, each with those that it may import besides what carries the product. */
const CONTEXTS = {
  'csv-import': [],
  organisation: ['csv-import'],
  people: ['csv-import', 'organisation'],
  'time-off': ['csv-import', 'organisation', 'people'],
  payroll: ['csv-import', 'people'],
  webhooks: [],
  access: ['organisation', 'people', 'webhooks'],
  audit: ['people'],
  mcp: ['access', 'people'],
  imports: ['csv-import', 'organisation', 'people', 'time-off', 'payroll'],
};
for (const [name, others] of Object.entries(CONTEXTS)) MAY_IMPORT[name] = [...BELOW, ...others];
/** One line a resource, and what derives from it. */
MAY_IMPORT.composition = [...BELOW, ...Object.keys(CONTEXTS)];
/** It is published: integrators have nothing else of this program. */
MAY_IMPORT.client = [];

const arrows = Object.entries(MAY_IMPORT).map(([name, others]) => ({
  name: `${name}-imports-what-is-listed`,
  severity: 'error',
  from: { path: `^libs/${name}/`, pathNot: '\\.spec\\.ts$' },
  to: { path: `^(dist/)?(libs/(?!(${[name, ...others].join('|')})/)|apps/)` },
}));

module.exports = {
  forbidden: [
    ...arrows,
    {
      name: 'no-circular',
      comment: 'Two files that need each other are one file, or hide a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'rules-are-pure',
      comment: 'Rules know the kernel, other rules, checks of fields, and the types that they judge.',
      severity: 'error',
      from: { path: '\\.rules\\.ts$' },
      to: {
        path: '^(dist/)?libs/(database|event-store|projections|commands|http/(?!fields))',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'console-knows-the-client-alone',
      comment: 'A key with the same scopes may read what the console shows.',
      severity: 'error',
      from: { path: '^apps/console/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(dist/)?(libs/(?!client)|apps/(?!console))' },
    },
    {
      name: 'api-and-worker-know-no-command-line',
      severity: 'error',
      from: { path: '^apps/(api|worker)/' },
      to: { path: '^(dist/)?apps/cli/' },
    },
    {
      name: 'no-tests-in-the-product',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(dist/)?test/' },
    },
    {
      name: 'no-development-dependencies-in-the-product',
      severity: 'error',
      // The console is bundled when the program is built.
      from: { path: '^(apps|libs)/', pathNot: '\\.spec\\.ts$|^apps/console/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: ['node_modules', '^dist'] },
    exclude: { path: '^node_modules/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.json', '.css'],
    },
  },
};
