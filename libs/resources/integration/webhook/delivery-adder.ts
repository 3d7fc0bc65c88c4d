import { Inject, Injectable, Logger } from '@nestjs/common';
import type { DeliveryQueue, DueDelivery } from '#webhooks/deliver/delivery-queues.js';
import { DELIVERY_QUEUE } from '#webhooks/injection-tokens.js';

/** Adds the jobs of deliveries that a request has just made due. */
@Injectable()
export class DeliveryAdder {
  private readonly logger = new Logger('webhooks');

  constructor(@Inject(DELIVERY_QUEUE) private readonly queue: DeliveryQueue) {}

  /** Returns immediately and never fails: the deliveries are durable, and a sweep finds those that have no job. */
  add(due: readonly DueDelivery[]): void {
    this.queue.add(due).catch((error: unknown) => {
      this.logger.warn(
        `deliveries wait for the next sweep: the queue took no jobs for them (${error instanceof Error ? error.name : typeof error})`,
      );
    });
  }
}
