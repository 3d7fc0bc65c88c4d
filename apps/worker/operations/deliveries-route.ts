import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { isUnavailable } from '#database/errors.js';
import {
  ENDPOINT_STATES,
  type EndpointState,
  MAX_ENDPOINTS,
  type OverviewFilter,
  overviewOf,
} from '#webhooks/monitoring/endpoint-overview.js';
import { overviewJson } from '#webhooks/monitoring/overview-json.js';
import { parseInteger } from './operator-routes.js';
import type { OperatorHook } from './operator-token.js';

const DEFAULT_ENDPOINTS = 50;
const MAX_OFFSET = 1_000_000;
const MAX_TEXT_LENGTH = 200;
const STATES: readonly string[] = [...ENDPOINT_STATES, 'all'];

/** `GET /deliveries`: the state of the deliveries of all organisations, endpoint by endpoint. */
export function routeDeliveries(server: FastifyInstance, pool: Pool, onRequest: OperatorHook): void {
  server.get('/deliveries', { onRequest }, async (request, reply) => {
    const filter = filterOf(request.query as Readonly<Record<string, unknown>>);
    if (typeof filter === 'string') return reply.code(400).send({ message: filter });
    void reply.header('cache-control', 'no-store');
    try {
      return overviewJson(await overviewOf(pool, filter));
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      return reply.code(503).send({ message: 'PostgreSQL, which stores the deliveries, does not answer.' });
    }
  });
}

/** The filter of a query; a message for an invalid parameter. */
function filterOf(query: Readonly<Record<string, unknown>>): OverviewFilter | string {
  const {
    organisation = null,
    webhook = null,
    status = null,
    limit = String(DEFAULT_ENDPOINTS),
    offset = '0',
    ...unknown
  } = query;
  const [stranger] = Object.keys(unknown);
  if (stranger !== undefined) return 'The parameters are organisation, webhook, status, limit and offset.';
  for (const [name, text] of [
    ['organisation', organisation],
    ['webhook', webhook],
  ] as const) {
    if (text !== null && (typeof text !== 'string' || text === '' || text.length > MAX_TEXT_LENGTH))
      return `"${name}" must be given once, with 1 to ${MAX_TEXT_LENGTH} characters.`;
  }
  if (status !== null && (typeof status !== 'string' || !STATES.includes(status)))
    return `"status" must be one of ${STATES.join(', ')}.`;
  const [rows, first] = [parseInteger(limit), parseInteger(offset)];
  if (!(rows >= 1 && rows <= MAX_ENDPOINTS)) return `"limit" must be a whole number from 1 to ${MAX_ENDPOINTS}.`;
  if (!(first <= MAX_OFFSET)) return `"offset" must be a whole number from 0 to ${MAX_OFFSET}.`;
  const states = status === null ? null : status === 'all' ? ENDPOINT_STATES : [status as EndpointState];
  return {
    organisation: organisation as string | null,
    webhookId: webhook as string | null,
    states,
    limit: rows,
    offset: first,
  };
}
