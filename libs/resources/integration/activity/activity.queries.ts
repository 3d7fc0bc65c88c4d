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
  const values: unknown[] = [organisationId, count];
  const conditions = ['organisation_id = $1'];
  const where = (value: unknown, condition: (place: string) => string): void => {
    if (value !== null) conditions.push(condition(`$${values.push(value)}`));
  };
  const ofPerson = filters.personId === null ? null : await streamsOfPerson(executor, organisationId, filters.personId);
  where(ofPerson, (place) => `stream = any(${place}::text[])`);
  where(filters.category === null ? null : `${filters.category}-${organisationId}.`, (place) => `starts_with(stream, ${place})`);
  where(filters.actorId, (place) => `actor_id = ${place}`);
  where(filters.actorType, (place) => `actor_type = ${place}`);
  where(filters.type, (place) => `type = ${place}`);
  where(filters.from, (place) => `recorded_at >= ${place}::timestamptz`);
  where(filters.to, (place) => `recorded_at < ${place}::timestamptz`);
  const [comparison, direction] = order === 'newest_first' ? ['<', 'desc'] : ['>', 'asc'];
  if (after !== null) {
    const places = [after.recordedAt, after.stream, after.revision].map((value) => `$${values.push(value)}`);
    conditions.push(`(recorded_at, stream, revision) ${comparison} (${places[0]}::timestamptz, ${places[1]}, ${places[2]}::bigint)`);
  }
  const { rows } = await executor.query<ActivityRow>({
    text: `select stream, revision, recorded_at from activity where ${conditions.join(' and ')}
      order by recorded_at ${direction}, stream ${direction}, revision ${direction} limit $2`,
    values,
  });
  return rows;
}
