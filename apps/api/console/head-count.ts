import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { errorBody, invalidField } from '#http/errors.js';
import { deniedBy } from '#http/pipeline/guards.js';
import { stateOf } from '#http/pipeline/request-state.js';
import { instantOf, isLocalDate } from '#kernel/dates.js';
import { readHeadCount } from '#organisation/org-unit/org-unit-tree.js';

const SCOPE = 'people:read';

/**
 * Serves `GET /console/head-count?as_of&known_at`: the number of people who were employed on a day, and of
 * those without an org unit, which the tree of units does not contain.
 */
export function serveHeadCount(fastify: FastifyInstance, pool: Pool): void {
  const config = { plain: { name: 'getHeadCount', callers: 'sessions' as const, errorBody } };
  fastify.get('/console/head-count', { config }, async (request, reply) => {
    const { key } = stateOf(request);
    if (key === null) throw new Error('a request of a session was not admitted');
    if (!key.scopes.has(SCOPE)) throw deniedBy('scope', { scope: SCOPE }, key);
    const { as_of: day, known_at: instant } = request.query as Readonly<Record<string, unknown>>;
    if (!isLocalDate(day)) throw invalidField('as_of', 'must be a date (YYYY-MM-DD)');
    if (instant !== undefined && (typeof instant !== 'string' || instantOf(instant) === null))
      throw invalidField('known_at', 'must be a date-time (ISO 8601)');
    const data = await readHeadCount(pool, key.organisation.id, day, instant ?? null);
    return reply.type('application/json; charset=utf-8').send(JSON.stringify({ data }));
  });
}
