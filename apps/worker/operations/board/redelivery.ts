import type { Pool } from 'pg';
import type { Logger } from '#configuration/logger.js';
import { inTransaction } from '#database/transaction.js';
import { type Redelivered, redeliver } from '#webhooks/deliver/delivery-changes.js';
import type { WakeSignal, WakeSignalSender } from '#webhooks/queue/wake-signal-queue.js';
import type { MonitoredDelivery } from '#webhooks/monitoring/delivery-states.js';
import { redeliverAll } from '#webhooks/monitoring/redeliver-all.js';
import { RefusedError } from './delivery-job.js';

/** The services that redeliveries by an operator need. */
export interface RedeliveryParts {
  readonly pool: Pool;
  readonly wakeSignals: WakeSignalSender;
  readonly logger: Logger;
}

const WHY_NOT: Readonly<Record<Exclude<Redelivered, 'reset'>, string>> = {
  not_found: 'The delivery is no longer stored.',
  not_active: 'The endpoint is disabled. An admin of its organisation can enable it again and then resend the events that it missed.',
  not_allowed: 'Only a delivery that failed or waits for its next attempt can be sent again.',
  full: 'The limit of waiting deliveries of the endpoint or its organisation is reached.',
};

/** Sends deliveries again for an operator: by the rules of the API, with a line in the log, as for a caller of the API. */
export class OperatorRedelivery {
  constructor(private readonly parts: RedeliveryParts) {}

  /** Sends one delivery again. Rejects with a {@link RefusedError} where the rules forbid it. */
  readonly one = async ({ organisation_id: organisationId, webhook_id: webhookId, id: deliveryId }: MonitoredDelivery): Promise<void> => {
    const place = { organisationId, webhookId, deliveryId };
    const outcome = await inTransaction(this.parts.pool, (connection) => redeliver(connection, place));
    if (outcome !== 'reset') throw new RefusedError(WHY_NOT[outcome], 409);
    this.parts.logger.info(
      { actor: 'operator', organisation: organisationId, webhook: webhookId, delivery: deliveryId },
      'a delivery is sent again',
    );
    this.wake([{ organisationId, webhookId, deliveryIds: [deliveryId] }]);
  };

  /** Sends again all failed deliveries, or all that wait for their next attempt, as far as the rules allow. Returns the number of deliveries. */
  async all(status: 'failed' | 'retry_scheduled'): Promise<number> {
    const { redelivered, wakeSignals } = await redeliverAll(this.parts.pool, status);
    this.parts.logger.info({ actor: 'operator', status, deliveries: redelivered }, 'deliveries are sent again');
    this.wake(wakeSignals);
    return redelivered;
  }

  /** Does not wait and never fails: the deliveries are durable, and a sweep finds those without a wake signal. */
  private wake(wakeSignals: readonly WakeSignal[]): void {
    if (wakeSignals.length === 0) return;
    this.parts.wakeSignals
      .send(wakeSignals)
      .catch((error: unknown) =>
        this.parts.logger.warn({ err: error }, 'the queue accepted no wake signal: deliveries wait for the next sweep'),
      );
  }
}
