import { BaseAdapter } from '@bull-board/api/dist/queueAdapters/base.js';
import type { JobCounts, JobStatus, QueueJob, RedisStats, Status } from '@bull-board/api/dist/types.js';
import type { Pool } from 'pg';
import {
  countByState,
  DELIVERY_STATES,
  type DeliveryState,
  findMonitored,
  listByState,
  listMonitoredAttempts,
  MOST_FINISHED,
} from '#webhooks/monitoring/delivery-states.js';
import { attemptLine, DeliveryJob, NOT_OFFERED, type Redeliver, RefusedError } from './delivery-job.js';

/** The name of the queue of deliveries, in the paths of the dashboard. */
export const DELIVERY_QUEUE = 'deliveries';

/** The maximum number of jobs on a page and of skipped jobs, whatever the address asks for. */
const MOST_JOBS = 1_000;
const FURTHEST = 1_000_000_000;
/** No id of a delivery is longer. */
const LONGEST_ID = 200;

/**
 * The webhook deliveries of all organisations for Bull Board, read from PostgreSQL at each request: the content of the queue of wake signals
 * has no effect on it. A job is a delivery; a retry or a promotion is a redelivery; all other changes are refused.
 */
export class DeliveryAdapter extends BaseAdapter {
  constructor(
    private readonly pool: Pool,
    private readonly redeliver: Redeliver,
  ) {
    super('bull', {
      displayName: 'Webhook deliveries',
      description: `As stored in PostgreSQL. Completed: delivered within the last day; failed: permanently, kept for 30 days; paused: the endpoint is disabled. Completed and failed are counted up to ${MOST_FINISHED}.`,
      allowRetries: true,
      allowCompletedRetries: false,
    });
  }

  override getName(): string {
    return DELIVERY_QUEUE;
  }

  override getStatuses(): Status[] {
    return ['latest', ...DELIVERY_STATES];
  }

  override getJobStatuses(): JobStatus[] {
    return [...DELIVERY_STATES];
  }

  override async getJobCounts(): Promise<JobCounts> {
    // Bull Board has a count for each status that any queue may have.
    return { latest: 0, prioritized: 0, 'waiting-children': 0, ...(await countByState(this.pool)) };
  }

  override async getJobs(statuses: JobStatus[], first = 0, last = first + 9): Promise<QueueJob[]> {
    const states = statuses.filter((status): status is DeliveryState => (DELIVERY_STATES as readonly string[]).includes(status));
    const from = Math.min(Math.max(0, first), FURTHEST);
    return (await listByState(this.pool, states, from, Math.min(Math.max(from, last), from + MOST_JOBS - 1))).map(
      (delivery) => new DeliveryJob(delivery, this.redeliver),
    );
  }

  override async getJob(id: string): Promise<QueueJob | null> {
    const delivery = id.length > LONGEST_ID ? null : await findMonitored(this.pool, id);
    return delivery === null ? null : new DeliveryJob(delivery, this.redeliver);
  }

  override async getJobLogs(id: string): Promise<string[]> {
    const delivery = id.length > LONGEST_ID ? null : await findMonitored(this.pool, id);
    return delivery === null ? [] : (await listMonitoredAttempts(this.pool, delivery)).map(attemptLine);
  }

  override getRedisInfo(): Promise<null> {
    return Promise.resolve(null);
  }

  /** Of PostgreSQL, where the deliveries are. */
  override async getDatastoreStats(): Promise<RedisStats> {
    const { rows } = await this.pool.query<{ version: string; port: number; uptime: number; connected: number; blocked: number }>({
      name: 'datastore-of-deliveries',
      text: `select current_setting('server_version') as version, current_setting('port')::integer as port,
                    extract(epoch from clock_timestamp() - pg_postmaster_start_time())::integer as uptime,
                    count(*)::integer as connected, (count(*) filter (where wait_event_type = 'Lock'))::integer as blocked
               from pg_stat_activity where datname = current_database()`,
      values: [],
    });
    const { version, port, uptime, connected, blocked } = rows[0]!;
    return { backend: 'postgres', version, port, uptime, clients: { connected, blocked } };
  }

  override isPaused(): Promise<boolean> {
    return Promise.resolve(false);
  }

  override getGlobalConcurrency(): Promise<null> {
    return Promise.resolve(null);
  }

  override getJobSchedulers(): Promise<[]> {
    return Promise.resolve([]);
  }

  override getJobSchedulersCount(): Promise<number> {
    return Promise.resolve(0);
  }

  override getMetrics = refuse;
  override clean = refuse;
  override addJob = refuse;
  override pause = refuse;
  override resume = refuse;
  override empty = refuse;
  override obliterate = refuse;
  override promoteAll = refuse;
  override removeJobScheduler = refuse;
  override updateJobScheduler = refuse;
  override runJobSchedulerNow = refuse;
  override setGlobalConcurrency = refuse;
}

function refuse(): Promise<never> {
  return Promise.reject(new RefusedError(NOT_OFFERED, 405));
}
