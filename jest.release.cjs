const { existsSync } = require('node:fs');
const { join } = require('node:path');

/**
 * Specs that guard a release and are too slow for each change: `npm run test:long` runs them, and every run
 * that names them.
 */
exports.ONLY_LONG = [
  'apps/cli/development.e2e.spec.ts',
  'apps/cli/former-schema.e2e.spec.ts',
  'apps/cli/nest-cli.e2e.spec.ts',
  'apps/cli/projections.e2e.spec.ts',
  'apps/cli/sample-data/demo-receiver.e2e.spec.ts',
  'apps/cli/sample-data/seed-demo.int.spec.ts',
  'apps/cli/webhooks.e2e.spec.ts',
  'libs/projections/rebuild/rebuild-interrupted.int.spec.ts',
  'libs/webhooks/deliver/neighbours.int.spec.ts',
  'test/e2e/background-jobs.e2e.spec.ts',
  'test/e2e/backup-restore.e2e.spec.ts',
  'test/e2e/console/audit-screens.e2e.spec.ts',
  'test/e2e/console/connections.e2e.spec.ts',
  'test/e2e/console/every-screen.e2e.spec.ts',
  'test/e2e/console/imports-and-payroll.e2e.spec.ts',
  'test/e2e/console/people-screens.e2e.spec.ts',
  'test/e2e/console/time-screens.e2e.spec.ts',
  'test/e2e/expired-receipts.e2e.spec.ts',
  'test/e2e/fuzz.e2e.spec.ts',
  'test/e2e/import.e2e.spec.ts',
  'test/e2e/key-rings.e2e.spec.ts',
  'test/e2e/kills.e2e.spec.ts',
  'test/e2e/known-at-races.e2e.spec.ts',
  'test/e2e/lag-after-an-import.e2e.spec.ts',
  'test/e2e/long-session.e2e.spec.ts',
  'test/e2e/mcp/disposition.e2e.spec.ts',
  'test/e2e/move-the-event-store.e2e.spec.ts',
  'test/e2e/nothing-private-in-errors.e2e.spec.ts',
  'test/e2e/reader.e2e.spec.ts',
  'test/e2e/reference-races.e2e.spec.ts',
  'test/tours/first-pages.e2e.spec.ts',
];

for (const file of exports.ONLY_LONG)
  if (!existsSync(join(__dirname, file))) throw new Error(`${file} is in jest.release.cjs, and does not exist`);
