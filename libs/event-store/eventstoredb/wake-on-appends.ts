import { END, excludeSystemEvents } from '@eventstore/db-client';
import { Waker } from '../waker.js';
import type { Connection } from './connection.js';

const FIRST_PAUSE = 20;
const MAX_PAUSE_MILLISECONDS = 5_000;

/** The followers that appends wake, and the signal that makes the watch subscribe again. */
export interface AppendWatch {
  readonly waker: Waker;
  readonly renewal: Waker;
}

/**
 * Wakes the followers of the log after appends, until the signal aborts. It uses a subscription of the
 * client, of which only the arrival of events counts: 23.10 drops a live subscriber that falls behind. It
 * then subscribes again.
 */
export async function wakeOnAppends(
  connection: Connection,
  { waker, renewal }: AppendWatch,
  signal: AbortSignal,
): Promise<void> {
  let pause = FIRST_PAUSE;
  while (!signal.aborted) {
    const { client, options } = connection;
    const seen = renewal.count;
    const subscription = client.subscribeToAll({ ...options, fromPosition: END, filter: excludeSystemEvents() });
    let isLive = true;
    // The listeners stay, so that an error after the end has one.
    for (const sign of ['error', 'end', 'close'] as const)
      subscription.on(sign, () => {
        if (isLive) renewal.wake();
      });
    // Events from before the start of the subscription wake no follower.
    for (const sign of ['confirmation', 'data'] as const)
      subscription.on(sign, () => {
        pause = FIRST_PAUSE;
        waker.wake();
      });
    await renewal.sleep(seen, Infinity, signal);
    isLive = false;
    // The server closes it only when it is read to the end.
    subscription.unsubscribe().catch(() => undefined);
    await new Waker().sleep(0, pause * (0.5 + Math.random() / 2), signal);
    pause = Math.min(pause * 2, MAX_PAUSE_MILLISECONDS);
  }
}
