/**
 * `npm run test:fast`: the checks that take less than a minute. Types, lint, and the specs that need no
 * engine. The last line is `N passed, N failed`.
 */
import { CONSOLE_TYPES, FORMAT, LINT, TYPES } from './testing/checks.mjs';
import { runJest } from './testing/run-jest.mjs';
import { Tally } from './testing/tally.mjs';

/** Neither `.int.spec.ts` nor `.e2e.spec.ts`, and no property that takes long. */
const PURE = ['--testPathPatterns', '^(?!.*(\\.int|\\.e2e)\\.spec\\.ts$)', '--testPathIgnorePatterns', '/test/'];

const tally = new Tally();
await tally.check(TYPES, CONSOLE_TYPES, LINT, FORMAT);
tally.add(runJest({ lane: 'without engines', configuration: 'jest.config.cjs', parameters: PURE }));
tally.end();
