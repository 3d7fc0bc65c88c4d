import { END, excludeSystemEvents } from '@eventstore/db-client';
import { Waker } from '../waker.js';
import type { Connection } from './connection.js';

const FIRST_PAUSE = 20;
const MAX_PAUSE_MILLISECONDS = 5_000;

/** Who is woken by appends, and what wakes the watch itself: it subscribes again then. */
export interface AppendWatch {
  readonly waker: Waker;
  readonly renewal: Waker;
}

/**
 * Wakes the followers of the log when something is appended, until the signal aborts. A subscription of the
 * client's does it, of which only the arrival of events counts: 23.10 drops a live subscriber that is not
 * instantly fast. It is made again then.
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
    // The listeners stay: an error that comes after the end must not be without one.
    for (const sign of ['error', 'end', 'close'] as const)
      subscription.on(sign, () => {
        if (isLive) renewal.wake();
      });
    // What was appended before the subscription had begun wakes nobody.
    for (const sign of ['confirmation', 'data'] as const)
      subscription.on(sign, () => {
        pause = FIRST_PAUSE;
        waker.wake();
      });
    await renewal.sleep(seen, Infinity, signal);
    isLive = false;
    // Leaving it unread would not end it at the server.
    subscription.unsubscribe().catch(() => undefined);
    await new Waker().sleep(0, pause * (0.5 + Math.random() / 2), signal);
    pause = Math.min(pause * 2, MAX_PAUSE_MILLISECONDS);
  }
}
