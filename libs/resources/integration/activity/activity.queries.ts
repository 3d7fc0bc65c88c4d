import { allOf, sql } from '#database/sql.js';
import type { Executor } from '#projections/projection.js';
import { streamsOfPerson } from '../../people/person/streams-of-person.js';

/** A row of `activity`. */
export interface ActivityRow {
  /** With its category. */
  readonly stream: string;
  readonly revision: number;
  readonly recorded_at: Date;
}

/** A place in the order of time. */
export interface ActivityPlace {
  /** RFC 3339. */
  readonly recordedAt: string;
  readonly stream: string;
  readonly revision: number;
}

/** Which events a page shows; null for all. */
export interface ActivityFilters {
  readonly personId: string | null;
  readonly actorId: string | null;
  readonly actorType: string | null;
  readonly type: string | null;
  /** Categories of streams. */
  readonly category: string | null;
  /** Inclusive, RFC 3339. */
  readonly from: string | null;
  /** Exclusive, RFC 3339. */
  readonly to: string | null;
}

/** A page: `count` rows after a place, or from the beginning of the order. */
export interface ActivityPage {
  readonly filters: ActivityFilters;
  readonly order: 'newest_first' | 'oldest_first';
  readonly after: ActivityPlace | null;
  readonly count: number;
}

/** The rows of a page. A person's streams are looked up by their key, everything else by time. */
export async function listActivity(executor: Executor, organisationId: string, page: ActivityPage): Promise<readonly ActivityRow[]> {
  const { filters, order, after, count } = page;
  const { personId, category, actorId, actorType, type, from, to } = filters;
  const conditions = [sql`organisation_id = ${organisationId}`];
  if (personId !== null) conditions.push(sql`stream = any(${await streamsOfPerson(executor, organisationId, personId)}::text[])`);
  if (category !== null) conditions.push(sql`starts_with(stream, ${`${category}-${organisationId}.`})`);
  if (actorId !== null) conditions.push(sql`actor_id = ${actorId}`);
  if (actorType !== null) conditions.push(sql`actor_type = ${actorType}`);
  if (type !== null) conditions.push(sql`type = ${type}`);
  if (from !== null) conditions.push(sql`recorded_at >= ${from}::timestamptz`);
  if (to !== null) conditions.push(sql`recorded_at < ${to}::timestamptz`);
  const [isAfter, direction] = order === 'newest_first' ? [sql`<`, sql`desc`] : [sql`>`, sql`asc`];
  if (after !== null) {
    const place = sql`(${after.recordedAt}::timestamptz, ${after.stream}, ${after.revision}::bigint)`;
    conditions.push(sql`(recorded_at, stream, revision) ${isAfter} ${place}`);
  }
  const { rows } = await executor.query<ActivityRow>(sql`select stream, revision, recorded_at from activity where ${allOf(conditions)}
    order by recorded_at ${direction}, stream ${direction}, revision ${direction} limit ${count}`);
  return rows;
}
