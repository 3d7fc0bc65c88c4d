/**
 * `npm test`: all checks of a change. Build, types, lint, the directions of dependencies, the OpenAPI
 * document, and all tests on PostgreSQL but those of test/long and jest.release.cjs. The last line is `N
 * passed, N failed`.
 *
 * `npm test -- JEST ARGUMENTS`: only those tests, after the build.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { BUILD, CONSOLE_TYPES, DEPENDENCIES, FOLDERS, FORMAT, LINT, OPENAPI, TYPES } from './testing/checks.mjs';
import { runJest } from './testing/run-jest.mjs';
import { Tally } from './testing/tally.mjs';

const parameters = process.argv.slice(2);
const tally = new Tally();
// Without these programs their tests fail one by one, each after a wait.
const { status: programs } = spawnSync(process.execPath, [join(import.meta.dirname, 'ensure-test-programs.mjs')], {
  stdio: ['ignore', 'inherit', 'inherit'],
});
if (programs === 0) {
  await tally.check(BUILD);
  if (parameters.length === 0)
    await Promise.all([
      tally.check(TYPES).then(() => tally.check(CONSOLE_TYPES)),
      tally.check(LINT).then(() => tally.check(DEPENDENCIES, FOLDERS, FORMAT, OPENAPI)),
    ]);
  tally.add(
    runJest({ lane: 'PostgreSQL', configuration: 'jest.config.cjs', parameters, inGroups: parameters.length === 0 }),
  );
} else {
  tally.failed += 1;
}
tally.end();
