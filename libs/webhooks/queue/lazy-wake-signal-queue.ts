import type { Queue } from 'bullmq';
import type { WakeSignal, WakeSignalSender } from './wake-signal-queue.js';
import type { BullWakeSignalQueue } from './bull-wake-signal-queue.js';

/**
 * The queue, opened when something is first sent, looked at or received: BullMQ takes a third of a second to load, and an API
 * process may never need it. The first wake signals take as long as the opening. One that failed is tried again by the next who needs it.
 */
export class LazyWakeSignalQueue implements WakeSignalSender {
  private opening: Promise<BullWakeSignalQueue> | null = null;
  private opened: BullWakeSignalQueue | null = null;

  constructor(private readonly open: () => Promise<BullWakeSignalQueue>) {}

  async send(wakeSignals: readonly WakeSignal[]): Promise<void> {
    await (await this.whole()).send(wakeSignals);
  }

  /** What a dashboard shows; null while it is being opened. */
  dashboard(): Queue | null {
    this.whole().catch(() => undefined);
    return this.opened?.dashboard() ?? null;
  }

  /** Both ends of it. */
  whole(): Promise<BullWakeSignalQueue> {
    this.opening ??= this.open().then(
      (queue) => (this.opened = queue),
      (error: unknown) => {
        this.opening = null;
        throw error;
      },
    );
    return this.opening;
  }

  /** Releases connections, if there are any. */
  async close(): Promise<void> {
    const queue = await this.opening?.catch(() => null);
    await queue?.close();
  }
}
