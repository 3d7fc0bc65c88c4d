import { DelayedError, type Job, UnrecoverableError } from 'bullmq';
import type { Pool } from 'pg';
import type { JobEngine, JobQueue, JobWorker } from '#jobs/job-engine.js';
import { BatchQueue } from '#kernel/batch-queue.js';
import type { Sender } from '../send/sender.js';
import type { WebhookSecrets } from '../send/webhook-secrets.js';
import { attempt } from './attempt.js';
import { DeliveryLimiter, type LimiterSize } from './delivery-limiter.js';
import { type DeliveryJobData, DeliveryQueues, type DueDelivery, QUEUES } from './delivery-queues.js';
import {
  type AttemptResult,
  claim,
  type Claimed,
  noteNotAttempted,
  record,
  type Recorded,
  stateOf,
} from './delivery-store.js';
import { Receivers } from './receivers.js';
import { ResultWriter } from './result-writer.js';
import { dueDeliveries } from './sweep.js';

/** The dependencies of delivering. */
export interface DeliveryWorkerParts {
  readonly pool: Pool;
  readonly engine: JobEngine;
  readonly sender: Sender;
  readonly secrets: WebhookSecrets;
  /**
   * Resets a delivery whose job an operator retries or promotes, and records that; resolves with the reason
   * for a refusal, or null.
   */
  readonly retry: (job: DeliveryJobData) => Promise<string | null>;
  /** Called for every recorded attempt. */
  readonly onRecorded: (result: AttemptResult, recorded: Recorded) => void;
  /** Called for an endpoint that has failed too often. */
  readonly onStopped: () => void;
  readonly onError: (error: unknown) => void;
}

/** The result of a successful job, for the board. */
type JobOutcome = {
  readonly outcome: string;
  readonly http_status?: number | null;
  readonly next_attempt_in_ms?: number;
};
type DeliveryJob = Job<DeliveryJobData, JobOutcome>;

/**
 * Ten endpoints of an organisation, of which nine hang, leave room for the tenth; four such organisations
 * leave room for others.
 */
const FIRST: LimiterSize & { readonly jobs: number } = {
  prompt: 15,
  other: 2,
  organisation: 150,
  waiting: 60,
  allWaiting: 200,
  jobs: 800,
};
const LATER: LimiterSize & { readonly jobs: number } = {
  prompt: 8,
  other: 1,
  organisation: 80,
  waiting: 30,
  allWaiting: 100,
  jobs: 450,
};
/** The maximum number of deliveries that one statement claims. */
const CLAIMS_AT_ONCE = 200;
/**
 * The maximum number of retries that are added in one call: many deliveries fail together when a receiver
 * stops.
 */
const RETRIES_AT_ONCE = 500;
/**
 * After this number of claims the table is large enough that no plan scans it; a cached plan then saves half
 * of the time of a small claim.
 */
const CLAIMS_BEFORE_PLAN = 1_000;
/** A receiver that takes longer than this is slow until it answers sooner, in milliseconds. */
const SLOW_MILLISECONDS = 3_000;
/** After a fault of this installation, the same job is retried when its lease has ended. */
const FAULT_MILLISECONDS = 61_000;
/** Added to each delay, so that a job is not early by PostgreSQL's clock, which would delay it again. */
const CLOCK_MILLISECONDS = 50;
const SWEEP_EVERY_MILLISECONDS = 60_000;
/**
 * High enough that the job of a killed process always returns: PostgreSQL tells whether its attempt is due.
 */
const OFTEN_STALLED = 1_000;

/** Makes the attempts of BullMQ's jobs, in any number of concurrent processes. */
export class DeliveryWorker {
  readonly queues: DeliveryQueues;
  private readonly limiters: { readonly first: DeliveryLimiter; readonly later: DeliveryLimiter };
  private readonly receivers = new Receivers(SLOW_MILLISECONDS);
  private readonly sweeps: JobQueue;
  private readonly writer: ResultWriter;
  private readonly claims: BatchQueue<DeliveryJobData, Claimed | undefined>;
  private readonly retries: BatchQueue<DueDelivery, null>;
  private workers: readonly JobWorker[] = [];
  private claimed = 0;

  constructor(private readonly parts: DeliveryWorkerParts) {
    this.queues = new DeliveryQueues(parts.engine);
    this.sweeps = parts.engine.queue(QUEUES.sweeps, { defaultJobOptions: { removeOnComplete: 10, removeOnFail: 100 } });
    this.limiters = {
      first: new DeliveryLimiter(FIRST, this.receivers),
      later: new DeliveryLimiter(LATER, this.receivers),
    };
    this.writer = new ResultWriter((results) => this.write(results));
    this.claims = new BatchQueue({ most: CLAIMS_AT_ONCE, run: (requested) => this.claimTogether(requested) });
    this.retries = new BatchQueue({ most: RETRIES_AT_ONCE, run: (due) => this.addRetries(due) });
  }

  /** Begins to process jobs. */
  start(): void {
    const { engine } = this.parts;
    const run = (name: string, limiter: DeliveryLimiter, concurrency: number): JobWorker =>
      engine.worker(name, (job, token) => this.process(limiter, job as DeliveryJob, token), {
        concurrency,
        maxStalledCount: OFTEN_STALLED,
      });
    this.workers = [
      run(QUEUES.deliveries, this.limiters.first, FIRST.jobs),
      run(QUEUES.retries, this.limiters.later, LATER.jobs),
      engine.worker(QUEUES.sweeps, () => this.sweep(), { maxStalledCount: OFTEN_STALLED }),
    ];
    this.sweeps.whenReady().then(
      () => this.scheduleSweeps().catch(this.parts.onError),
      () => undefined,
    );
  }

  /** Attempts in flight, and parked jobs, of first and of later attempts. */
  get counts(): Readonly<Record<'first' | 'later', DeliveryLimiter['counts']>> {
    return { first: this.limiters.first.counts, later: this.limiters.later.counts };
  }

  /**
   * Schedules the sweep every minute, in any one process. Call it repeatedly: a flushed Redis loses the
   * schedule.
   */
  async scheduleSweeps(): Promise<void> {
    await this.sweeps.current()?.upsertJobScheduler('sweep', { every: SWEEP_EVERY_MILLISECONDS }, { name: 'sweep' });
  }

  /** Adds a sweep that is due now. */
  async requestSweep(): Promise<void> {
    await this.sweeps.add([{ name: 'sweep', data: {} }]);
  }

  /**
   * Accepts no more jobs, and resolves when every attempt in progress has been recorded. Waiting jobs go to
   * other processes.
   */
  async stop(): Promise<void> {
    const closing = this.workers.map((worker) => worker.close());
    await Promise.all([this.limiters.first.stop(), this.limiters.later.stop()]);
    await Promise.all(closing);
    await this.parts.sender.close();
  }

  private async sweep(): Promise<{ readonly due: number }> {
    const due = await dueDeliveries(this.parts.pool);
    await this.queues.add(due);
    return { due: due.length };
  }

  /**
   * Fails only jobs whose deliveries failed. A job that fails for another reason is removed, so that the
   * sweep can add it again.
   */
  private async process(limiter: DeliveryLimiter, job: DeliveryJob, token: string | undefined): Promise<JobOutcome> {
    const { removeOnFail } = job.opts;
    job.opts.removeOnFail = true;
    try {
      return await this.inSlot(limiter, job, token);
    } catch (error) {
      if (error instanceof UnrecoverableError && removeOnFail !== undefined) job.opts.removeOnFail = removeOnFail;
      throw error;
    }
  }

  private async inSlot(limiter: DeliveryLimiter, job: DeliveryJob, token: string | undefined): Promise<JobOutcome> {
    if (!(await limiter.enter(job))) {
      await job.moveToDelayed(Date.now() + limiter.parkMilliseconds, token);
      limiter.park(job);
      throw new DelayedError();
    }
    try {
      return await this.deliver(job, token);
    } catch (error) {
      if (error instanceof UnrecoverableError || error instanceof DelayedError) throw error;
      // A fault of this installation, not of the receiver: neither the delivery nor its job has failed.
      this.parts.onError(error);
      return await delay(job, token, FAULT_MILLISECONDS);
    } finally {
      limiter.leave(job.data);
    }
  }

  private async deliver(job: DeliveryJob, token: string | undefined): Promise<JobOutcome> {
    if (isRequestedByOperator(job)) await this.redeliver(job);
    const claimed = await this.claims.add(job.data);
    if (claimed === undefined) return this.notClaimed(job, token);
    const result = await this.attempt(claimed);
    const recorded = await this.writer.record(result);
    if (recorded === undefined) return leaveNoTrace(job, 'another process took it over');
    this.parts.onRecorded(result, recorded);
    const { httpStatus: http_status, failureClass, failureMessage, pauseMs } = result;
    if (recorded.status === 'delivered') return { outcome: 'delivered', http_status };
    if (pauseMs === null) throw new UnrecoverableError(`${failureClass}: ${failureMessage ?? `HTTP ${http_status}`}`);
    const { data } = job;
    const delay = pauseMs + CLOCK_MILLISECONDS;
    await this.retries.add({
      ...data,
      eventType: claimed.event.type,
      attempt: data.attempt + 1,
      isRetry: true,
      place: 0,
      delay,
    });
    return {
      outcome: `${failureClass}: ${failureMessage ?? `HTTP ${http_status}`}`,
      http_status,
      next_attempt_in_ms: pauseMs,
    };
  }

  /**
   * Returns why nothing was claimed. A job ends only if its attempt is over or needs no job: a retained id is
   * not added again.
   */
  private async notClaimed(job: DeliveryJob, token: string | undefined): Promise<JobOutcome> {
    const state = await stateOf(this.parts.pool, job.data);
    if (state === null) return { outcome: 'the delivery is no longer stored' };
    if (['delivered', 'failed'].includes(state.status) || state.attempts >= job.data.attempt)
      return { outcome: 'the attempt was made before' };
    if (!state.isSending) return leaveNoTrace(job, 'the endpoint is disabled');
    return delay(job, token, state.freeInMilliseconds + CLOCK_MILLISECONDS);
  }

  /** Resets a delivery whose job an operator retries or promotes, by the rules of redelivery. */
  private async redeliver(job: DeliveryJob): Promise<void> {
    const { isPromoted, ...data } = job.data;
    const state = await stateOf(this.parts.pool, data);
    const made = isPromoted ? data.attempt - 1 : data.attempt;
    if (state?.status !== (isPromoted ? 'retry_scheduled' : 'failed') || state.attempts !== made) return;
    const refusal = await this.parts.retry(data);
    // A refused promotion leaves the attempt as it was scheduled.
    if (refusal !== null && !isPromoted) throw new UnrecoverableError(refusal);
    await job.updateData({ ...data, attempt: made + 1 });
  }

  /** Deliveries are durable: the sweep adds those that the queue does not accept. */
  private async addRetries(due: readonly DueDelivery[]): Promise<readonly null[]> {
    await this.queues.add(due).catch(this.parts.onError);
    return due.map(() => null);
  }

  private async claimTogether(jobs: readonly DeliveryJobData[]): Promise<readonly (Claimed | undefined)[]> {
    const requested = jobs.map(({ organisationId, webhookId, deliveryId }) => ({
      organisationId,
      webhookId,
      deliveryIds: [deliveryId],
    }));
    const claims = await claim(this.parts.pool, requested, this.claimed >= CLAIMS_BEFORE_PLAN);
    this.claimed += claims.flat().length;
    return claims.map(([claimed]) => claimed);
  }

  /** Rejects only for a fault of this installation, such as a signing secret that cannot be decrypted. */
  private async attempt(claimed: Claimed): Promise<AttemptResult> {
    const { pool, sender, secrets } = this.parts;
    const overdue = setTimeout(() => this.receivers.overdue(claimed.webhookId), SLOW_MILLISECONDS);
    try {
      const result = await attempt({ sender, secrets, random: Math.random }, claimed);
      this.receivers.ended(claimed.webhookId, result);
      return result;
    } catch (error) {
      await noteNotAttempted(pool, claimed);
      throw error;
    } finally {
      clearTimeout(overdue);
    }
  }

  private async write(results: readonly AttemptResult[]): Promise<readonly Recorded[]> {
    const { recorded, hasStopped } = await record(this.parts.pool, results);
    if (hasStopped) this.parts.onStopped();
    return recorded;
  }
}

/** A job that runs again after a failure was retried by an operator; stalled jobs have not failed. */
function isRequestedByOperator({ attemptsMade, data }: DeliveryJob): boolean {
  return attemptsMade > 0 || data.isPromoted === true;
}

async function delay(job: DeliveryJob, token: string | undefined, milliseconds: number): Promise<never> {
  await job.moveToDelayed(Date.now() + milliseconds, token);
  throw new DelayedError();
}

/** Ends a job without retaining it, so that a sweep can add it again. */
function leaveNoTrace(job: DeliveryJob, outcome: string): JobOutcome {
  job.opts.removeOnComplete = true;
  return { outcome };
}
