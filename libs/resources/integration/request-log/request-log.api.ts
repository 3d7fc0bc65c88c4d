import { Controller, Get, Inject } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { CLOCK, DATABASE_POOL } from '#http/injection-tokens.js';
import { Operation, Receive } from '#http/operation.js';
import { isText, type PagedList, readPage } from '#http/pages.js';
import { REQUEST_LOG_DAYS } from '#http/request-log/request-log.sql.js';
import type { Clock } from '#kernel/clock.js';
import { found } from '#kernel/rejection.js';
import { RequestParameters, RequestResponse, RequestsQuery } from './request-log.contract.js';
import { findRequest, listRequests, type RequestPlace, type RequestRow, type RequestScope } from './request-log.queries.js';

const COMMON = { tags: ['Requests'], scope: 'requests:read', response: RequestResponse } as const;

const NEWEST_FIRST: PagedList<RequestPlace, RequestRow> = {
  route: 'listRequests',
  place: { answeredAt: isText, id: isText },
  placeOf: (row) => ({ answeredAt: row.answered_at.toISOString(), id: row.request_id }),
};

@Controller('requests')
export class RequestLogController {
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
      'What keys and users of the organisation asked within the last 7 days, newest first, a few seconds late. Bodies, query values and ids are not kept. A crash may lose the last ones.',
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
    const request = { organisationId: scope.organisationId, filters: { status, method, route, key_id, user_id }, query: call.query };
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
    description: 'Returns what is kept of the request that an answer named in `Service-Request-Id`. Requests are kept for 7 days.',
    capability: 'requests.read',
    parameters: RequestParameters,
  })
  async read(@Receive() call: Call<undefined, unknown, RequestParameters>): Promise<Answer> {
    return { data: presentRequest(found(await findRequest(this.pool, this.scopeOf(call), call.parameters.requestId))) };
  }

  private scopeOf({ key }: Pick<Call, 'key'>): RequestScope {
    return { organisationId: key.organisation.id, since: new Date(this.clock.now().getTime() - REQUEST_LOG_DAYS * 86_400_000) };
  }
}

function presentRequest(row: RequestRow): RequestResponse {
  const { request_id, answered_at, method, route, operation, status, error_code, caller_type, caller_id, milliseconds } = row;
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
