/** The amount of work of one test. */
export interface Sizes {
  /** In `npm test`, on PostgreSQL. */
  readonly usual: number;
  /** In the long lane of `npm run test:long`; the usual size where not given. */
  readonly long?: number;
  /**
   * On the EventStoreDB lane, which tests the other event store and not rare interleavings; the usual size
   * where not given.
   */
  readonly eventStoreDb?: number;
}

/** Set to `long` by `npm run test:long`, and to `usual` by its short lanes. */
const SIZE_VARIABLE = 'WORKFORCE_TEST_SIZE';
/** Selects the event store of the tests: `eventstoredb`, or PostgreSQL where it is not set. */
export const EVENT_STORE_VARIABLE = 'WORKFORCE_TEST_EVENT_STORE';

/** Whether the tests run on EventStoreDB. */
export const isOnEventStoreDb = process.env[EVENT_STORE_VARIABLE] === 'eventstoredb';

/** Whether the tests run in the long lane. */
export const isLong = process.env[SIZE_VARIABLE] === 'long';

/**
 * Returns the size of a test in the current lane. An environment variable of this name, a whole number, takes
 * precedence; `docs/reference/tests.md` lists these variables. Throws where the variable has another value.
 */
export function testSize(variable: string, { usual, long = usual, eventStoreDb = usual }: Sizes): number {
  const given = process.env[variable];
  if (given === undefined) return isLong ? long : isOnEventStoreDb ? eventStoreDb : usual;
  if (!/^\d+$/.test(given)) throw new Error(`${variable} must be a whole number`);
  return Number(given);
}
