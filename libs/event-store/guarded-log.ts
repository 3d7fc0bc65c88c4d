import { setTimeout as wait } from 'node:timers/promises';
import { AnotherEventLogError, type EventStore, StoreUnavailableError } from './event-store.js';
import { aroundCalls, type StoreCall } from './forward-calls.js';
import type { RememberedLog } from './remembered-log.js';

/** The pause between attempts to compare the log before a subscription, in milliseconds. */
const RETRY_MILLISECONDS = 1_000;
const WRITES: readonly StoreCall[] = ['append', 'importEvents'];

/**
 * The same store, which first compares its log with the installation's: before the first call, and again
 * after the store was unavailable, because another store may answer then. A call on another log throws {@link
 * AnotherEventLogError} and has no effect. The first append to an empty log records that log in the database
 * before it returns.
 */
export function guardLog(store: EventStore, log: RememberedLog): EventStore {
  let comparing: Promise<void> | null = null;
  let isCompared = false;
  let isRemembered = false;

  const compareNow = async (): Promise<void> => {
    isRemembered = (await log.verify()).first !== null;
    isCompared = true;
  };
  const compare = (): Promise<void> => {
    comparing ??= compareNow().finally(() => (comparing = null));
    return comparing;
  };
  const compareUnlessAborted = async (signal: AbortSignal): Promise<void> => {
    while (!isCompared && !signal.aborted) {
      try {
        await compare();
      } catch (error) {
        if (error instanceof AnotherEventLogError || !(error instanceof StoreUnavailableError)) throw error;
        await wait(RETRY_MILLISECONDS, null, { signal }).catch(() => undefined);
      }
    }
  };
  async function* after<Item>(comparison: () => Promise<void>, items: () => AsyncIterable<Item>): AsyncIterable<Item> {
    if (!isCompared) await comparison();
    yield* items();
  }

  const guarded = aroundCalls(store, async (name, call) => {
    if (!isCompared) await compare();
    try {
      const result = await call();
      if (WRITES.includes(name) && !isRemembered) await compare();
      return result;
    } catch (error) {
      if (error instanceof StoreUnavailableError) isCompared = false;
      throw error;
    }
  });
  const { scanEntities } = store.capabilities;
  return {
    ...guarded,
    capabilities: {
      ...guarded.capabilities,
      ...(scanEntities === undefined ? {} : { scanEntities: (...call) => after(compare, () => scanEntities(...call)) }),
    },
    scanCategory: (...call) => after(compare, () => store.scanCategory(...call)),
    subscribe: (subscription) =>
      after(
        () => compareUnlessAborted(subscription.signal),
        () => store.subscribe(subscription),
      ),
  };
}
