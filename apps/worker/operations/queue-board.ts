import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BoardHooks } from '@bull-board/api/dist/types.js';
import type { Job, Queue } from 'bullmq';
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import type { Logger } from '#configuration/logger.js';
import type { JobQueue } from '#jobs/job-engine.js';
import { BACKGROUND, LONG_RUNNING } from '#jobs/requested-work.js';
import { promoted } from '#webhooks/deliver/delivery-queues.js';

/** The dashboard of jobs in an operator's browser. */
export interface QueueBoard {
  /** Resolves with the handler of requests below the prefix; the caller has checked the token. */
  open(): Promise<(request: IncomingMessage, response: ServerResponse) => void>;
  close(): Promise<void>;
}

/** The dependencies of the dashboard. */
export interface BoardSettings {
  /** The path of the page, without a slash at the end. */
  readonly prefix: string;
  /** The queues to show, each once its backend has been reached. */
  readonly queues: readonly JobQueue[];
  readonly logger: Logger;
}

/** Blocks a stylesheet of another site to which the page refers: an operator's browser must not load it. */
const CONTENT_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'self'; " +
  "frame-ancestors 'none'";

/** Bull Board below `prefix`. It and its dependencies are loaded at the first request. */
export function queueBoard(settings: BoardSettings): QueueBoard {
  let opening: ReturnType<typeof openBoard> | undefined;
  let displayed: readonly Queue[] = [];
  return {
    open: async () => {
      const { server, show } = await (opening ??= openBoard(settings));
      const current = settings.queues.flatMap((queue) => queue.current() ?? []);
      if (current.length !== displayed.length) show(current);
      displayed = current;
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
  logger,
}: BoardSettings): Promise<{ server: FastifyInstance; show(queues: readonly Queue[]): void }> {
  const [{ createBullBoard }, { BullMQAdapter }, { FastifyAdapter }] = await Promise.all([
    import('@bull-board/api'),
    import('@bull-board/api/bullMQAdapter'),
    import('@bull-board/fastify'),
  ]);
  const serverAdapter = new FastifyAdapter();
  serverAdapter.setBasePath(prefix);
  const options = {
    uiConfig: { boardTitle: 'Workforce HR', hideDocsLink: true, jobDetails: { defaultTab: 'Data' as const } },
    handlerHooks: HOOKS,
  };
  const { replaceQueues } = createBullBoard({ queues: [], serverAdapter, options });
  const server = Fastify({ loggerInstance: logger, logController: new LogController({ disableRequestLogging: true }) });
  server.addHook('onResponse', async ({ method, url }, { statusCode }) => {
    if (method !== 'GET' && statusCode < 300) logger.info({ actor: 'operator', path: url }, 'an operator changed jobs');
  });
  await server.register(serverAdapter.registerPlugin(), { prefix });
  await server.ready();
  return {
    server,
    show: (queues) =>
      replaceQueues(
        queues.map(
          (queue) => new BullMQAdapter(queue, { allowCompletedRetries: false, ...DESCRIPTIONS[queue.name] } as object),
        ),
      ),
  };
}

const DESCRIPTIONS: Readonly<Record<string, { readonly displayName: string; readonly description: string }>> = {
  [BACKGROUND]: {
    displayName: 'Scheduled work',
    description:
      'Scheduled work: effective dates, purges, anchors. A failed run is retried, and the next one starts on time.',
  },
  [LONG_RUNNING]: {
    displayName: 'Requested work',
    description: 'Imports, rebuilds and verifications. Work without a job is found within a minute.',
  },
};

/**
 * PostgreSQL determines when an attempt is due: the processor must know that an operator wants it earlier.
 */
const HOOKS: BoardHooks = {
  before: async ({ route, request }) => {
    const queue = request?.queues.get(request.params['queueName'] as string);
    if (queue === undefined || !PROMOTIONS.has(route)) return;
    const named = request?.params['jobId'] as string | undefined;
    const jobs = named === undefined ? await queue.getJobs(['delayed']) : [(await queue.getJob(named)) ?? []].flat();
    await Promise.all((jobs as unknown as Job<object>[]).map((job) => job.updateData(promoted(job.data))));
  },
};

const PROMOTIONS: ReadonlySet<string> = new Set([
  '/api/queues/:queueName/:jobId/promote',
  '/api/queues/:queueName/promote',
]);
