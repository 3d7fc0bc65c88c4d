import { Controller, Get, Inject } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { DATABASE_POOL } from '#http/injection-tokens.js';
import { Operation, Receive } from '#http/operation.js';
import { isText, isWholeNumber, type PagedList, readPage } from '#http/pages.js';
import { ActivityQuery, ActivityResponse } from './activity.contract.js';
import { categoryOfType } from './activity-values.js';
import { type ActivityFilters, type ActivityPlace, type ActivityRow, listActivity } from './activity.queries.js';
import { ActivityReader } from './activity.reader.js';

const NEWEST_FIRST: PagedList<ActivityPlace, ActivityRow> = {
  route: 'listActivity',
  place: { recordedAt: isText, stream: isText, revision: isWholeNumber },
  placeOf: placeOfActivity,
};

@Controller('activity')
export class ActivityController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly cursors: CursorCodec,
    private readonly reader: ActivityReader,
  ) {}

  @Get()
  @Operation({
    tags: ['Audit'],
    operationId: 'listActivity',
    summary: 'List what happened',
    description:
      'Every recorded event of the organisation, newest first, about a second late: who recorded it, about what, which fields changed, with the values before and after where the caller has the scope that reads them. Values of erased people are gone.',
    capability: 'audit.activity',
    scope: 'audit:read',
    query: ActivityQuery,
    response: ActivityResponse,
    responseKind: 'page',
  })
  async list(@Receive() call: Call<undefined, ActivityQuery>): Promise<Answer> {
    const organisationId = call.key.organisation.id;
    const filters = filtersOf(call.query);
    const request = { organisationId, filters: { ...filters }, query: call.query };
    const { rows, nextCursor } = await readPage(this.cursors, NEWEST_FIRST, request, (after, count) =>
      listActivity(this.pool, organisationId, { filters, order: 'newest_first', after, count }),
    );
    return { data: await this.reader.show({ organisationId, scopes: call.key.scopes }, rows), nextCursor };
  }
}

/** The place of a row in either order of time. */
export function placeOfActivity({ recorded_at: recordedAt, stream, revision }: ActivityRow): ActivityPlace {
  return { recordedAt: recordedAt.toISOString(), stream, revision };
}

function filtersOf({ person_id, actor_id, actor_type, resource_type, type, from, to }: ActivityQuery): ActivityFilters {
  return {
    personId: person_id ?? null,
    actorId: actor_id ?? null,
    actorType: actor_type ?? null,
    type: type ?? null,
    category: resource_type === undefined ? null : categoryOfType(resource_type),
    from: from ?? null,
    to: to ?? null,
  };
}
