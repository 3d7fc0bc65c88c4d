import type { JobEngine, JobQueue, NewJob } from '#jobs/job-engine.js';

/** The queues of BullMQ, by the names that Redis, PostgreSQL and the board show. */
export const QUEUES = {
  deliveries: 'webhook-deliveries',
  retries: 'webhook-retries',
  sweeps: 'webhook-sweeps',
} as const;

/** A due attempt of a delivery in PostgreSQL. */
export interface DueDelivery {
  readonly organisationId: string;
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly eventType: string;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** Whether it follows a failed attempt since the delivery was created or reset. */
  readonly isRetry: boolean;
  /**
   * The number of deliveries that wait for the endpoint before it: attempts with fewer go first, whatever
   * their endpoint.
   */
  readonly place: number;
  /** Milliseconds until it is due; 0 by default. */
  readonly delay?: number;
}

/** The data of a job: ids of rows in PostgreSQL. */
export interface DeliveryJobData {
  readonly organisationId: string;
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly attempt: number;
  /** Whether an operator has promoted the job, so that its attempt is made early. */
  readonly isPromoted?: true;
}

/** The data of a job that an operator promotes. */
export function promoted<Data extends object>(data: Data): Data & { readonly isPromoted: true } {
  return { ...data, isPromoted: true };
}

/** The queue of due attempts. */
export interface DeliveryQueue {
  /**
   * Adds a job for each attempt that has none. Rejects within 2 seconds if the queues are unreachable: the
   * sweep then adds the jobs later.
   */
  add(deliveries: readonly DueDelivery[]): Promise<void>;
}

/** The next attempt of a delivery that was just created or reset. */
export function dueNow(
  organisationId: string,
  row: {
    readonly id: string;
    readonly webhook_id: string;
    readonly event_type: string;
    readonly attempt_count: number;
  },
): DueDelivery {
  const { id: deliveryId, webhook_id: webhookId, event_type: eventType, attempt_count: attempts } = row;
  return { organisationId, webhookId, deliveryId, eventType, attempt: attempts + 1, isRetry: false, place: 0 };
}

/** The maximum priority of BullMQ. */
const LAST_PRIORITY = 2_097_152;
/**
 * The retention of finished jobs for the board: only the latest successful attempts, because on PostgreSQL
 * each finished job reads all retained ones; failed attempts as long as the delivery itself (contract part
 * 8), in seconds.
 */
const RETENTION = { removeOnComplete: { count: 100 }, removeOnFail: { age: 30 * 86_400 } } as const;

/** The deliveries and the retries of BullMQ: a job for each attempt. */
export class DeliveryQueues implements DeliveryQueue {
  readonly deliveries: JobQueue;
  readonly retries: JobQueue;

  constructor(engine: JobEngine) {
    const options = { defaultJobOptions: { attempts: 1, ...RETENTION } };
    this.deliveries = engine.queue(QUEUES.deliveries, options);
    this.retries = engine.queue(QUEUES.retries, options);
  }

  async add(deliveries: readonly DueDelivery[]): Promise<void> {
    await Promise.all([
      this.deliveries.add(deliveries.filter(({ isRetry }) => !isRetry).map(jobOf)),
      this.retries.add(deliveries.filter(({ isRetry }) => isRetry).map(jobOf)),
    ]);
  }
}

/** The job of an attempt. Its id derives from the attempt, so that an existing job is not added again. */
export function jobOf({
  organisationId,
  webhookId,
  deliveryId,
  eventType,
  attempt,
  place,
  delay = 0,
}: DueDelivery): NewJob {
  const data: DeliveryJobData = { organisationId, webhookId, deliveryId, attempt };
  const opts = { jobId: `${deliveryId}-${attempt}`, priority: Math.min(place + 1, LAST_PRIORITY), delay };
  return { name: `${webhookId} ${eventType}`, data, opts };
}
