/**
 * `npm run test:long`: the release checks that take longer than a change can wait for: the end-to-end tests
 * on EventStoreDB, the storms of test/long, the large sizes of tests that have one, a short lane on the next
 * Node.js, whether docs/reference/generated/ways.md shows the ways through the code as they are, and a dry
 * run of a release. The last line is `N passed, N failed`.
 *
 * `npm run test:long -- LANE…` runs only the lanes named: eventstoredb, storms, node, ways, release. With
 * `--short` each lane runs the part for every submission: the contract of the event store and a dozen
 * end-to-end specs on EventStoreDB, and the storms at their smallest size.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { BUILD, RELEASE, WAYS } from './testing/checks.mjs';
import { runJest } from './testing/run-jest.mjs';
import { Tally } from './testing/tally.mjs';

/** The Node.js that is tested besides the current one, from the npm package `node`. */
const OTHER_NODE = ['npx', '--yes', '--package=node@24', '--', 'node'];
/** A few specs of each kind: pure rules, each engine, the pipeline, and the program as a process. */
const ON_OTHER_NODE = [
  'libs/kernel',
  'libs/http',
  'test/contract/(postgres|memory)-event-store.int',
  'test/contract/(postgres|redis)-job-engine',
  'test/e2e/contract/',
  'apps/cli/serve/start.e2e',
  'apps/cli/command-line.e2e',
  'apps/cli/nest-cli.e2e',
];
/** The adapter's contract, and the specs that depend most on the order and the conditions of appends. */
const ON_EVENT_STORE_DB = [
  'test/contract/eventstoredb-event-store',
  'test/e2e/contract/part-[367]',
  'test/e2e/(people|write-conventions|employment-history|timeline-known-at|time-off|time-off-races)\\.e2e',
  'test/e2e/(erasure|races|updated-since|webhook-delivery)\\.e2e',
  'test/e2e/import-people.int',
];
/**
 * Every kind of fault once: killed processes and engines, a store that hangs, clocks that differ, a restart
 * under load. One after the other, because two together overload a small machine, which then refuses requests
 * (503) that the restart must not lose.
 */
const SMALL_STORMS = [
  '--runInBand',
  'test/long/(kills-under-load|event-store-storm|event-store-away|webhook-storm)',
  'test/long/(rolling-restart|several-processes|write-proposals-killed)',
  'test/e2e/(kills|background-jobs).e2e',
];

const tally = new Tally();
const tests = (settings) => () => tally.add(runJest(settings));
const EVENT_STORE_DB = { lane: 'EventStoreDB', configuration: 'jest.eventstoredb.config.cjs', inGroups: true };
const STORMS = { lane: 'storms and large sizes', configuration: 'jest.long.config.cjs' };
const NODE = { lane: 'Node.js 24', configuration: 'jest.config.cjs', parameters: ON_OTHER_NODE, node: OTHER_NODE };
const WHOLE = {
  eventstoredb: tests(EVENT_STORE_DB),
  storms: tests(STORMS),
  node: tests(NODE),
  ways: () => tally.check(WAYS),
  release: () => tally.check(RELEASE),
};
const SHORT = {
  ...WHOLE,
  eventstoredb: tests({ ...EVENT_STORE_DB, parameters: ON_EVENT_STORE_DB }),
  storms: tests({
    ...STORMS,
    lane: 'small storms',
    parameters: SMALL_STORMS,
    environment: { WORKFORCE_TEST_SIZE: 'usual' },
  }),
};

const requested = process.argv.slice(2).filter((parameter) => parameter !== '--short');
const lanes = process.argv.includes('--short') ? SHORT : WHOLE;
const unknown = requested.filter((lane) => !(lane in lanes));
if (unknown.length > 0) {
  console.error(`There is no lane ${unknown.join(', ')}: name some of ${Object.keys(lanes).join(', ')}.`);
  process.exit(2);
}

const { status: programs } = spawnSync(process.execPath, [join(import.meta.dirname, 'ensure-test-programs.mjs')], {
  stdio: ['ignore', 'inherit', 'inherit'],
});
if (programs === 0) {
  await tally.check(BUILD);
  for (const [name, run] of Object.entries(lanes)) if (requested.length === 0 || requested.includes(name)) await run();
} else {
  tally.failed += 1;
}
tally.end();
