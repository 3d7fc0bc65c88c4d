import type { Answer, Call } from '#http/call.js';
import type { CursorCodec } from '#http/cursors/cursor.js';
import { HttpError, invalidField } from '#http/errors.js';
import { byUpdatedAt, readPage } from '#http/pages.js';
import type { Reader } from '#http/sight.js';
import { missingIssues } from '../records/missing-references.js';
import type { TimeOffQuery } from '../records/time-off-shapes.js';
import { listTimeOff, missingOfFilters, type TimeOffFilters, type TimeOffPage } from '../records/read-time-off.js';
import { presentTimeOff } from './present-time-off.js';

/**
 * A page of `GET /time-off`. Throws a 400 for a window that ends before it begins, a 404 for filters with
 * unknown ids.
 */
export async function listOfTimeOff(cursors: CursorCodec, call: Call<undefined, TimeOffQuery>): Promise<Answer> {
  const { updated_since: since = null, sort = null } = call.query;
  const organisationId = call.key.organisation.id;
  const { reader } = call.sight;
  const filters = filtersOf(call.query);
  if (filters.from !== null && filters.to !== null && filters.to < filters.from)
    throw invalidField('to', 'is before from');
  const order: TimeOffPage['order'] = sort === 'updated_at_desc' ? 'latest' : since === null ? 'dates' : 'change';
  const request = { organisationId, filters: { ...filters, updated_since: since, sort }, query: call.query };
  const { rows, nextCursor } = await readPage(cursors, byUpdatedAt('listTimeOff'), request, async (after, count) => {
    await requireFiltered(reader, organisationId, filters);
    return listTimeOff(reader, {
      organisationId,
      order,
      filters,
      since,
      horizon: after?.horizon ?? null,
      after,
      count,
    });
  });
  return { data: rows.map(presentTimeOff), nextCursor };
}

function filtersOf(query: TimeOffQuery): TimeOffFilters {
  const { from, to, status, person_id: personId, category_id: categoryId } = query;
  return {
    from: from ?? null,
    to: to ?? null,
    status: status ?? null,
    personId: personId ?? null,
    categoryId: categoryId ?? null,
  };
}

/** Contract part 7, rule 2: an unknown id is 404 wherever it appears. */
async function requireFiltered(reader: Reader, organisationId: string, filters: TimeOffFilters): Promise<void> {
  if (filters.personId === null && filters.categoryId === null) return;
  const details = missingIssues(await missingOfFilters(reader, organisationId, filters));
  if (details.length > 0) throw new HttpError('not_found', { details });
}
