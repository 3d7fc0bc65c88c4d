/** Which part may know which. The arrows of docs/map.md, checked. */
module.exports = {
  forbidden: [
    { name: 'no-circular', comment: 'Two files that need each other are one file, or hide a third.', severity: 'error', from: {}, to: { circular: true } },
    { name: 'kernel-stands-alone', severity: 'error', from: { path: '^libs/kernel/' }, to: { pathNot: '^libs/kernel/' } },
    {
      name: 'deciders-are-pure',
      severity: 'error',
      from: { path: '\\.decider\\.ts$' },
      to: { pathNot: ['^libs/kernel/', '\\.decider\\.ts$', '\\.rules\\.ts$', '^libs/resources/employment/timeline\\.ts$', '^libs/resources/[a-z-]+/[a-z-]+\\.rules\\.ts$', '^libs/resources/naming/', '^libs/resources/organisation/country-codes\\.ts$'] },
    },
    { name: 'identifiers-know-the-kernel', severity: 'error', from: { path: '^libs/identifiers/' }, to: { path: '^(libs/(?!kernel|identifiers)|apps)' } },
    { name: 'database-knows-the-kernel', severity: 'error', from: { path: '^libs/database/' }, to: { path: '^(libs/(?!kernel|database|configuration)|apps)' } },
    { name: 'event-store-knows-no-resource', severity: 'error', from: { path: '^libs/event-store/' }, to: { path: '^(libs/(projections|http|resources)|apps)' } },
    { name: 'projections-know-no-resource', severity: 'error', from: { path: '^libs/projections/' }, to: { path: '^(libs/(http|resources)|apps)' } },
    { name: 'http-knows-no-resource', severity: 'error', from: { path: '^libs/http/' }, to: { path: '^(libs/(projections|resources)|apps)' } },
    { name: 'libs-know-no-app', severity: 'error', from: { path: '^libs/' }, to: { path: '^apps/' } },
    { name: 'api-and-worker-know-no-command-line', severity: 'error', from: { path: '^apps/(api|worker)/' }, to: { path: '^apps/cli/' } },
    { name: 'no-tests-in-the-product', severity: 'error', from: { path: '^(apps|libs)/', pathNot: '\\.spec\\.ts$' }, to: { path: '^test/' } },
    { name: 'no-development-dependencies-in-the-product', severity: 'error', from: { path: '^(apps|libs)/', pathNot: '\\.spec\\.ts$' }, to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] } },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|node_modules)/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default', 'types'], extensions: ['.ts', '.js', '.json'] },
  },
};
