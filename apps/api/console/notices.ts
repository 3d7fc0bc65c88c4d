import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { errorBody, HttpError, invalidField } from '#http/errors.js';
import { stateOf } from '#http/pipeline/request-state.js';
import { listNotices, markNoticesRead, type NoticeReader } from '#access/user/notices.js';

const JSON_TYPE = 'application/json; charset=utf-8';
/** The maximum number of notices: one per active endpoint, and those of endpoints disabled earlier. */
const MAX_IDS = 1_000;

/**
 * Serves the notices that administrators see in the console (contract part 3: an in-app notification to the
 * administrators of the tenant). Only their sessions reach these routes; other roles get 403.
 */
export function serveNotices(fastify: FastifyInstance, pool: Pool): void {
  const ofSession = (name: string) => ({ config: { endpoint: { name, callers: 'sessions' as const, errorBody } } });
  fastify.get('/console/notices', ofSession('listNotices'), async (request, reply) => {
    const notices = await listNotices(pool, readerOf(request));
    const data = notices.map(({ id, webhook_id, name, reason, since, is_read }) => ({
      id,
      webhook: { id: webhook_id, name },
      reason,
      since: since.toISOString(),
      is_read,
    }));
    return reply.type(JSON_TYPE).send(JSON.stringify({ data }));
  });
  fastify.post('/console/notices/read', ofSession('markNoticesRead'), async (request, reply) => {
    const ids = (request.body as { ids?: unknown } | null | undefined)?.ids;
    if (!Array.isArray(ids) || ids.length > MAX_IDS || !ids.every((id) => typeof id === 'string'))
      throw invalidField('ids', `must be a list of at most ${MAX_IDS} ids of notices`);
    await markNoticesRead(pool, readerOf(request), ids);
    return reply.code(204).send();
  });
}

function readerOf(request: FastifyRequest): NoticeReader {
  const { key } = stateOf(request);
  if (key === null) throw new Error('a request of a session was not admitted');
  if (key.session?.role !== 'administrator')
    throw new HttpError('permission_denied', {
      message: 'Only administrators may read the notices of the organisation.',
    });
  return { organisationId: key.organisation.id, userId: key.keyId };
}
