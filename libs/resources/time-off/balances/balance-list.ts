import { allOf, raw, type Sql, sql } from '#database/sql.js';
import { isText, type PagedList } from '#http/pages.js';
import type { Executor } from '#projections/projection.js';
import { conditionsOfPlace } from '../../listing/places-of-work.js';
import { inSlices } from '../../services/in-slices.js';
import { BALANCE_SOURCES, type BalanceSources } from './balance.queries.js';
import { BalanceRules, readBalanceOrganisation } from './balance.reader.js';
import type { BalancesQuery, PersonBalances } from './balance-list.contract.js';

/** The sort values of a person. */
interface Place {
  readonly name: string;
  readonly id: string;
}

type Row = Place & BalanceSources;

/** People by name. */
export const PEOPLE_WITH_BALANCES: PagedList<Place, Row> = {
  route: 'listTimeOffBalances',
  place: { name: isText, id: isText },
  placeOf: ({ name, id }) => ({ name, id }),
};

/** Which balances are asked for. */
export interface BalancesQuestion {
  readonly organisationId: string;
  readonly query: BalancesQuery;
  readonly now: Date;
}

/** The first `count` people after a place, with what their balances are calculated from: one statement, however many they are. */
export async function listBalanceSources(
  executor: Executor,
  { organisationId, query }: Omit<BalancesQuestion, 'now'>,
  after: Place | null,
  count: number,
): Promise<readonly Row[]> {
  const { rows } = await executor.query<Row>(statementOf(organisationId, query, after, count));
  return rows;
}

/** The balances of these people, as `readBalances` calculates those of one. */
export async function balancesOfPeople(
  executor: Executor,
  { organisationId, query, now }: BalancesQuestion,
  people: readonly Row[],
): Promise<readonly PersonBalances[]> {
  const organisation = await readBalanceOrganisation(executor, organisationId);
  const categories = organisation.categories.filter(({ id }) => query.category_id === undefined || id === query.category_id);
  const rules = new BalanceRules({ ...organisation, categories }, query.as_of ?? null, now);
  return inSlices(people, (row) => ({
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
  // Of a category that does not exist nobody has a balance.
  if (query.category_id !== undefined)
    conditions.push(
      sql`exists (select from time_off_categories c where c.organisation_id = ${organisationId} and c.id = ${query.category_id})`,
    );
  if (after !== null) conditions.push(sql`(p.name_key, p.person_id) > (${after.name}, ${after.id})`);
  return sql`select p.name_key as name, p.person_id as id, ${raw(BALANCE_SOURCES)}
    from people p where ${allOf(conditions)} order by p.name_key, p.person_id limit ${count}`;
}
