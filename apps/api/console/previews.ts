import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import type { EventStore } from '#event-store/event-store.js';
import { errorBody, invalidField, toHttpError } from '#http/errors.js';
import { parseIfMatch } from '#http/pipeline/request-headers.js';
import { stateOf } from '#http/pipeline/request-state.js';
import type { Json } from '#kernel/json.js';
import { previewChanges, type PreviewedChange } from '#people/timeline/preview.js';
import type { Access } from './access.js';

/** The dependencies of the preview of a form. */
export interface PreviewParts {
  readonly eventStore: EventStore;
  readonly pool: Pool;
  readonly access: Access;
}

/** The writes of a person's employment that a form previews before it sends them. */
const OPERATIONS = ['changeEmployment', 'recordEmploymentFact', 'endPerson', 'reactivatePerson'] as const;

interface Preview {
  readonly operation: (typeof OPERATIONS)[number];
  readonly personId: string;
  /** The entity tags of the form's data, without quotes. */
  readonly ifMatch: readonly string[];
  readonly body: Json;
}

/**
 * Serves `POST /console/previews`: the changes of a write of a person's employment, day by day, before it is
 * sent. It runs the write's own checks and decision without recording, so that it refuses the same requests
 * with the same errors.
 */
export function servePreviews(fastify: FastifyInstance, parts: PreviewParts): void {
  const config = { plain: { name: 'previewWrite', callers: 'sessions' as const, errorBody } };
  fastify.post('/console/previews', { config }, async (request, reply) => {
    const changes = await changesOf(parts, request, previewOf(request.body));
    return reply.type('application/json; charset=utf-8').send(JSON.stringify({ data: { changes } }));
  });
}

async function changesOf(
  { eventStore, pool, access }: PreviewParts,
  request: FastifyRequest,
  { operation, personId, ifMatch, body }: Preview,
): Promise<readonly PreviewedChange[]> {
  const { key } = stateOf(request);
  if (key === null) throw new Error('a request of a session was not admitted');
  // A space makes it differ from the keys of requests, which have none.
  const idempotencyKey = `preview ${request.id}`;
  const input = {
    key,
    requestId: request.id,
    address: () => request.ip,
    parameters: { personId },
    body,
    ifMatch,
    idempotencyKey,
  };
  try {
    const append = await access.decided(operation, input);
    return append === null
      ? []
      : await previewChanges({ eventStore, executor: pool }, { organisationId: key.organisation.id, personId }, append);
  } catch (error) {
    throw toHttpError(error, true);
  }
}

function previewOf(body: unknown): Preview {
  const {
    operation,
    person_id: personId,
    if_match: ifMatch,
    body: requested,
  } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const known = OPERATIONS.find((one) => one === operation);
  if (known === undefined) throw invalidField('operation', `must be one of ${OPERATIONS.join(', ')}`);
  if (typeof personId !== 'string') throw invalidField('person_id', 'must be the id of a person');
  if (typeof ifMatch !== 'string') throw invalidField('if_match', "must be the entity tag of the form's data");
  return { operation: known, personId, ifMatch: parseIfMatch(ifMatch)!, body: (requested ?? null) as Json };
}
