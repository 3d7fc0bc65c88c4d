import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Queue } from 'bullmq';
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import type { Logger } from '#configuration/logger.js';

/** The dashboard of the queue, for an operator's browser. */
export interface QueueBoard {
  /** Resolves with what answers a request below the prefix; the caller has checked who asks. */
  open(): Promise<(request: IncomingMessage, response: ServerResponse) => void>;
  close(): Promise<void>;
}

/** The page names a stylesheet of another site, which an operator's browser has no business with. */
const CONTENT_POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'self'; frame-ancestors 'none'";

/**
 * Bull Board below `prefix`, for looking only. It and what it stands on are loaded at the first request. `queue` gives the queue to
 * show, which may be another one later, or null while there is none.
 */
export function queueBoard({ prefix, queue, logger }: { prefix: string; queue: () => Queue | null; logger: Logger }): QueueBoard {
  let opening: ReturnType<typeof openBoard> | undefined;
  let shown: Queue | null = null;
  return {
    open: async () => {
      const { server, show } = await (opening ??= openBoard(prefix, logger));
      const current = queue();
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
async function openBoard(prefix: string, logger: Logger): Promise<{ server: FastifyInstance; show(queue: Queue | null): void }> {
  const [{ createBullBoard }, { BullMQAdapter }, { FastifyAdapter }] = await Promise.all([
    import('@bull-board/api'),
    import('@bull-board/api/bullMQAdapter'),
    import('@bull-board/fastify'),
  ]);
  const adapter = new FastifyAdapter();
  adapter.setBasePath(prefix);
  const { replaceQueues } = createBullBoard({ queues: [], serverAdapter: adapter, options: { uiConfig: { boardTitle: 'Workforce HR' } } });
  const server = Fastify({ loggerInstance: logger, logController: new LogController({ disableRequestLogging: true }) });
  await server.register(adapter.registerPlugin(), { prefix });
  await server.ready();
  const show = (queue: Queue | null): void => replaceQueues(queue === null ? [] : [new BullMQAdapter(queue, { readOnlyMode: true })]);
  return { server, show };
}
