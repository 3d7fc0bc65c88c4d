import { joined, raw, type Sql, sql } from '#database/sql.js';
import type { LocalDate } from '#kernel/dates.js';
import { revisionKnownAt } from '#projections/revision-known-at.js';

/** Who reports to a manager, and when. */
export interface ReportingQuery {
  readonly organisationId: string;
  readonly managerId: string;
  /** The days that matter; null for all. The periods found may contain further days. */
  readonly days: readonly LocalDate[] | null;
  /** As it was known at this time (ISO 8601); null: as currently known. */
  readonly knownAt: string | null;
  /** Whether it includes the reports of reports. */
  readonly isWhole: boolean;
}

/** Longer than any chain of managers: it ends a recursion that the guard of managers cannot have allowed. */
const LONGEST_CHAIN = 1_000;

/**
 * SQL of the people who report to a manager: `person_id`, `depth` (1 for a direct report) and the period
 * `during` in which it is so. A person and all managers between are employed on each day of the period. This
 * is the one definition of the relation (ADR 122).
 */
export function reportingTo({ organisationId, managerId, days, knownAt, isWhole }: ReportingQuery): Sql {
  const isKnown = (of: string): Sql =>
    knownAt === null ? sql`upper_inf(${raw(of)}.known)` : sql`${raw(of)}.known @> ${revisionKnownAt(of, knownAt)}`;
  const matters =
    days === null
      ? sql``
      : sql` and (${joined(
          days.map((day) => sql`b.valid @> ${day}::date`),
          ' or ',
        )})`;
  const managed = sql`select b.person_id, b.manager_id, b.valid from employment_beliefs b
    where b.organisation_id = ${organisationId} and ${isKnown('b')} and b.manager_id is not null${matters}`;
  // Only the index `employment_beliefs_of_managers` is by manager; it does not tell who is employed.
  const isEmployed = sql`exists (select from employment_beliefs e where e.organisation_id = ${organisationId}
    and e.person_id = m.person_id and e.valid = m.valid and e.employed and ${isKnown('e')})`;
  if (!isWhole)
    return sql`(select m.person_id, 1 as depth, m.valid as during from (${managed} and b.manager_id = ${managerId}) m
      where ${isEmployed})`;
  // `materialized`: the beliefs are read once, not again for each step.
  return sql`(with recursive managed as materialized (${managed}), below(person_id, depth, during) as (
      select m.person_id, 1, m.valid from managed m where m.manager_id = ${managerId} and ${isEmployed}
      union all
      select m.person_id, u.depth + 1, m.valid * u.during from below u join managed m on m.manager_id = u.person_id
       where m.valid && u.during and ${isEmployed} and u.depth < ${raw(String(LONGEST_CHAIN))}
    ) select person_id, depth, during from below)`;
}

/**
 * SQL of whether a person, by id or by a column of the statement, is employed on a day, as currently known.
 */
export function employedOn(organisationId: string, personId: string | Sql, day: LocalDate): Sql {
  return sql`exists (select from employment_beliefs b where b.organisation_id = ${organisationId}
    and b.person_id = ${personId} and b.employed and b.valid @> ${day}::date and upper_inf(b.known))`;
}
