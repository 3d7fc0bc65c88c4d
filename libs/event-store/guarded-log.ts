import { setTimeout as wait } from 'node:timers/promises';
import { AnotherEventLogError, type EventStore, type Subscription, StoreUnavailableError } from './event-store.js';
import { forwardCalls } from './forward-calls.js';
import type { RememberedLog } from './remembered-log.js';

/** Between attempts to compare the log that a subscription is to follow, in milliseconds. */
const RETRY_MILLISECONDS = 1_000;

/**
 * The same store, which first compares its log with the one that the installation's database belongs to: before the first call, and again after
 * the store was away, because another one may answer then. A call on another log throws {@link AnotherEventLogError}, and does nothing. The
 * first append to an empty log makes the database remember that log before it returns.
 */
export function guardLog(store: EventStore, log: RememberedLog): EventStore {
  let comparing: Promise<void> | null = null;
  let isCompared = false;
  let isRemembered = false;

  const compare = async (): Promise<void> => {
    isRemembered = (await log.verify()).first !== null;
    isCompared = true;
  };
  const compareOnce = (): Promise<void> => {
    comparing ??= compare().finally(() => (comparing = null));
    return comparing;
  };
  const guarded =
    <Parameters extends readonly unknown[], Result>(call: (...parameters: Parameters) => Promise<Result>) =>
    async (...parameters: Parameters): Promise<Result> => {
      if (!isCompared) await compareOnce();
      try {
        return await call(...parameters);
      } catch (error) {
        if (error instanceof StoreUnavailableError) isCompared = false;
        throw error;
      }
    };
  const remembered =
    <Parameters extends readonly unknown[], Result>(append: (...parameters: Parameters) => Promise<Result>) =>
    async (...parameters: Parameters): Promise<Result> => {
      const result = await append(...parameters);
      if (!isRemembered) await compareOnce();
      return result;
    };
  const compareUnlessAborted = async (signal: AbortSignal): Promise<void> => {
    while (!isCompared && !signal.aborted) {
      try {
        await compareOnce();
      } catch (error) {
        if (error instanceof AnotherEventLogError || !(error instanceof StoreUnavailableError)) throw error;
        await wait(RETRY_MILLISECONDS, null, { signal }).catch(() => undefined);
      }
    }
  };

  const { scanEntities } = store.capabilities;
  return {
    ...forwardCalls(store),
    capabilities: {
      ...store.capabilities,
      ...(scanEntities === undefined
        ? {}
        : {
            scanEntities: async function* (...parameters: Parameters<typeof scanEntities>) {
              if (!isCompared) await compareOnce();
              yield* scanEntities(...parameters);
            },
          }),
    },
    append: remembered(guarded((...call: Parameters<EventStore['append']>) => store.append(...call))),
    appendMany: remembered(guarded((...call: Parameters<EventStore['appendMany']>) => store.appendMany(...call))),
    importEvents: remembered(guarded((...call: Parameters<EventStore['importEvents']>) => store.importEvents(...call))),
    readStream: guarded((...call: Parameters<EventStore['readStream']>) => store.readStream(...call)),
    readStreams: guarded((...call: Parameters<EventStore['readStreams']>) => store.readStreams(...call)),
    readAll: guarded((...call: Parameters<EventStore['readAll']>) => store.readAll(...call)),
    readRecorded: guarded((...call: Parameters<EventStore['readRecorded']>) => store.readRecorded(...call)),
    head: guarded(() => store.head()),
    holds: guarded((...call: Parameters<EventStore['holds']>) => store.holds(...call)),
    settle: guarded((...call: Parameters<EventStore['settle']>) => store.settle(...call)),
    scanCategory: async function* (...parameters: Parameters<EventStore['scanCategory']>) {
      if (!isCompared) await compareOnce();
      yield* store.scanCategory(...parameters);
    },
    subscribe: async function* (subscription: Subscription) {
      await compareUnlessAborted(subscription.signal);
      yield* store.subscribe(subscription);
    },
  };
}
