/**
 * Which part may know which. The arrows of docs/map.md, checked. The aliases of package.json (`#kernel/…`) lead to `dist`,
 * so a folder counts the same below it.
 */
module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'Two files that need each other are one file, or hide a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    { name: 'kernel-stands-alone', severity: 'error', from: { path: '^libs/kernel/' }, to: { pathNot: '^(dist/)?libs/kernel/' } },
    {
      name: 'deciders-are-pure',
      severity: 'error',
      from: { path: '\\.decider\\.ts$' },
      to: {
        pathNot: [
          '^(dist/)?libs/kernel/',
          '\\.decider\\.[jt]s$',
          '\\.rules\\.[jt]s$',
          '^libs/resources/people/employment/timeline\\.ts$',
          '^(dist/)?libs/resources/naming/',
          '^libs/resources/organisation/country/country-codes\\.ts$',
        ],
      },
    },
    {
      name: 'identifiers-know-the-kernel',
      severity: 'error',
      from: { path: '^libs/identifiers/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(dist/)?(libs/(?!kernel|identifiers)|apps)' },
    },
    {
      name: 'database-knows-the-kernel',
      severity: 'error',
      from: { path: '^libs/database/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(dist/)?(libs/(?!kernel|database|configuration)|apps)' },
    },
    {
      name: 'event-store-knows-no-resource',
      severity: 'error',
      from: { path: '^libs/event-store/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(dist/)?(libs/(projections|commands|http|webhooks|resources)|apps)' },
    },
    {
      name: 'jobs-know-the-database',
      severity: 'error',
      from: { path: '^libs/jobs/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(dist/)?(libs/(?!jobs|kernel|database|configuration)|apps)' },
    },
    {
      name: 'tracing-knows-nobody',
      severity: 'error',
      from: { path: '^libs/tracing/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(dist/)?(libs/(?!tracing)|apps)' },
    },
    {
      name: 'projections-know-no-resource',
      severity: 'error',
      from: { path: '^libs/projections/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(dist/)?(libs/(commands|http|webhooks|resources)|apps)' },
    },
    {
      name: 'audit-knows-no-resource',
      severity: 'error',
      from: { path: '^libs/audit/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(dist/)?(libs/(http|webhooks|resources)|apps)' },
    },
    {
      name: 'http-knows-no-resource',
      severity: 'error',
      from: { path: '^libs/http/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(dist/)?(libs/(projections|webhooks|resources)|apps)' },
    },
    {
      name: 'http-knows-no-store',
      comment: 'libs/commands reads, records and says what an error of a store means; libs/http only translates.',
      severity: 'error',
      from: {
        path: '^libs/http/',
        pathNot: '\\.spec\\.ts$',
      },
      to: { path: '^(dist/)?libs/(event-store|database|embedded-postgres|audit)' },
    },
    {
      name: 'client-stands-alone',
      comment: 'It is published: integrators have nothing else of this program.',
      severity: 'error',
      from: { path: '^libs/client/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(dist/)?(libs/(?!client)|apps)' },
    },
    {
      name: 'console-knows-the-client-alone',
      comment: 'What the console shows, a key with the same scopes may read.',
      severity: 'error',
      from: { path: '^apps/console/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(dist/)?(libs/(?!client)|apps/(?!console))' },
    },
    { name: 'only-apps-know-mcp', severity: 'error', from: { path: '^libs/(?!mcp/)' }, to: { path: '^(dist/)?libs/mcp/' } },
    {
      name: 'mcp-knows-http-alone',
      comment: 'AI clients reach what the routes declare: no resource, no store, no way beside the pipeline.',
      severity: 'error',
      from: { path: '^libs/mcp/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(dist/)?(libs/(?!mcp|http|kernel)|apps)' },
    },
    {
      name: 'embedded-postgres-knows-errors',
      severity: 'error',
      from: { path: '^libs/embedded-postgres/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(dist/)?(libs/(?!embedded-postgres|database/error-code|kernel|configuration)|apps)' },
    },
    {
      name: 'commands-know-no-http',
      severity: 'error',
      from: { path: '^libs/commands/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(dist/)?(libs/(http|webhooks|resources|audit|embedded-postgres)|apps)' },
    },
    {
      name: 'commands-know-no-request',
      comment: 'A command holds domain values and its handler returns a domain result: controllers present it, and others send it too.',
      severity: 'error',
      from: { path: '^libs/resources/.*\\.(handlers|commands)\\.ts$' },
      to: { path: '^(dist/)?libs/http/((call|operation|send|errors|pages)\\.|headers/|pipeline/|operations/)' },
    },
    {
      name: 'webhooks-know-no-http',
      comment: 'Webhooks stand beside libs/http: what both know of events lies in the kernel.',
      severity: 'error',
      from: { path: '^libs/webhooks/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(dist/)?(libs/(http|resources)|apps)' },
    },
    { name: 'libs-know-no-app', severity: 'error', from: { path: '^libs/' }, to: { path: '^(dist/)?apps/' } },
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
