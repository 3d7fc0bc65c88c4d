import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { isUnavailable } from '#database/errors.js';
import { StoreUnavailableError } from '#event-store/event-store.js';
import type { OperatorHook } from './operator-token.js';

/** The response of a route other than 200 with JSON. */
export class Refusal {
  constructor(
    readonly status: 400 | 404 | 409,
    readonly message: string,
  ) {}
}

/** A route for operators: its response is a document, or the reason for its absence. */
export interface OperatorRoute {
  readonly method: HTTPMethods;
  readonly url: string;
  /** 200 by default. */
  readonly status?: 200 | 202;
  readonly answer: (request: FastifyRequest) => Promise<object | Refusal>;
}

/** Adds routes with uncacheable responses; 503 if PostgreSQL or the event store does not answer. */
export function routeOperator(
  server: FastifyInstance,
  hooks: readonly OperatorHook[],
  routes: readonly OperatorRoute[],
): void {
  for (const { method, url, status = 200, answer } of routes)
    server.route({
      method,
      url,
      onRequest: [...hooks],
      handler: async (request, reply) => {
        void reply.header('cache-control', 'no-store');
        try {
          const found = await answer(request);
          return found instanceof Refusal
            ? reply.code(found.status).send({ message: found.message })
            : reply.code(status).send(found);
        } catch (error) {
          return unavailable(error, reply);
        }
      },
    });
}

function unavailable(error: unknown, reply: FastifyReply): FastifyReply {
  if (error instanceof StoreUnavailableError)
    return reply.code(503).send({ message: 'The event store does not answer.' });
  if (isUnavailable(error)) return reply.code(503).send({ message: 'PostgreSQL does not answer.' });
  throw error;
}

/** The single values of a query by their names; a message if it has another name, or one twice. */
export function valuesOf<Name extends string>(
  request: FastifyRequest,
  names: readonly Name[],
): Partial<Record<Name, string>> | Refusal {
  const query = request.query as Readonly<Record<string, unknown>>;
  const isKnown = Object.entries(query).every(
    ([name, value]) => names.includes(name as Name) && typeof value === 'string',
  );
  return isKnown
    ? (query as Partial<Record<Name, string>>)
    : new Refusal(400, `The parameters are ${names.join(', ')}, each once.`);
}

/** A whole number of at most nine digits; NaN for any other value. */
export function parseInteger(text: unknown): number {
  return typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
}
