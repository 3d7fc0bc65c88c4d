/**
 * `npm run test:long`: what guards a release and takes longer than anybody waits for at each change: the end-to-end tests on EventStoreDB,
 * the storms of test/long, the large sizes of tests that have one, a short lane on the next Node.js, and whether docs/data-flow.md shows the ways through the code as they are.
 * The last line is `N passed, N failed`.
 *
 * `npm run test:long -- LANE…` runs only the lanes named: eventstoredb, storms, node, ways.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { BUILD, WAYS } from './testing/checks.mjs';
import { runJest } from './testing/run-jest.mjs';
import { Tally } from './testing/tally.mjs';

/** The Node.js that is tried beside the one at hand; the npm package `node` brings it. */
const OTHER_NODE = ['npx', '--yes', '--package=node@24', '--', 'node'];
/** Of each kind a few: pure rules, each engine, the pipeline, and the program as a process. */
const ON_OTHER_NODE = [
  'libs/kernel',
  'libs/http',
  'test/contract/(postgres|memory)-event-store.int',
  'test/contract/(postgres|redis)-wake-signal-queue',
  'test/e2e/contract/',
  'apps/cli/serve/start.e2e',
  'apps/cli/command-line.e2e',
];

const tally = new Tally();
const tests = (settings) => () => tally.add(runJest(settings));
const LANES = {
  eventstoredb: tests({ lane: 'EventStoreDB', configuration: 'jest.eventstoredb.config.cjs', inGroups: true }),
  storms: tests({ lane: 'storms and large sizes', configuration: 'jest.long.config.cjs' }),
  node: tests({ lane: 'Node.js 24', configuration: 'jest.config.cjs', parameters: ON_OTHER_NODE, node: OTHER_NODE }),
  ways: () => tally.check(WAYS),
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((lane) => !(lane in LANES));
if (unknown.length > 0) {
  console.error(`There is no lane ${unknown.join(', ')}: name some of ${Object.keys(LANES).join(', ')}.`);
  process.exit(2);
}

const { status: programs } = spawnSync(process.execPath, [join(import.meta.dirname, 'ensure-test-programs.mjs')], {
  stdio: ['ignore', 'inherit', 'inherit'],
});
if (programs === 0) {
  await tally.check(BUILD);
  for (const [name, run] of Object.entries(LANES)) if (wanted.length === 0 || wanted.includes(name)) await run();
} else {
  tally.failed += 1;
}
tally.end();
