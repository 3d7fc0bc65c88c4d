import { excludeSystemEvents, START, type AllStreamSubscription, type RecordedEvent as ClientEvent } from '@eventstore/db-client';
import type { Position, RecordedEvent } from '../event-store.js';
import { Waker } from '../waker.js';
import type { Connection } from './connection.js';
import { logPositionOf } from './positions.js';
import { isOurs, recordedEvent, type PlacedEvent } from './recorded-event.js';

/** Why a feed gives no more: the server's error, or an end without one. */
export type FeedEnd = { readonly error: unknown };

/** One subscription of the client's, until it breaks: events in their order, each once, after a position. */
export class Feed {
  private waiting: RecordedEvent[] = [];
  private readonly waker = new Waker();
  private readonly subscription: AllStreamSubscription;
  private last: Position;
  private finished: FeedEnd | null = null;

  /** @param mostWaiting - with so many events waiting the server has to pause, and with half of them it resumes */
  constructor(
    { client, options }: Connection,
    after: Position | null,
    private readonly mostWaiting: number,
  ) {
    this.last = after ?? '';
    const fromPosition = after === null ? START : logPositionOf(after);
    this.subscription = client.subscribeToAll({ ...options, fromPosition, filter: excludeSystemEvents() });
    // Stays for good: an error that comes after the end must not be without a listener.
    this.subscription.on('error', (error: unknown) => this.finish(error));
    this.subscription.on('end', () => this.finish(new Error('the subscription ended without an error')));
    this.subscription.on('close', () => this.finish(new Error('the subscription was closed without an error')));
    this.subscription.on('data', ({ event }: { event?: ClientEvent }) => {
      if (isOurs(event)) this.take(event);
    });
  }

  /** Why it ended; null while it lives or has events left. */
  get end(): FeedEnd | null {
    return this.waiting.length === 0 ? this.finished : null;
  }

  /** Up to `limit` of the events that have come; none where none has. */
  batch(limit: number): readonly RecordedEvent[] {
    const batch = this.waiting.slice(0, limit);
    this.waiting = this.waiting.slice(limit);
    if (this.waiting.length <= this.mostWaiting / 2 && this.subscription.isPaused()) this.subscription.resume();
    return batch;
  }

  /** Waits until something has come, the feed has ended, the signal aborts or the time, in milliseconds, is over. */
  async something(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (this.waiting.length > 0 || this.finished !== null) return;
    await this.waker.sleep(this.waker.count, milliseconds, signal);
  }

  /** Ends the subscription at the server; leaving it unread would not. */
  close(): void {
    this.finish(new Error('the feed was closed'));
    this.waiting = [];
    this.subscription.unsubscribe().catch(() => undefined);
  }

  private take(event: PlacedEvent): void {
    if (this.finished !== null) return;
    const recorded = recordedEvent(event);
    if (recorded.position <= this.last) return;
    this.last = recorded.position;
    this.waiting.push(recorded);
    if (this.waiting.length >= this.mostWaiting) this.subscription.pause();
    this.waker.wake();
  }

  private finish(error: unknown): void {
    this.finished ??= { error };
    this.waker.wake();
  }
}
