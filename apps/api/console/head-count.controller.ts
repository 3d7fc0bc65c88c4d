import { Controller, Get } from '@nestjs/common';
import type { Call } from '#http/call.js';
import { Endpoint } from '#http/endpoint.js';
import { invalidField } from '#http/errors.js';
import { Receive } from '#http/operation.js';
import { instantOf, isLocalDate } from '#kernel/dates.js';
import { readHeadCount } from '#organisation/org-unit/org-unit-tree.js';

/**
 * The number of people who were employed on a day (`as_of`), as known then (`known_at`), and of those without
 * an org unit, which the tree of units does not contain.
 */
@Controller('console/head-count')
export class HeadCountController {
  @Get()
  @Endpoint({ name: 'getHeadCount', callers: 'sessions', scopes: ['people:read'], people: { of: 'sight' } })
  async read(@Receive() { key, query, sight }: Call<undefined, Readonly<Record<string, unknown>>>): Promise<object> {
    const { as_of: day, known_at: instant } = query;
    if (!isLocalDate(day)) throw invalidField('as_of', 'must be a date (YYYY-MM-DD)');
    if (instant !== undefined && (typeof instant !== 'string' || instantOf(instant) === null))
      throw invalidField('known_at', 'must be a date-time (ISO 8601)');
    return { data: await readHeadCount(sight.reader, key.organisation.id, day, instant ?? null) };
  }
}
