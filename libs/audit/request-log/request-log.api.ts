import { Controller, Get, Inject } from '@nestjs/common';
import type { Pool } from 'pg';
import { CLOCK, DATABASE_POOL } from '#commands/injection-tokens.js';
import { defineResource } from '#commands/resource.js';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { DateTimeField, EnumField, IdField, IntegerField, NumberField, TextField } from '#http/fields.js';
import { Operation, Receive } from '#http/operation.js';
import { isText, type PagedList, PageQuery, readPage } from '#http/pages.js';
import { REQUEST_LOG_DAYS, REQUEST_LOG_SCHEMA } from './request-log.sql.js';
import type { Clock } from '#kernel/clock.js';
import { found } from '#kernel/rejection.js';
import { findRequest, listRequests, type RequestPlace, type RequestRow, type RequestScope } from './request-log.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;
const ROUTE_EXAMPLE = '/api/v1/people/{personId}';
const MAX_ROUTE_LENGTH = 300;

/** An answered request, without its content. */
class RequestResponse {
  @TextField({ maximumLength: 64, description: 'As in `Service-Request-Id`.', example: 'req_WydAhe9R0QR26nTM.4' })
  readonly request_id!: string;
  @DateTimeField()
  readonly answered_at!: string;
  @TextField({ maximumLength: 20, example: 'PATCH' })
  readonly method!: string;
  @TextField({
    maximumLength: MAX_ROUTE_LENGTH,
    nullable: true,
    description: 'The pattern of the path, without ids and query. Null for an unknown path.',
    example: ROUTE_EXAMPLE,
  })
  readonly route!: string | null;
  @TextField({
    maximumLength: 100,
    nullable: true,
    description: 'The operation, including one that an AI client ran. Null for a route that declares none.',
    example: 'updatePerson',
  })
  readonly operation!: string | null;
  @IntegerField({ minimum: 100, maximum: 599, example: 412 })
  readonly status!: number;
  @TextField({
    maximumLength: 50,
    nullable: true,
    description: 'The code of the error; null for a success.',
    example: 'precondition_failed',
  })
  readonly error_code!: string | null;
  @IdField('apiKey', { nullable: true, description: 'The API key of the request; null for a user.' })
  readonly key_id!: string | null;
  @IdField('user', { nullable: true, description: 'The user of the session; null for an API key.' })
  readonly user_id!: string | null;
  @NumberField({
    minimum: 0,
    description: 'From the first byte of its headers to the end of its response.',
    example: 4.2,
  })
  readonly duration_milliseconds!: number;
}

class RequestParameters {
  @TextField({
    minimumLength: 1,
    maximumLength: 200,
    description: 'Id of the request.',
    example: 'req_WydAhe9R0QR26nTM.4',
  })
  readonly requestId!: string;
}

class RequestsQuery extends PageQuery {
  @TextField({
    maximumLength: 3,
    optional: true,
    description: 'A status, or a class of them.',
    pattern: {
      source: '^[1-5](?:[0-9][0-9]|xx)$',
      words: 'must be a status such as 404, or a class of them such as 4xx',
    },
    example: '4xx',
  })
  readonly status?: string;
  @EnumField(METHODS, { optional: true, description: 'The method of the requests.' })
  readonly method?: string;
  @TextField({
    minimumLength: 1,
    maximumLength: MAX_ROUTE_LENGTH,
    optional: true,
    description: 'As in the responses.',
    example: ROUTE_EXAMPLE,
  })
  readonly route?: string;
  @IdField('apiKey', { optional: true, description: 'The API key of the request.' })
  readonly key_id?: string;
  @IdField('user', { optional: true, description: 'The user of the session.' })
  readonly user_id?: string;
}

const COMMON = { tags: ['Requests'], scope: 'requests:read', response: RequestResponse } as const;

const NEWEST_FIRST: PagedList<RequestPlace, RequestRow> = {
  route: 'listRequests',
  place: { answeredAt: isText, id: isText },
  placeOf: (row) => ({ answeredAt: row.answered_at.toISOString(), id: row.request_id }),
};

@Controller('requests')
class RequestLogController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly cursors: CursorCodec,
  ) {}

  @Get()
  @Operation({
    ...COMMON,
    operationId: 'listRequests',
    summary: 'List requests',
    description:
      'Requests of keys and users of the organisation within the last 7 days, newest first, with a delay of a few ' +
      'seconds. Bodies, query values and ids are not stored. A crash may lose the last ones.',
    capability: 'requests.list',
    query: RequestsQuery,
    responseKind: 'page',
  })
  async list(@Receive() call: Call<undefined, RequestsQuery>): Promise<Answer> {
    const { status = null, method = null, route = null, key_id = null, user_id = null } = call.query;
    const filters = {
      status,
      method,
      route: route === null ? null : route.replaceAll(/\{(\w+)\}/g, ':$1'),
      callers: [key_id, user_id].filter((id) => id !== null),
    };
    const scope = this.scopeOf(call);
    const request = {
      organisationId: scope.organisationId,
      filters: { status, method, route, key_id, user_id },
      query: call.query,
    };
    const { rows, nextCursor } = await readPage(this.cursors, NEWEST_FIRST, request, (after, count) =>
      listRequests(this.pool, scope, { filters, after, count }),
    );
    return { data: rows.map(presentRequest), nextCursor };
  }

  @Get(':requestId')
  @Operation({
    ...COMMON,
    operationId: 'getRequest',
    summary: 'Read a request by its id',
    description: 'Returns the entry of the request with this `Service-Request-Id`. Requests are retained for 7 days.',
    capability: 'requests.read',
    parameters: RequestParameters,
  })
  async read(@Receive() call: Call<undefined, unknown, RequestParameters>): Promise<Answer> {
    return { data: presentRequest(found(await findRequest(this.pool, this.scopeOf(call), call.parameters.requestId))) };
  }

  private scopeOf({ key }: Pick<Call, 'key'>): RequestScope {
    return {
      organisationId: key.organisation.id,
      since: new Date(this.clock.now().getTime() - REQUEST_LOG_DAYS * 86_400_000),
    };
  }
}

function presentRequest(row: RequestRow): RequestResponse {
  const {
    request_id,
    answered_at,
    method,
    route,
    operation,
    status,
    error_code,
    caller_type,
    caller_id,
    milliseconds,
  } = row;
  return {
    request_id,
    answered_at: answered_at.toISOString(),
    method,
    route: route === null ? null : route.replaceAll(/:(\w+)/g, '{$1}'),
    operation,
    status,
    error_code,
    key_id: caller_type === 'api_key' ? caller_id : null,
    user_id: caller_type === 'user' ? caller_id : null,
    duration_milliseconds: Math.round(milliseconds * 100) / 100,
  };
}

/** The requests of the last days, which the pipeline records. */
export const requestLogResource = defineResource({
  area: 'integration',
  migrations: [{ version: 11, name: 'log of requests', sql: REQUEST_LOG_SCHEMA }],
  controllers: [RequestLogController],
});
