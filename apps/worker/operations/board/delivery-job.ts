import type { JobState, QueueJob, QueueJobJson } from '@bull-board/api/dist/types.js';
import type { MonitoredAttempt, MonitoredDelivery } from '#webhooks/monitoring/delivery-states.js';

/** The changes that the dashboard can make to a delivery. Rejects with a {@link RefusedError} where the rules of redelivery forbid it. */
export type Redeliver = (delivery: MonitoredDelivery) => Promise<void>;

/** A change from the dashboard is refused; the message explains the reason to the operator. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';

  /** @param statusCode - the HTTP status that Bull Board answers with */
  constructor(
    message: string,
    readonly statusCode: 405 | 409,
  ) {
    super(message);
  }
}

/** The message for every change of the queue except a redelivery. */
export const NOT_OFFERED = 'PostgreSQL holds the deliveries, and their rules apply: this dashboard can only retry and promote deliveries.';

/** A delivery as a job of Bull Board: its latest or current attempt. */
export class DeliveryJob implements QueueJob {
  readonly opts = {};

  constructor(
    private readonly delivery: MonitoredDelivery,
    private readonly redeliver: Redeliver,
  ) {}

  toJSON(): QueueJobJson {
    const { delivery } = this;
    const { next_attempt_at: next, created_at: created } = delivery;
    return {
      id: delivery.id,
      name: `${delivery.webhook_name ?? delivery.webhook_id} · ${delivery.event_type}`,
      progress: 0,
      attemptsMade: delivery.attempt_count,
      timestamp: created.getTime(),
      processedOn: delivery.attempted_at?.getTime() ?? null,
      finishedOn: delivery.finished_at?.getTime() ?? null,
      // Counted from the creation, because the dashboard adds the two.
      ...(delivery.state === 'delayed' && next !== null ? { delay: Math.max(0, next.getTime() - created.getTime()) } : {}),
      failedReason: delivery.state === 'completed' ? '' : failureText(delivery),
      stacktrace: [],
      data: dataOf(delivery),
      returnvalue: delivery.state === 'completed' ? { http_status: delivery.last_http_status } : null,
      opts: {},
    };
  }

  getState(): Promise<JobState> {
    return Promise.resolve(this.delivery.state);
  }

  retry(): Promise<void> {
    return this.redeliver(this.delivery);
  }

  promote(): Promise<void> {
    return this.redeliver(this.delivery);
  }

  remove(): Promise<void> {
    return Promise.reject(new RefusedError(NOT_OFFERED, 405));
  }
}

/** Neither the resource, the payload nor any part of the endpoint's URL: a host may also be a secret, such as the host of a tunnel. */
function dataOf(delivery: MonitoredDelivery): Readonly<Record<string, string | number | null>> {
  return {
    delivery_id: delivery.id,
    webhook_id: delivery.webhook_id,
    webhook_name: delivery.webhook_name,
    organisation: delivery.subdomain ?? delivery.organisation_id,
    organisation_id: delivery.organisation_id,
    event_id: delivery.event_id,
    event_type: delivery.event_type,
    status: delivery.status,
    attempt: delivery.attempt_count + (delivery.state === 'active' ? 1 : 0),
    failure_class: delivery.failure_class,
    last_http_status: delivery.last_http_status,
    failure_message: delivery.failure_message,
    next_attempt_at: delivery.next_attempt_at?.toISOString() ?? null,
  };
}

/** An attempt as one line of text. */
export function attemptLine({ number, started_at, duration_ms, http_status, failure_class, failure_message }: MonitoredAttempt): string {
  const answer = http_status === null ? 'no answer' : `HTTP ${http_status}`;
  const why = failure_message === null || failure_message === answer ? '' : `: ${failure_message}`;
  return `attempt ${number}, ${started_at.toISOString()}, ${duration_ms} ms, ${answer}, ${failure_class ?? 'delivered'}${why}`;
}

/** The failure class with our own sentence, or the status where there is none; empty where the attempt did not fail. */
function failureText({ failure_class, failure_message, last_http_status }: MonitoredDelivery): string {
  if (failure_class === null) return '';
  const why = failure_message ?? (last_http_status === null ? null : `HTTP ${last_http_status}`);
  return why === null ? failure_class : `${failure_class}: ${why}`;
}
