import type { Pool, QueryResult } from 'pg';
import type { Admission } from '#commands/command-context.js';
import { lockStreams } from '#commands/locks/references.js';
import { sql } from '#database/sql.js';
import type { PeopleAccess } from '#http/people-access.js';
import type { NamedIds, Onlooker, Reader, Sight, Sights } from '#http/sight.js';
import type { Clock } from '#kernel/clock.js';
import { dateIn, type LocalDate } from '#kernel/dates.js';
import type { JsonObject } from '#kernel/json.js';
import { isByRelation } from '#kernel/roles.js';
import type { Executor } from '#projections/projection.js';
import { employmentAggregate } from '../employment/employment.js';
import { limitedTo, type Viewer } from './visible-people.js';

/** The sight of each request: everybody, or for a role by relation the people whom ADR 122 names. */
export class PeopleInSight implements Sights {
  constructor(
    private readonly pool: Pool,
    private readonly clock: Clock,
  ) {}

  of(key: Onlooker | null, people: PeopleAccess | undefined, query: JsonObject): Sight {
    const session = key?.session ?? null;
    if (key === null || session === null || !isByRelation(session.role))
      return { reader: this.pool, hidden: null, hold: null };
    const { organisation } = key;
    const viewer = session.personId === null ? null : this.viewerOf(session, organisation, people, query);
    const reader = limitedReader(this.pool, viewer);
    return {
      reader,
      hidden: (ids) => hiddenOf(reader, organisation.id, ids),
      hold: async (ids, services, unit) => {
        if (viewer !== null) await holdRelation(viewer, ids, services, unit);
      },
    };
  }

  private viewerOf(
    { role, personId }: NonNullable<Onlooker['session']>,
    organisation: Onlooker['organisation'],
    people: PeopleAccess | undefined,
    query: JsonObject,
  ): Viewer | null {
    if (personId === null || people === undefined || people.of === 'none') return null;
    const today = dateIn(organisation.timeZone, this.clock.now());
    const [asOf, knownAt] = [textOf(query, 'as_of'), textOf(query, 'known_at')];
    const isOfADay = asOf !== null && query['compare_known_at'] === undefined;
    return {
      organisationId: organisation.id,
      personId,
      seesSelf: people.of !== 'reports',
      seesReports: role === 'manager' && people.of !== 'oneself' && (people.needsDay !== true || isOfADay),
      today,
      asOf,
      knownAt,
      sumsTimeOff: people.sumsTimeOff === true,
    };
  }
}

/**
 * Runs statements over the tables with people in sight alone; null for a user who sees nobody. Without names,
 * so that connections keep the plans of other callers.
 */
export function limitedReader(pool: Reader, viewer: Viewer | null): Reader {
  const query = (
    statement: string | { readonly text: string; readonly values?: readonly unknown[] },
    more: readonly unknown[] = [],
  ): Promise<QueryResult> => {
    const { text, values = more } = typeof statement === 'string' ? { text: statement } : statement;
    const limited = limitedTo(viewer, text, values);
    return pool.query(limited.text, limited.values);
  };
  return { query: query as Reader['query'] };
}

/**
 * The fields whose ids are not those of people in sight, or of their time off. Unknown ids are hidden alike.
 */
async function hiddenOf(
  reader: Reader,
  organisationId: string,
  { people, timeOff }: NamedIds,
): Promise<ReadonlySet<string>> {
  if (people.length + timeOff.length === 0) return new Set();
  const { rows } = await reader.query<{ id: string }>({
    text: `select p.person_id as id from people p where p.organisation_id = $1 and p.person_id = any($2::text[])
        and p.identity_revision is not null
      union all select t.id from time_off t where t.organisation_id = $1 and t.id = any($3::text[])`,
    values: [organisationId, people.map(([, id]) => id), timeOff.map(([, id]) => id)],
  });
  const seen = new Set(rows.map(({ id }) => id));
  return new Set([...people, ...timeOff].filter(([, id]) => !seen.has(id)).map(([field]) => field));
}

/**
 * Prevents appends to the employment of the people, of the user, and of all managers between them. A manager
 * who came in between before the locks were taken is locked too.
 */
async function holdRelation(viewer: Viewer, ids: NamedIds, ...[services, unit]: Parameters<Admission>): Promise<void> {
  const held = new Set<string>();
  for (;;) {
    const chain = await readChain(services.executor, viewer, ids);
    const missing = chain
      .map((id) => employmentAggregate.streamOf(viewer.organisationId, id))
      .filter((one) => !held.has(one));
    if (missing.length === 0) return;
    await lockStreams(services, { unit }, missing);
    for (const stream of missing) held.add(stream);
  }
}

/** The user, the people and the owners of time off, and the managers of these today up to the user. */
async function readChain(
  executor: Executor,
  { organisationId, personId, today }: Viewer,
  ids: NamedIds,
): Promise<readonly string[]> {
  const named = [personId, ...ids.people.map(([, id]) => id)];
  const { rows } = await executor.query<{ person_id: string }>(
    sql`with recursive chain(person_id) as (
        (select unnest(${named}::text[]) union select t.person_id from time_off t
          where t.organisation_id = ${organisationId} and t.id = any(${ids.timeOff.map(([, id]) => id)}::text[]))
        union select b.manager_id from chain c join employment_beliefs b on b.organisation_id = ${organisationId}
          and b.person_id = c.person_id and b.valid @> ${today}::date and upper_inf(b.known)
         where c.person_id <> ${personId} and b.manager_id is not null)
      select person_id from chain`,
  );
  return rows.map((row) => row.person_id);
}

function textOf(query: JsonObject, name: string): LocalDate | null {
  const value = query[name];
  return typeof value === 'string' ? value : null;
}
