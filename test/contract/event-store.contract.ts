import type { EventStore } from '#event-store/event-store.js';
import type { Opened } from './event-store.support.js';
import { appendingContract } from './event-store.appending.js';
import { followingContract } from './event-store.following.js';
import { importingContract } from './event-store.importing.js';
import { readingContract } from './event-store.reading.js';
import { settlingContract } from './event-store.settling.js';

/** A store under test, perhaps a second one on the same data (another process, as it were), and what ends both. */
export interface StoreUnderTest {
  readonly store: EventStore;
  readonly secondStore?: EventStore;
  readonly cleanUp: () => Promise<void>;
}

/** What every adapter of the event store must do. Data that others wrote meanwhile does no harm. */
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
