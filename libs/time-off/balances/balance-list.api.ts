import { Controller, Get, Inject } from '@nestjs/common';
import type { Pool } from 'pg';
import { CLOCK, DATABASE_POOL } from '#commands/injection-tokens.js';
import { allOf, raw, type Sql, sql } from '#database/sql.js';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { invalidField } from '#http/errors.js';
import { BooleanField, DateField, IdField, ListField, ObjectField } from '#http/fields.js';
import { GROWING_LIST_LENGTH } from '#http/fields/shape.js';
import { mapYielding } from '#http/map-yielding.js';
import { Operation, Receive } from '#http/operation.js';
import { isText, type PagedList, PageQuery, readPage } from '#http/pages.js';
import type { Clock } from '#kernel/clock.js';
import { conditionsOfPlace } from '#organisation/org-unit/org-unit.js';
import type { Executor } from '#projections/projection.js';
import { TimeOffPersonReference } from '../records/time-off-shapes.js';
import { CategoryBalance } from './balance-shapes.js';
import { BALANCE_SOURCES, type BalanceSources } from './read-balance-sources.js';
import { asOfProblem, BalanceRules, readBalanceOrganisation } from './read-balances.js';

/** The sort values of a person. */
interface Place {
  readonly name: string;
  readonly id: string;
}

type Row = Place & BalanceSources;

/** People by name. */
const PEOPLE_WITH_BALANCES: PagedList<Place, Row> = {
  route: 'listTimeOffBalances',
  place: { name: isText, id: isText },
  placeOf: ({ name, id }) => ({ name, id }),
};

/** The filter of a list of balances. */
export interface BalancesQuestion {
  readonly organisationId: string;
  readonly query: BalancesQuery;
  readonly now: Date;
}

/**
 * The first `count` people after a place, with the sources of their balances: one statement for any number of
 * people.
 */
export async function listBalanceSources(
  executor: Executor,
  { organisationId, query }: Omit<BalancesQuestion, 'now'>,
  after: Place | null,
  count: number,
): Promise<readonly Row[]> {
  const { rows } = await executor.query<Row>(statementOf(organisationId, query, after, count));
  return rows;
}

/** The balances of these people, calculated as `readBalances` does. */
export async function balancesOfPeople(
  executor: Executor,
  { organisationId, query, now }: BalancesQuestion,
  people: readonly Row[],
): Promise<readonly PersonBalances[]> {
  const organisation = await readBalanceOrganisation(executor, organisationId);
  const categories = organisation.categories.filter(
    ({ id }) => query.category_id === undefined || id === query.category_id,
  );
  const rules = new BalanceRules({ ...organisation, categories }, query.as_of ?? null, now);
  return mapYielding(people, (row) => ({
    person: { id: row.id, display_name: row.display_name },
    as_of: rules.date,
    balances: rules.categories.map(rules.balanceOf(row)),
  }));
}

function statementOf(organisationId: string, query: BalancesQuery, after: Place | null, count: number): Sql {
  const conditions = [
    sql`p.organisation_id = ${organisationId}`,
    sql`p.identity_revision is not null`,
    ...conditionsOfPlace(organisationId, 'p', query),
  ];
  // For a category that does not exist, the list is empty.
  if (query.category_id !== undefined)
    conditions.push(
      sql`exists (select from time_off_categories c where c.organisation_id = ${organisationId}
        and c.id = ${query.category_id})`,
    );
  if (after !== null) conditions.push(sql`(p.name_key, p.person_id) > (${after.name}, ${after.id})`);
  return sql`select p.name_key as name, p.person_id as id, ${raw(BALANCE_SOURCES)}
    from people p where ${allOf(conditions)} order by p.name_key, p.person_id limit ${count}`;
}

class BalancesQuery extends PageQuery {
  @DateField({
    optional: true,
    description: 'Any day, past or up to 100 years ahead; today by default.',
    example: '2026-06-30',
  })
  readonly as_of?: string;
  @IdField('timeOffCategory', { optional: true, description: 'The balances in this category alone.' })
  readonly category_id?: string;
  @IdField('orgUnit', { optional: true, description: 'People of this org unit, today.' })
  readonly department_id?: string;
  @BooleanField({
    optional: true,
    description: 'With department_id: also people of the units below it.',
    example: true,
  })
  readonly include_units?: boolean;
  @IdField('person', {
    optional: true,
    description: 'People who report to this person directly, today.',
    example: 'b3w8n0ez5t6y',
  })
  readonly manager_id?: string;
}

/** The balances of one of many people. */
class PersonBalances {
  @ObjectField(() => TimeOffPersonReference)
  readonly person!: TimeOffPersonReference;
  @DateField({ description: 'The requested day; balances are as of its end.', example: '2026-06-30' })
  readonly as_of!: string;
  @ListField(() => CategoryBalance, {
    maximumItems: GROWING_LIST_LENGTH,
    description: 'The same as those of one person, by label.',
  })
  readonly balances!: readonly CategoryBalance[];
}

@Controller('time-off/balances')
export class BalanceListController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly cursors: CursorCodec,
  ) {}

  @Get()
  @Operation({
    tags: ['Time-off balances'],
    operationId: 'listTimeOffBalances',
    people: { of: 'sight', sumsTimeOff: true },
    summary: 'List the time-off balances of people',
    description:
      'All people by name, each with the balances that reading those of one person returns. Departments and managers ' +
      'are those of today.',
    scope: 'time_off:read',
    capability: 'time_off.balance.list',
    query: BalancesQuery,
    response: PersonBalances,
    responseKind: 'page',
  })
  async list(@Receive() call: Call<undefined, BalancesQuery>): Promise<Answer> {
    const { limit: _, cursor: __, ...filters } = call.query;
    const organisationId = call.key.organisation.id;
    const now = this.clock.now();
    const problem = asOfProblem(filters.as_of ?? null, now);
    if (problem !== null) throw invalidField('as_of', problem);
    const question = { organisationId, query: call.query, now };
    const { rows, nextCursor } = await readPage(
      this.cursors,
      PEOPLE_WITH_BALANCES,
      { organisationId, filters, query: call.query },
      (after, count) => listBalanceSources(call.sight.reader, question, after, count),
    );
    return { data: await balancesOfPeople(this.pool, question, rows), nextCursor };
  }
}
