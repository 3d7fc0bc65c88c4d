import { prepared, raw, sql } from '#database/sql.js';
import { ERASED } from '#kernel/erasure.js';
import type { LocalDate } from '#kernel/dates.js';
import { isText, isSafeInteger, type PagedList } from '#http/pages.js';
import type { Executor } from '#projections/projection.js';
import { PERSON, peopleOf } from './read-people.js';
import { personOf, type PersonRow, type StoredPerson } from './person-row.js';

/**
 * The sort values of a report: the steps below the manager, the name without case and accents, and the id.
 */
export interface ReportPlace {
  readonly depth: number;
  readonly key: string;
  readonly id: string;
}

/** A report of a page. */
export interface ReportRow extends ReportPlace {
  readonly person: PersonRow;
}

/** The query of a list of reports. */
export interface ReportsQuery {
  readonly organisationId: string;
  readonly managerId: string;
  /** Managers are those of this day, as currently known. */
  readonly day: LocalDate;
  /** Whether it includes the reports of reports. */
  readonly isWhole: boolean;
}

/** Reports, those with fewer steps first, then by name. */
export const REPORTS: PagedList<ReportPlace, ReportRow> = {
  route: 'listReports',
  place: { depth: isSafeInteger, key: isText, id: isText },
  placeOf: ({ depth, key, id }) => ({ depth, key, id }),
};

/** The first `count` reports after a place. */
export async function listReports(
  executor: Executor,
  { organisationId, managerId, day, isWhole }: ReportsQuery,
  after: ReportPlace | null,
  count: number,
): Promise<readonly ReportRow[]> {
  const managed = sql`select c.person_id, c.manager_id from employment_beliefs c
    where c.organisation_id = ${organisationId} and upper_inf(c.known) and c.manager_id is not null
      and c.valid @> ${day}::date`;
  // Only the index `employment_beliefs_of_managers` is by manager; it does not tell who is employed.
  const isEmployed = sql`exists (select from employment_beliefs b
    where b.organisation_id = ${organisationId} and b.person_id = m.person_id and b.employed and b.valid @> ${day}::date
      and upper_inf(b.known))`;
  const direct = sql`select m.person_id, 1 as depth from (${managed} and c.manager_id = ${managerId}) m
    where ${isEmployed}`;
  // `materialized`: the beliefs of the day are read once, not again for each step. The guard of managers
  // prevents endless recursion.
  const below = isWhole
    ? sql`recursive managed as materialized (${managed}), below(person_id, depth) as (
        select m.person_id, 1 from managed m where m.manager_id = ${managerId} and ${isEmployed}
        union all
        select m.person_id, u.depth + 1 from below u join managed m on m.manager_id = u.person_id where ${isEmployed})`
    : sql`below as (${direct})`;
  const place =
    after === null
      ? sql``
      : sql` and (u.depth, p.name_key, p.person_id) > (${after.depth}::integer, ${after.key}, ${after.id})`;
  const { rows } = await executor.query<StoredPerson & { readonly depth: number; readonly key: string }>(
    prepared(sql`with ${below}
      select u.depth, p.name_key as key, ${PERSON.columns} from below u
        join (${PERSON.from}) on p.person_id = u.person_id
       where ${peopleOf(organisationId)} and p.work_email <> ${raw(`'${ERASED}'`)}${place}
       order by u.depth, p.name_key, p.person_id limit ${count}`),
  );
  return rows.map((row) => ({ depth: row.depth, key: row.key, id: row.person_id, person: personOf(row) }));
}
