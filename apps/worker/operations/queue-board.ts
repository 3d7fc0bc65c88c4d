import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BoardHooks } from '@bull-board/api/dist/types.js';
import type { Queue } from 'bullmq';
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import type { Pool } from 'pg';
import type { Logger } from '#configuration/logger.js';
import type { JobEngine } from '#jobs/job-engine.js';
import { BACKGROUND, backgroundQueue, LONG_RUNNING, longRunningQueue } from '#jobs/requested-work.js';
import type { WakeSignalSender } from '#webhooks/queue/wake-signal-queue.js';
import { countByState } from '#webhooks/monitoring/delivery-states.js';
import { NOT_OFFERED } from './board/delivery-job.js';
import { OperatorRedelivery } from './board/redelivery.js';

/** The dashboard of deliveries, for an operator's browser. */
export interface QueueBoard {
  /** Resolves with the handler of requests below the prefix; the caller has checked the token. */
  open(): Promise<(request: IncomingMessage, response: ServerResponse) => void>;
  close(): Promise<void>;
}

/** The queue of wake signals, as the dashboard needs it. */
export interface BoardQueue extends WakeSignalSender {
  /** The BullMQ queue to show, which may be replaced later; null while there is none. */
  dashboard(): Queue | null;
}

/** The services that the dashboard needs. */
export interface BoardSettings {
  /** The path of the page, without a slash at the end. */
  readonly prefix: string;
  readonly pool: Pool;
  readonly queue: BoardQueue;
  /** Has the queues of background work; without it, they are not shown. */
  readonly jobs: JobEngine | undefined;
  readonly logger: Logger;
}

/** The page refers to a stylesheet of another site, which an operator's browser must not load. */
const CONTENT_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'self'; frame-ancestors 'none'";

/**
 * Bull Board below `prefix`: the deliveries, background work, of which failed jobs can be retried, and the queue of wake signals, read-only. Bull Board and its dependencies are loaded at the first
 * request.
 */
export function queueBoard(settings: BoardSettings): QueueBoard {
  let opening: ReturnType<typeof openBoard> | undefined;
  let shown: readonly (Queue | null)[] = [];
  return {
    open: async () => {
      const { server, show } = await (opening ??= openBoard(settings));
      const current = [settings.queue.dashboard(), ...jobQueuesOf(settings.jobs)];
      if (current.some((queue, place) => queue !== shown[place])) show(current);
      shown = current;
      return (request, response) => {
        response.setHeader('content-security-policy', CONTENT_POLICY);
        response.setHeader('cache-control', 'no-store');
        server.routing(request, response);
      };
    },
    close: async () => {
      await (await opening)?.server.close();
    },
  };
}

/** A server without a listener, because routes cannot be added to a server that already listens. */
async function openBoard({
  prefix,
  pool,
  queue,
  logger,
}: BoardSettings): Promise<{ server: FastifyInstance; show(queues: readonly (Queue | null)[]): void }> {
  const [{ createBullBoard }, { BullMQAdapter }, { FastifyAdapter }, { DeliveryAdapter, DELIVERY_QUEUE }] = await Promise.all([
    import('@bull-board/api'),
    import('@bull-board/api/bullMQAdapter'),
    import('@bull-board/fastify'),
    import('./board/delivery-adapter.js'),
  ]);
  const redelivery = new OperatorRedelivery({ pool, wakeSignals: queue, logger });
  const deliveries = new DeliveryAdapter(pool, redelivery.one);
  const serverAdapter = new FastifyAdapter();
  serverAdapter.setBasePath(prefix);
  const options = {
    uiConfig: { boardTitle: 'Workforce HR', hideDocsLink: true, jobDetails: { defaultTab: 'Data' as const } },
    handlerHooks: hooksOf(DELIVERY_QUEUE),
  };
  const { replaceQueues } = createBullBoard({ queues: [deliveries], serverAdapter, options });
  const server = Fastify({ loggerInstance: logger, logController: new LogController({ disableRequestLogging: true }) });
  routeAll(server, `${prefix}/api/queues/${DELIVERY_QUEUE}`, pool, redelivery);
  await server.register(serverAdapter.registerPlugin(), { prefix });
  await server.ready();
  const show = ([wakeSignals = null, ...others]: readonly (Queue | null)[]): void =>
    replaceQueues([
      deliveries,
      ...(wakeSignals === null
        ? []
        : [
            new BullMQAdapter(wakeSignals, {
              readOnlyMode: true,
              prefix: 'wake-signals-of-',
              displayName: 'Worker wake signals',
              description: WAKE_SIGNALS_DESCRIPTION,
            }),
          ]),
      ...others.filter((queue) => queue !== null).map((queue) => new BullMQAdapter(queue, JOB_QUEUES[queue.name])),
    ]);
  return { server, show };
}

const WAKE_SIGNALS_DESCRIPTION =
  'Wake signals for workers: deliveries are due. Usually empty; if one is lost, the sweep finds its deliveries within a minute.';

const JOB_QUEUES: Readonly<Record<string, { readonly displayName: string; readonly description: string }>> = {
  [BACKGROUND]: {
    displayName: 'Scheduled work',
    description: 'What runs on a schedule: effective dates, purges, anchors. A failed run is tried again, and the next one comes on time.',
  },
  [LONG_RUNNING]: {
    displayName: 'Requested work',
    description: 'Imports, rebuilds and verifications. What has no job is found within a minute.',
  },
};

/** Null where the backend has not been reached yet. */
function jobQueuesOf(jobs: JobEngine | undefined): readonly (Queue | null)[] {
  return jobs === undefined ? [] : [longRunningQueue(jobs).current(), backgroundQueue(jobs).current()];
}

const RETRY = '/api/queues/:queueName/:jobId/retry';
const PROMOTE = '/api/queues/:queueName/:jobId/promote';

/** The allowed changes of one job: a retry, and of a delivery its next attempt now. Changes of all deliveries have our own routes. */
function hooksOf(deliveries: string): BoardHooks {
  return {
    before: ({ method, route, request }) =>
      method === 'get' || route === RETRY || (route === PROMOTE && request.params['queueName'] === deliveries)
        ? { allow: true }
        : { allow: false, status: 405, errorKey: 'ERRORS.QUEUE_READ_ONLY', message: NOT_OFFERED },
  };
}

/** Bull Board would retry its list page by page and stop at the first refused job; one statement for each endpoint retries all. */
function routeAll(server: FastifyInstance, base: string, pool: Pool, redelivery: OperatorRedelivery): void {
  server.put(`${base}/retry/failed`, async () => {
    const { failed } = await countByState(pool);
    const retried = await redelivery.all('failed');
    return { retried, skipped: Math.max(0, failed - retried) };
  });
  server.put(`${base}/promote`, async () => {
    await redelivery.all('retry_scheduled');
    return {};
  });
}
