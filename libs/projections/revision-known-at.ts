import { raw, type Sql, sql } from '#database/sql.js';

/**
 * SQL of the revision of a person's employment that was known at a time, inclusive: null before the first
 * fact.
 * @param of - the table with the `organisation_id` and the `person_id`
 */
export function revisionKnownAt(of: string, instant: string): Sql {
  const isTheirs = raw(`known.organisation_id = ${of}.organisation_id and known.person_id = ${of}.person_id`);
  return sql`(select max(known.revision) from employment_facts known
    where ${isTheirs} and known.recorded_at <= ${instant}::timestamptz)`;
}
