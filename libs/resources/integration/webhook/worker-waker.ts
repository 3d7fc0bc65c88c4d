import { Inject, Injectable, Logger } from '@nestjs/common';
import type { WakeSignal, WakeSignalSender } from '#webhooks/queue/wake-signal-queue.js';
import { WAKE_SIGNALS } from '#webhooks/injection-tokens.js';

/** Sends the workers wake signals for deliveries that a request has just made due. */
@Injectable()
export class WorkerWaker {
  private readonly logger = new Logger('webhooks');

  constructor(@Inject(WAKE_SIGNALS) private readonly sender: WakeSignalSender) {}

  /** Returns immediately and never fails: the deliveries are durable, and a sweep finds those that no wake signal names. */
  wake(wakeSignals: readonly WakeSignal[]): void {
    if (wakeSignals.length > 0) void this.send(wakeSignals);
  }

  private async send(wakeSignals: readonly WakeSignal[]): Promise<void> {
    try {
      await this.sender.send(wakeSignals);
    } catch (error) {
      this.logger.warn(
        `deliveries wait for the next sweep: the queue took no wake signal for them (${error instanceof Error ? error.name : typeof error})`,
      );
    }
  }
}
