import type { Pool } from 'pg';
import type { Logger } from '#configuration/logger.js';
import { type Redelivered, redeliver } from '#webhooks/deliver/delivery-changes.js';
import type { WakeSignal, WakeSignalSender } from '#webhooks/queue/wake-signal-queue.js';
import type { MonitoredDelivery } from '#webhooks/monitoring/delivery-states.js';
import { redeliverAll } from '#webhooks/monitoring/redeliver-all.js';
import { RefusedError } from './delivery-job.js';

/** What redeliveries by an operator need. */
export interface RedeliveryParts {
  readonly pool: Pool;
  readonly wakeSignals: WakeSignalSender;
  readonly logger: Logger;
}

const WHY_NOT: Readonly<Record<Exclude<Redelivered, 'reset'>, string>> = {
  not_found: 'The delivery is not kept any more.',
  not_active: 'The endpoint is disabled. An admin of its organisation can enable it again, and then send again what it missed.',
  not_allowed: 'Only a delivery that failed, or waits for its next attempt, is sent again.',
  full: 'As many deliveries of the endpoint or its organisation wait as may.',
};

/** Sends deliveries again for an operator: the rules are those of the API, and the log says so, as the API's lines do of a caller. */
export class OperatorRedelivery {
  constructor(private readonly parts: RedeliveryParts) {}

  /** Sends one again. Rejects with a {@link RefusedError} where the rules forbid it. */
  readonly one = async ({ organisation_id: organisationId, webhook_id: webhookId, id: deliveryId }: MonitoredDelivery): Promise<void> => {
    const outcome = await redeliver(this.parts.pool, { organisationId, webhookId, deliveryId });
    if (outcome !== 'reset') throw new RefusedError(WHY_NOT[outcome], 409);
    this.parts.logger.info(
      { actor: 'operator', organisation: organisationId, webhook: webhookId, delivery: deliveryId },
      'a delivery is sent again',
    );
    this.wake([{ organisationId, webhookId, deliveryIds: [deliveryId] }]);
  };

  /** Sends again what failed, or what waits for its next attempt, as far as it may be. Returns the number of deliveries. */
  async all(status: 'failed' | 'retry_scheduled'): Promise<number> {
    const { redelivered, wakeSignals } = await redeliverAll(this.parts.pool, status);
    this.parts.logger.info({ actor: 'operator', status, deliveries: redelivered }, 'deliveries are sent again');
    this.wake(wakeSignals);
    return redelivered;
  }

  /** Waits for nothing and never fails: the deliveries are durable, and a sweep finds those that no wake signal names. */
  private wake(wakeSignals: readonly WakeSignal[]): void {
    if (wakeSignals.length === 0) return;
    this.parts.wakeSignals
      .send(wakeSignals)
      .catch((error: unknown) =>
        this.parts.logger.warn({ err: error }, 'deliveries wait for the next sweep: the queue took no wake signal for them'),
      );
  }
}
