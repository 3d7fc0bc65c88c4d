import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BoardHooks } from '@bull-board/api/dist/types.js';
import type { Queue } from 'bullmq';
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import type { Pool } from 'pg';
import type { Logger } from '#configuration/logger.js';
import type { WakeSignalSender } from '#webhooks/queue/wake-signal-queue.js';
import { countByState } from '#webhooks/monitoring/delivery-states.js';
import { NOT_OFFERED } from './board/delivery-job.js';
import { OperatorRedelivery } from './board/redelivery.js';

/** The dashboard of deliveries, for an operator's browser. */
export interface QueueBoard {
  /** Resolves with what answers a request below the prefix; the caller has checked who asks. */
  open(): Promise<(request: IncomingMessage, response: ServerResponse) => void>;
  close(): Promise<void>;
}

/** The queue of wake signals, as the dashboard needs it. */
export interface BoardQueue extends WakeSignalSender {
  /** What a dashboard of BullMQ shows, which may be another one later; null while there is none. */
  dashboard(): Queue | null;
}

/** What the dashboard needs. */
export interface BoardSettings {
  /** Where the page is; without a slash at the end. */
  readonly prefix: string;
  readonly pool: Pool;
  readonly queue: BoardQueue;
  readonly logger: Logger;
}

/** The page names a stylesheet of another site, which an operator's browser has no business with. */
const CONTENT_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'self'; frame-ancestors 'none'";

/**
 * Bull Board below `prefix`: the deliveries, and the queue of wake signals for looking only. It and its dependencies are loaded at the first
 * request.
 */
export function queueBoard(settings: BoardSettings): QueueBoard {
  let opening: ReturnType<typeof openBoard> | undefined;
  let shown: Queue | null = null;
  return {
    open: async () => {
      const { server, show } = await (opening ??= openBoard(settings));
      const current = settings.queue.dashboard();
      if (current !== shown) show(current);
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

/** A server that listens nowhere: routes cannot be added to one that listens already. */
async function openBoard({
  prefix,
  pool,
  queue,
  logger,
}: BoardSettings): Promise<{ server: FastifyInstance; show(queue: Queue | null): void }> {
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
    handlerHooks: HOOKS,
  };
  const { replaceQueues } = createBullBoard({ queues: [deliveries], serverAdapter, options });
  const server = Fastify({ loggerInstance: logger, logController: new LogController({ disableRequestLogging: true }) });
  routeAll(server, `${prefix}/api/queues/${DELIVERY_QUEUE}`, pool, redelivery);
  await server.register(serverAdapter.registerPlugin(), { prefix });
  await server.ready();
  const show = (wakeSignals: Queue | null): void =>
    replaceQueues(
      wakeSignals === null
        ? [deliveries]
        : [
            deliveries,
            new BullMQAdapter(wakeSignals, {
              readOnlyMode: true,
              prefix: 'wake-signals-of-',
              displayName: 'Worker wake signals',
              description: WAKE_SIGNALS_DESCRIPTION,
            }),
          ],
    );
  return { server, show };
}

const WAKE_SIGNALS_DESCRIPTION =
  'Notes that deliveries are due, on their way to a worker. Usually empty; a lost one is found by the sweep within a minute.';

/** The two things that may be done with one job; what may be done with all has routes of our own. */
const CHANGES: ReadonlySet<string> = new Set(['/api/queues/:queueName/:jobId/retry', '/api/queues/:queueName/:jobId/promote']);

const HOOKS: BoardHooks = {
  before: ({ method, route }) =>
    method === 'get' || CHANGES.has(route)
      ? { allow: true }
      : { allow: false, status: 405, errorKey: 'ERRORS.QUEUE_READ_ONLY', message: NOT_OFFERED },
};

/** Bull Board retries what it lists, page by page, and ends at the first that may not be: one statement for each endpoint does better. */
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
