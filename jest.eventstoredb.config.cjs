const usual = require('./jest.config.cjs');

/**
 * The second lane: the adapter's contract, and the end-to-end suite on the EventStoreDB adapter, each
 * database with a test server of its own (`test/support/event-store.ts`). Left out is only what cannot say
 * anything about it:
 */
const LEFT_OUT = [
  // Runs the program as `npm start` does, whose event store is the embedded PostgreSQL.
  'apps/cli/serve/start.e2e.spec.ts',
  'apps/cli/sample-data/demo-receiver.e2e.spec.ts',
  // Alters rows of PostgreSQL's events by hand.
  'apps/cli/audit.e2e.spec.ts',
  // Has both event stores in the usual lane.
  'test/e2e/move-the-event-store.e2e.spec.ts',
  'test/e2e/event-log-in-use.e2e.spec.ts',
  // A PostgreSQL of the first version, with its events.
  'test/e2e/first-data-directory.e2e.spec.ts',
  // Backups are of PostgreSQL alone, and say so where events are elsewhere.
  'test/e2e/backup-restore.e2e.spec.ts',
  'apps/cli/former-schema.e2e.spec.ts',
  // No events: the checks of the pipeline over widgets that rest in a table.
  'test/e2e/http-.*',
  'test/e2e/cross-origin.e2e.spec.ts',
  // Open screens in Chromium, which read projections: on PostgreSQL they show that these are drawn.
  'test/e2e/console/(every-screen|people-screens|time-screens|connections|imports-and-payroll).e2e.spec.ts',
  // Opens pages of the documentation.
  'test/e2e/reader.e2e.spec.ts',
];

// Workers inherit it.
process.env.WORKFORCE_TEST_EVENT_STORE = 'eventstoredb';

module.exports = {
  ...usual,
  maxWorkers: '100%',
  testMatch: [
    '<rootDir>/test/e2e/**/*.spec.ts',
    '<rootDir>/apps/cli/**/*.e2e.spec.ts',
    '<rootDir>/test/contract/eventstoredb-event-store*.spec.ts',
  ],
  testPathIgnorePatterns: LEFT_OUT.map((file) => `<rootDir>/${file}`),
};
