import type { Queue } from 'bullmq';
import type { DeliveryHint, HintSender } from './hint-queue.js';
import type { BullHintQueue } from './bull-hint-queue.js';

/**
 * The queue, opened when something is first sent, looked at or received: BullMQ takes a third of a second to load, and an API
 * process may never need it. The first hints take as long as the opening. One that failed is tried again by the next who needs it.
 */
export class LazyHintQueue implements HintSender {
  private opening: Promise<BullHintQueue> | null = null;
  private opened: BullHintQueue | null = null;

  constructor(private readonly open: () => Promise<BullHintQueue>) {}

  async send(hints: readonly DeliveryHint[]): Promise<void> {
    await (await this.whole()).send(hints);
  }

  /** What a dashboard shows; null while it is being opened. */
  dashboard(): Queue | null {
    this.whole().catch(() => undefined);
    return this.opened?.dashboard() ?? null;
  }

  /** Both ends of it. */
  whole(): Promise<BullHintQueue> {
    this.opening ??= this.open().then(
      (queue) => (this.opened = queue),
      (error: unknown) => {
        this.opening = null;
        throw error;
      },
    );
    return this.opening;
  }

  /** Lets go of connections, if there are any. */
  async close(): Promise<void> {
    const queue = await this.opening?.catch(() => null);
    await queue?.close();
  }
}
