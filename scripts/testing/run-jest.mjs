import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { groupSpecs, nameOf } from './spec-groups.mjs';

const JEST = join('node_modules', 'jest', 'bin', 'jest.js');
/**
 * Megabytes of V8's young generation, in the workers too. Each file loads its modules for itself, and most of
 * them are garbage soon after: with the default of 16 they are copied more often, and a run takes 5 to 7
 * percent more processor time.
 */
const YOUNG_GENERATION = '--max-semi-space-size=64';
/** The minimum duration of a listed spec, so that the run shows its slow specs. */
const SLOW_SECONDS = 20;
const SLOWEST = 8;

/**
 * Runs Jest with a configuration. `parameters` name the specs, by default all of the configuration. `node` is
 * the command that runs Node.js, this process's own by default. If `inGroups` is set, specs share their
 * modules in groups. Returns the counts of a lane: a file that could not run counts as one failure, and so
 * does a skipped test, because skipped tests are not allowed.
 */
export function runJest({
  lane,
  configuration,
  parameters = [],
  inGroups = false,
  environment = {},
  node = [process.execPath],
}) {
  const directory = mkdtempSync(join(tmpdir(), 'workforce-report-'));
  const report = join(directory, 'report.json');
  const startedAt = Date.now();
  const [program, ...rest] = node;
  const env = { ...process.env, ...environment };
  const jest = [...rest, YOUNG_GENERATION, JEST, '--config', configuration];
  const groups = inGroups ? groupSpecs(lane, [program, ...jest], parameters, env) : { parameters, specs: [] };
  // Jest writes its readable output to standard error, and the report to its file.
  const { status } = spawnSync(program, [...jest, '--json', `--outputFile=${report}`, ...groups.parameters], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env,
  });
  const { passed, failed, slowest } = readReport(report, groups.specs);
  rmSync(directory, { recursive: true, force: true });
  for (const { name, seconds } of slowest) console.log(`       ${seconds.toFixed(0).padStart(4)} s  ${name}`);
  return { lane, passed, failed: failed === 0 && status !== 0 ? 1 : failed, seconds: (Date.now() - startedAt) / 1_000 };
}

/** Reads Jest's counts, and adds the specs of groups of which no test ran. */
function readReport(file, grouped) {
  let report;
  try {
    report = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // Jest ended before it could write one, and has reported the reason.
    return { passed: 0, failed: 1, slowest: [] };
  }
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, numRuntimeErrorTestSuites, testResults } =
    report;
  const specs = testResults.flatMap(specsOf);
  const missing = grouped.filter((name) => !specs.some((spec) => spec.name === name));
  for (const name of missing) console.log(`       no test ran of ${name}`);
  // A group that could not run has lost all its specs.
  const notRun = grouped.length === 0 ? numRuntimeErrorTestSuites : missing.length;
  const slowest = specs
    .filter(({ seconds }) => seconds >= SLOW_SECONDS)
    .sort((one, other) => other.seconds - one.seconds)
    .slice(0, SLOWEST);
  return { passed: numPassedTests, failed: numFailedTests + numPendingTests + numTodoTests + notRun, slowest };
}

/** The specs of a file of Jest, which is one of them or a group, and how long each took. */
function specsOf({ name, startTime, endTime, assertionResults }) {
  if (name.endsWith('.ts')) return [{ name: nameOf(name), seconds: (endTime - startTime) / 1_000 }];
  return [...new Set(assertionResults.map(({ ancestorTitles }) => ancestorTitles[0]))].map((spec) => {
    const tests = assertionResults.filter(({ ancestorTitles }) => ancestorTitles[0] === spec);
    const start = Math.min(...tests.map(({ startAt }) => startAt));
    const end = Math.max(...tests.map(({ startAt, duration }) => startAt + (duration ?? 0)));
    return { name: spec, seconds: (end - start) / 1_000 };
  });
}
