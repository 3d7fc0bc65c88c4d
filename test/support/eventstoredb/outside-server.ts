/**
 * Names an EventStoreDB that this project does not start, by its connection string: `docs/reference/tests.md`
 * says how it is used.
 */
const VARIABLE = 'WORKFORCE_TEST_EVENTSTORE_URL';

/** The connection string of the outside server; null where tests start servers of their own. */
export const outsideServer = process.env[VARIABLE] ?? null;

/**
 * As `describe`, for tests of what only the test server can do: on an outside server they are skipped by
 * name, and the reason is printed.
 *
 * @param reason - what an outside server cannot be told to do: `fail an append`
 */
export function describeOnTestServer(name: string, reason: string, tests: () => void): void {
  if (outsideServer === null) return describe(name, tests);
  process.stderr.write(`Skipped, because ${VARIABLE} names an outside server, which cannot ${reason}: ${name}\n`);
  describe.skip(name, tests);
}
