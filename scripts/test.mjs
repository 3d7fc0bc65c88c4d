/**
 * Everything that has to hold before a change lands, once redis-server is there: types, lint, the directions of dependencies, and all tests.
 * The last line is `N passed, N failed`: each check counts as one, each test as one.
 *
 * `node scripts/test.mjs [JEST ARGUMENTS]`: with arguments only those tests run, after the build, on PostgreSQL.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CHECKS = [
  { name: 'build', command: ['tsc', '-p', 'tsconfig.build.json'], fix: 'mend the types it names' },
  { name: 'types of the tests', command: ['tsc', '--noEmit', '--incremental', 'false', '-p', 'tsconfig.json'], fix: 'mend the types it names' },
  { name: 'lint', command: ['eslint', '.'], fix: 'npx eslint . --fix mends some of it' },
  { name: 'dependency directions', command: ['depcruise', 'apps', 'libs', 'test'], fix: 'docs/map.md says which part may know which' },
];

/** All tests, and then the end-to-end ones again on the other event store. */
const LANES = [
  { lane: 'PostgreSQL', configuration: 'jest.config.cjs' },
  { lane: 'EventStoreDB', configuration: 'jest.eventstoredb.config.cjs' },
];

const jestArguments = process.argv.slice(2);
// Without it the tests of the queue on Redis fail one by one, each after a wait.
const { status: redis } = spawnSync(process.execPath, [join(import.meta.dirname, 'ensure-redis.mjs')], { stdio: ['ignore', 'inherit', 'inherit'] });
if (redis !== 0) {
  console.log('0 passed, 1 failed');
  process.exit(1);
}

const temporary = mkdtempSync(join(tmpdir(), 'workforce-test-'));
let passed = 0;
let failed = 0;

for (const { name, command, fix } of jestArguments.length === 0 ? CHECKS : CHECKS.slice(0, 1)) {
  const startedAt = Date.now();
  const succeeded = run(command);
  console.log(`${succeeded ? 'ok    ' : 'FAILED'} ${name} (${((Date.now() - startedAt) / 1_000).toFixed(1)} s)${succeeded ? '' : `: ${fix}`}`);
  if (succeeded) passed += 1;
  else failed += 1;
}

for (const { lane, configuration } of jestArguments.length === 0 ? LANES : LANES.slice(0, 1)) {
  const report = join(temporary, `${lane}.json`);
  const testsSucceeded = run(['jest', '--config', configuration, '--json', `--outputFile=${report}`, ...jestArguments]);
  const counts = readReport(report);
  console.log(`${testsSucceeded ? 'ok    ' : 'FAILED'} tests on ${lane}: ${counts.passed} passed, ${counts.failed} failed`);
  passed += counts.passed;
  failed += counts.failed;
  if (!testsSucceeded && counts.failed === 0) failed += 1;
}
rmSync(temporary, { recursive: true, force: true });

console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** Runs a program of node_modules/.bin; Jest's JSON goes to its file and not to standard output. */
function run([program, ...parameters]) {
  const { status } = spawnSync(join('node_modules', '.bin', program), parameters, {
    stdio: ['ignore', program === 'jest' ? 'ignore' : 'inherit', 'inherit'],
  });
  return status === 0;
}

/** Counts tests; a file that could not run at all is one failure. Skipped tests count as failures: there are to be none. */
function readReport(file) {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(file, 'utf8'));
    return { passed: numPassedTests, failed: numFailedTests + numPendingTests + numTodoTests + numRuntimeErrorTestSuites };
  } catch {
    return { passed: 0, failed: 1 };
  }
}
