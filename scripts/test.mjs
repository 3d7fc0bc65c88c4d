/**
 * Everything that has to hold before a change lands: types, lint, the directions of dependencies, and all tests.
 * The last line is `N passed, N failed`: each check counts as one, each test as one.
 *
 * `node scripts/test.mjs [JEST ARGUMENTS]`: with arguments only those tests run, after the build.
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

const jestArguments = process.argv.slice(2);
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

const report = join(temporary, 'jest.json');
const testsSucceeded = run(['jest', '--json', `--outputFile=${report}`, ...jestArguments]);
const counts = readReport(report);
passed += counts.passed;
failed += counts.failed;
if (!testsSucceeded && counts.failed === 0) failed += 1;
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
