import type { EventStore } from '#event-store/event-store.js';
import type { Opened } from './event-store.support.js';
import { appendingContract } from './event-store.appending.js';
import { followingContract } from './event-store.following.js';
import { importingContract } from './event-store.importing.js';
import { readingContract } from './event-store.reading.js';
import { settlingContract } from './event-store.settling.js';

/**
 * A store under test, an optional second store on the same data (like another process), and the function that
 * ends both.
 */
export interface StoreUnderTest {
  readonly store: EventStore;
  readonly secondStore?: EventStore;
  readonly cleanUp: () => Promise<void>;
}

/**
 * The contract of every adapter of the event store. Events that other tests write at the same time do no
 * harm.
 */
export function describeEventStore(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(name, () => {
    let underTest: StoreUnderTest | undefined;
    const opened: Opened = {
      store: () => underTest!.store,
      second: () => underTest!.secondStore ?? underTest!.store,
    };

    beforeAll(async () => {
      underTest = await open();
    });

    afterAll(async () => {
      await underTest?.cleanUp();
    });

    appendingContract(opened);
    readingContract(opened);
    followingContract(opened);
    importingContract(opened);
    settlingContract(opened);
  });
}
