import { Inject, Injectable, Logger } from '@nestjs/common';
import type { DeliveryHint, HintSender } from '#webhooks/queue/hint-queue.js';
import { DELIVERY_HINTS } from '#webhooks/injection-tokens.js';

/** Tells the workers of deliveries that a request has just made due. */
@Injectable()
export class DeliveryHints {
  private readonly logger = new Logger('webhooks');

  constructor(@Inject(DELIVERY_HINTS) private readonly sender: HintSender) {}

  /** Waits for nothing and never fails: deliveries are written down, and what no hint tells of is found by a sweep. */
  tell(hints: readonly DeliveryHint[]): void {
    if (hints.length > 0) void this.send(hints);
  }

  private async send(hints: readonly DeliveryHint[]): Promise<void> {
    try {
      await this.sender.send(hints);
    } catch (error) {
      this.logger.warn(
        `deliveries wait for the next sweep: the queue took no hint of them (${error instanceof Error ? error.name : typeof error})`,
      );
    }
  }
}
