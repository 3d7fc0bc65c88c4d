import type { JobEngine, JobQueue, NewJob } from '#jobs/job-engine.js';

/** The queues of BullMQ, by the names that Redis, PostgreSQL and the board show. */
export const QUEUES = {
  deliveries: 'webhook-deliveries',
  retries: 'webhook-retries',
  sweeps: 'webhook-sweeps',
} as const;

/** An attempt that is due, of a delivery in PostgreSQL. */
export interface DueDelivery {
  readonly organisationId: string;
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly eventType: string;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** Whether it follows a failed attempt, since the delivery was made or reset. */
  readonly isRetry: boolean;
  /**
   * How many deliveries wait for the endpoint before it: those with fewer go first, whatever the endpoint.
   */
  readonly place: number;
  /** Milliseconds until it is due; 0 where not given. */
  readonly delay?: number;
}

/** The data of a job: ids, by which PostgreSQL says all else. */
export interface DeliveryJobData {
  readonly organisationId: string;
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly attempt: number;
  /** Whether an operator has promoted the job: its attempt is wanted before its time. */
  readonly isPromoted?: true;
}

/** The data of a job that an operator promotes. */
export function promoted<Data extends object>(data: Data): Data & { readonly isPromoted: true } {
  return { ...data, isPromoted: true };
}

/** Takes attempts that are due. */
export interface DeliveryQueue {
  /**
   * Adds a job for each attempt that has none. Rejects within 2 seconds where the queues cannot be reached:
   * the sweep finds it then.
   */
  add(deliveries: readonly DueDelivery[]): Promise<void>;
}

/** The next attempt of a delivery that was made or reset just now. */
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

/** The largest priority that BullMQ knows. */
const LAST_PRIORITY = 2_097_152;
/**
 * What the board shows of the past: of attempts that ended well the latest, because on PostgreSQL each end of
 * a job reads as many as are kept; what failed as long as the delivery itself (contract part 8), in seconds.
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

/**
 * The job of an attempt. Its id is of the attempt, so that a job which is there already is not added again.
 */
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
