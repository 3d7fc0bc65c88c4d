import { Controller, HttpCode, Inject, Post } from '@nestjs/common';
import type { Pool } from 'pg';
import { DATABASE_POOL, EVENT_STORE, ROUTES } from '#commands/injection-tokens.js';
import type { EventStore } from '#event-store/event-store.js';
import type { Call } from '#http/call.js';
import { Endpoint } from '#http/endpoint.js';
import { invalidField, toHttpError } from '#http/errors.js';
import { Receive } from '#http/operation.js';
import type { Route } from '#http/operations/route-table.js';
import { OperationInvoker } from '#http/pipeline/operation-invoker.js';
import { parseIfMatch } from '#http/pipeline/request-headers.js';
import type { Json } from '#kernel/json.js';
import { previewChanges, type PreviewedChange } from '#people/timeline/preview.js';

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
 * The changes of a write of a person's employment, day by day, before it is sent. It runs the write's own
 * checks and decision without recording, so that it refuses the same requests with the same errors.
 */
@Controller('console/previews')
export class PreviewsController {
  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    @Inject(ROUTES) private readonly routes: readonly Route[],
    private readonly invoker: OperationInvoker,
  ) {}

  @Post()
  @HttpCode(200)
  @Endpoint({ name: 'previewWrite', callers: 'sessions' })
  async preview(@Receive() call: Call<unknown>): Promise<object> {
    return { data: { changes: await this.changesOf(call, previewOf(call.body)) } };
  }

  private async changesOf(
    { key, requestId, address }: Call<unknown>,
    { operation, personId, ifMatch, body }: Preview,
  ): Promise<readonly PreviewedChange[]> {
    const route = this.routes.find(({ operation: { operationId } }) => operationId === operation)!;
    // A space makes it differ from the keys of requests, which have none.
    const idempotencyKey = `preview ${requestId}`;
    const input = { key, requestId, address, parameters: { personId }, body, ifMatch, idempotencyKey };
    const organisationId = key.organisation.id;
    try {
      const append = await this.invoker.decided(route, input);
      if (append === null) return [];
      const services = { eventStore: this.eventStore, executor: this.pool };
      return await previewChanges(services, { organisationId, personId }, append);
    } catch (error) {
      throw toHttpError(error, true);
    }
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
