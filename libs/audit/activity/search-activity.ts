import { allOf, type Sql, sql } from '#database/sql.js';
import { streamsOfPerson } from '#people/person/streams-of-person.js';
import type { Executor } from '#projections/projection.js';
import type { ActivityPlace, ActivityRow } from './activity.js';

/** The conditions of an operator's search of the log over all organisations; null for any value. */
export interface ActivitySearch {
  readonly type: string | null;
  /** A whole name, or its beginning such as the category. */
  readonly stream: string | null;
  readonly personId: string | null;
  /** Inclusive, RFC 3339. */
  readonly from: string | null;
  /** Exclusive, RFC 3339. */
  readonly to: string | null;
  readonly before: ActivityPlace | null;
  readonly count: number;
}

/**
 * The newest rows that match, found with the indexes of each organisation: no index spans organisations. An
 * erased person is found too.
 */
export async function searchActivity(executor: Executor, search: ActivitySearch): Promise<readonly ActivityRow[]> {
  const { personId, before, count } = search;
  const ofOrganisation: Sql[] = [sql`organisation_id = o.id`];
  if (search.type !== null) ofOrganisation.push(sql`type = ${search.type}`);
  if (search.stream !== null) ofOrganisation.push(sql`starts_with(stream, ${search.stream})`);
  if (search.from !== null) ofOrganisation.push(sql`recorded_at >= ${search.from}::timestamptz`);
  if (search.to !== null) ofOrganisation.push(sql`recorded_at < ${search.to}::timestamptz`);
  if (personId !== null)
    ofOrganisation.push(sql`stream = any(${await streamsInAnyOrganisation(executor, personId)}::text[])`);
  if (before !== null)
    ofOrganisation.push(
      sql`(recorded_at, stream, revision) < (${before.recordedAt}::timestamptz, ${before.stream}, ${before.revision}::bigint)`,
    );
  const { rows } = await executor.query<ActivityRow>(
    sql`select a.* from organisations o cross join lateral (
        select stream, revision, recorded_at from activity where ${allOf(ofOrganisation)}
         order by recorded_at desc, stream desc, revision desc limit ${count}) a
      order by a.recorded_at desc, a.stream desc, a.revision desc limit ${count}`,
  );
  return rows;
}

async function streamsInAnyOrganisation(executor: Executor, personId: string): Promise<readonly string[]> {
  const { rows } = await executor.query<{ organisation_id: string }>(
    'select organisation_id from person_keys where person_id = $1',
    [personId],
  );
  const streams = await Promise.all(rows.map((row) => streamsOfPerson(executor, row.organisation_id, personId)));
  return streams.flat();
}
