import { Controller, HttpCode, Inject, Post } from '@nestjs/common';
import type { Pool } from 'pg';
import { CLOCK, DATABASE_POOL, EVENT_STORE, ROUTES } from '#commands/injection-tokens.js';
import type { Append, EventStore } from '#event-store/event-store.js';
import type { Call } from '#http/call.js';
import { Endpoint } from '#http/endpoint.js';
import { invalidField, toHttpError } from '#http/errors.js';
import { Receive } from '#http/operation.js';
import type { Route } from '#http/operations/route-table.js';
import { OperationInvoker } from '#http/pipeline/operation-invoker.js';
import { parseIfMatch } from '#http/pipeline/request-headers.js';
import type { Clock } from '#kernel/clock.js';
import type { Json } from '#kernel/json.js';
import { previewChanges } from '#people/timeline/preview.js';
import { previewAdjustment } from '#time-off/balances/balance-statement.js';
import { previewTimeOff } from '#time-off/requests/preview-time-off.js';

/** The writes of a person's employment that a form previews before it sends them. */
const OF_EMPLOYMENT = ['changeEmployment', 'recordEmploymentFact', 'endPerson', 'reactivatePerson'] as const;

/** The writes of time off that a form previews. */
const OF_TIME_OFF = ['createTimeOff', 'updateTimeOff'] as const;

interface Preview {
  readonly operation: (typeof OF_EMPLOYMENT | typeof OF_TIME_OFF)[number] | 'createTimeOffBalanceAdjustment';
  readonly parameters: Readonly<Record<string, string>>;
  /** The entity tags of the form's data, without quotes; null for a write without `If-Match`. */
  readonly ifMatch: readonly string[] | null;
  readonly body: Json;
}

/**
 * The effects of a write before it is sent. It runs the write's own checks and decision without recording, so
 * that it refuses the same requests with the same errors.
 */
@Controller('console/previews')
export class PreviewsController {
  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ROUTES) private readonly routes: readonly Route[],
    private readonly invoker: OperationInvoker,
  ) {}

  /** The changes of a write of a person's employment, day by day. */
  @Post()
  @HttpCode(200)
  @Endpoint({ name: 'previewWrite', callers: 'sessions' })
  async ofEmployment(@Receive() call: Call<unknown>): Promise<object> {
    const { operation, person_id, if_match, body } = fieldsOf(call.body);
    const personId = textOf(person_id, 'person_id', 'must be the id of a person');
    const preview = {
      operation: oneOf(OF_EMPLOYMENT, operation),
      parameters: { personId },
      ifMatch: tagsOf(if_match),
      body: (body ?? null) as Json,
    };
    const append = await this.decided(call, preview);
    const services = { eventStore: this.eventStore, executor: this.pool };
    const owner = { organisationId: call.key.organisation.id, personId };
    return { data: { changes: append === null ? [] : await previewChanges(services, owner, append) } };
  }

  /** The days of a request for time off as they would be counted, and its status; null without a change. */
  @Post('time-off')
  @HttpCode(200)
  @Endpoint({ name: 'previewTimeOff', callers: 'sessions', people: { of: 'sight' } })
  async ofTimeOff(@Receive() call: Call<unknown>): Promise<object> {
    const { operation: named, time_off_id, if_match, body } = fieldsOf(call.body);
    const operation = oneOf(OF_TIME_OFF, named);
    const isChange = operation === 'updateTimeOff';
    const append = await this.decided(call, {
      operation,
      parameters: isChange ? { timeOffId: textOf(time_off_id, 'time_off_id', 'must be the id of time off') } : {},
      ifMatch: isChange ? tagsOf(if_match) : null,
      body: (body ?? null) as Json,
    });
    return { data: append === null ? null : previewTimeOff(append) };
  }

  /** The balance at the end of the day of an adjustment, without it and with it. */
  @Post('balance-adjustments')
  @HttpCode(200)
  @Endpoint({ name: 'previewBalanceAdjustment', callers: 'sessions' })
  async ofAdjustment(@Receive() call: Call<unknown>): Promise<object> {
    const { person_id, body } = fieldsOf(call.body);
    const personId = textOf(person_id, 'person_id', 'must be the id of a person');
    const append = await this.decided(call, {
      operation: 'createTimeOffBalanceAdjustment',
      parameters: { personId },
      ifMatch: null,
      body: (body ?? null) as Json,
    });
    const of = { organisationId: call.key.organisation.id, personId, now: this.clock.now() };
    return { data: await previewAdjustment(this.pool, of, append!) };
  }

  private async decided({ key, requestId, address }: Call<unknown>, preview: Preview): Promise<Append | null> {
    const { operation: name, ...input } = preview;
    const route = this.routes.find(({ operation: { operationId } }) => operationId === name)!;
    // A space makes it differ from the keys of requests, which have none.
    const idempotencyKey = `preview ${requestId}`;
    try {
      return await this.invoker.decided(route, { ...input, key, requestId, address, idempotencyKey });
    } catch (error) {
      throw toHttpError(error, true);
    }
  }
}

const fieldsOf = (body: unknown): Readonly<Record<string, unknown>> =>
  (body ?? {}) as Readonly<Record<string, unknown>>;

function oneOf<Name extends string>(operations: readonly Name[], operation: unknown): Name {
  const known = operations.find((one) => one === operation);
  if (known === undefined) throw invalidField('operation', `must be one of ${operations.join(', ')}`);
  return known;
}

function textOf(value: unknown, field: string, problem: string): string {
  if (typeof value !== 'string') throw invalidField(field, problem);
  return value;
}

const tagsOf = (value: unknown): readonly string[] =>
  parseIfMatch(textOf(value, 'if_match', "must be the entity tag of the form's data"))!;
