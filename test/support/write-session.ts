import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import { WriteSession } from '#commands/write-session.js';

/** Returns a session over a store only. Its receipt is not stored, and it has a preloaded stream where one is given. */
export function sessionOver(store: EventStore, preloaded: readonly RecordedEvent[] = []): WriteSession {
  const nothing = (): Promise<void> => Promise.resolve();
  const [first] = preloaded;
  return new WriteSession({
    recorder: {
      record: ({ appends }) => Promise.all(appends.map(({ stream, expected, events }) => store.append(stream, expected, events))),
    },
    preloaded:
      first === undefined ? null : { statement: 'none', row: {}, events: preloaded, stream: first.stream, since: performance.now() },
    receiptKey: { organisationId: 'org', environment: 'live', keyId: 'key_1', idempotencyKey: 'key' },
    seal: null,
    release: nothing,
    onLostReceipt: nothing,
  });
}
