const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const usual = require('./jest.config.cjs');
const { ONLY_LONG } = require('./jest.release.cjs');

/** Specs that state a larger size for this lane: `testSize('…', { usual, long })`. */
function withLongSize() {
  return ['apps', 'libs', 'test'].flatMap((folder) =>
    readdirSync(join(__dirname, folder), { recursive: true })
      .filter((name) => name.endsWith('.spec.ts'))
      .map((name) => `${folder}/${name}`)
      .filter((name) => /testSize\([^)]*\blong:/.test(readFileSync(join(__dirname, name), 'utf8'))),
  );
}

// Workers inherit it. The short lanes set it to `usual`.
process.env.WORKFORCE_TEST_SIZE ??= 'long';

/** The storms of test/long, the specs that only this lane runs, and other tests at their large sizes. */
module.exports = {
  ...usual,
  maxWorkers: '100%',
  testPathIgnorePatterns: [],
  testMatch: [
    '<rootDir>/test/long/**/*.spec.ts',
    ...new Set([...ONLY_LONG, ...withLongSize()].map((name) => `<rootDir>/${name}`)),
  ],
};
