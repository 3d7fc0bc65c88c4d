import { allOf, prepared, type Sql, sql } from '#database/sql.js';
import type { Executor } from '#projections/projection.js';
import { firstRows } from '#projections/first-rows.js';
import { namesOfTerms, PERSON_COLUMNS, personOf, type PersonRow, type StoredPerson } from './person-row.js';

/** Condition of people whose creation is complete; readers see no others. */
export function peopleOf(organisationId: string): Sql {
  return sql`p.organisation_id = ${organisationId} and p.identity_revision is not null`;
}

const { columns: NAMES, joins: JOINED_NAMES } = namesOfTerms('p');

/** The columns of a {@link StoredPerson}, and `people p` with the joins that they need. */
export const PERSON = { columns: sql`${PERSON_COLUMNS}, ${NAMES}`, from: sql`people p ${JOINED_NAMES}` };

function onePerson(organisationId: string, personId: string, more = sql``): Sql {
  return sql`select ${PERSON.columns}${more} from ${PERSON.from}
    where ${peopleOf(organisationId)} and p.person_id = ${personId}`;
}

/** The person; null if this organisation has none with this id. */
export async function findPerson(
  executor: Executor,
  organisationId: string,
  personId: string,
): Promise<PersonRow | null> {
  const { rows } = await executor.query<StoredPerson>(prepared(onePerson(organisationId, personId)));
  return rows[0] === undefined ? null : personOf(rows[0]);
}

/** The display names of people, by id, without those whom the executor does not find. */
export async function findNames(
  executor: Executor,
  organisationId: string,
  personIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await executor.query<{ id: string; name: string }>({
    name: 'names-of-people',
    text: `select p.person_id as id, p.display_name as name from people p where p.organisation_id = $1
      and p.person_id = any($2::text[]) and p.identity_revision is not null`,
    values: [organisationId, personIds],
  });
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/**
 * A person as of {@link findPerson} with the stored key of their personal data, which is null after erasure.
 */
export async function findPersonWithKey(
  executor: Executor,
  organisationId: string,
  personId: string,
): Promise<{ readonly row: PersonRow; readonly key: Buffer | null } | null> {
  const key = sql`, (select k.key from person_keys k where k.organisation_id = p.organisation_id
    and k.person_id = p.person_id) as person_key`;
  const { rows } = await executor.query<StoredPerson & { readonly person_key: Buffer | null }>(
    prepared(onePerson(organisationId, personId, key)),
  );
  return rows[0] === undefined ? null : { row: personOf(rows[0]), key: rows[0].person_key };
}

/** The start of a page of people, and the order of the list. */
export interface PeoplePage {
  readonly organisationId: string;
  /** `creation`; `change` (with `since`: in the order of marks); `latest` (most recently updated first). */
  readonly order: 'creation' | 'change' | 'latest';
  /** Inclusive, ISO 8601; null for no lower bound. */
  readonly since: string | null;
  /**
   * Marks after this one are left for the next sync, so that a sync ends while writes continue; null for the
   * first page.
   */
  readonly horizon: string | null;
  /** The last row of the previous page: its time in this order, and its id. */
  readonly after: { readonly time: string; readonly id: string } | null;
  /** Rows to fetch. */
  readonly count: number;
}

/**
 * A person with their position in the order of a list, and the mark up to which a sync that starts with the
 * page reads; null for other pages.
 */
export interface ListedPerson {
  readonly id: string;
  readonly time: Date;
  readonly horizon: Date | null;
  readonly person: PersonRow;
}

const ORDERS = {
  creation: { column: sql`p.created_at`, isAfter: sql`>`, direction: sql`asc` },
  change: { column: sql`p.sync_mark`, isAfter: sql`>`, direction: sql`asc` },
  latest: { column: sql`p.updated_at`, isAfter: sql`<`, direction: sql`desc` },
} as const;

/** A page of people. */
export async function listPeople(executor: Executor, page: PeoplePage): Promise<readonly ListedPerson[]> {
  const { organisationId, order, since, horizon, after } = page;
  const { column, isAfter, direction } = ORDERS[order];
  const conditions = [peopleOf(organisationId)];
  if (since !== null) conditions.push(sql`p.sync_mark >= ${since}`);
  if (horizon !== null) conditions.push(sql`p.sync_mark <= ${horizon}`);
  if (after !== null) conditions.push(sql`(${column}, p.person_id) ${isAfter} (${after.time}, ${after.id})`);
  const mark =
    order === 'change' && horizon === null
      ? sql`(select high_water from sync_marks where organisation_id = ${organisationId} and resource = 'people')`
      : sql`null::timestamptz`;
  const rows = sql`select ${PERSON.columns}, ${column} as time, ${mark} as horizon from ${PERSON.from}
    where ${allOf(conditions)} order by ${column} ${direction}, p.person_id ${direction}`;
  const found = await executor.query<StoredPerson & { readonly time: Date; readonly horizon: Date | null }>(
    prepared(firstRows(rows, page.count)),
  );
  return found.rows.map((row) => ({ id: row.person_id, time: row.time, horizon: row.horizon, person: personOf(row) }));
}
