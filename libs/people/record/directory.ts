import { emailKey } from '#http/fields/email-address.js';
import { allOf, prepared, raw, type Sql, sql } from '#database/sql.js';
import { invalidField } from '#http/errors.js';
import { isText, type PagedList } from '#http/pages.js';
import { ERASED } from '#kernel/erasure.js';
import type { LocalDate } from '#kernel/dates.js';
import type { Executor } from '#projections/projection.js';
import { firstRows } from '#projections/first-rows.js';
import { revisionKnownAt } from '#projections/revision-known-at.js';
import { conditionsOfPlace } from '#organisation/org-unit/org-unit.js';
import { todayOf } from '#organisation/organisation/organisation.js';
import { mapYielding } from '#http/map-yielding.js';
import type { Fact } from '../employment/timeline.js';
import type { PeopleQuery } from './people-shapes.js';
import { PERSON, peopleOf } from './read-people.js';
import {
  employmentOn,
  namesOfTerms,
  PERSON_COLUMNS,
  personOf,
  type PersonRow,
  type StoredPerson,
} from './person-row.js';

/** The query of a directory, with its defaults. */
export type DirectoryQuery = Pick<
  PeopleQuery,
  | 'q'
  | 'status'
  | 'department_id'
  | 'include_units'
  | 'without_department'
  | 'manager_id'
  | 'work_place_id'
  | 'work_email'
  | 'staff_id'
  | 'as_of'
  | 'known_at'
> & { readonly sort: keyof typeof SORTS };

/** The sort values of a row: its sort key, as text, and the id. */
export interface DirectoryPlace {
  readonly key: string;
  readonly id: string;
}

/** A row of a page. */
export interface DirectoryRow extends DirectoryPlace {
  readonly person: PersonRow;
}

/** The expression, type and direction of each order. */
const SORTS = {
  name: { key: sql`p.name_key`, type: sql`text`, isAfter: sql`>`, direction: sql`asc` },
  start_date: {
    key: sql`coalesce(p.start_date, date 'infinity')`,
    type: sql`date`,
    isAfter: sql`>`,
    direction: sql`asc`,
  },
  creation: { key: sql`p.created_at`, type: sql`timestamptz`, isAfter: sql`>`, direction: sql`asc` },
  updated_at_desc: { key: sql`p.updated_at`, type: sql`timestamptz`, isAfter: sql`<`, direction: sql`desc` },
} as const;

/** The parameters that turn a list of people into a directory. */
const FILTERS = [
  'q',
  'status',
  'department_id',
  'include_units',
  'without_department',
  'manager_id',
  'work_place_id',
  'work_email',
  'staff_id',
  'as_of',
  'known_at',
] as const;

/** A list of people in the order of a {@link DirectoryQuery}. */
export const DIRECTORY: PagedList<DirectoryPlace, DirectoryRow> = {
  route: 'listPeople',
  place: { key: isText, id: isText },
  placeOf: ({ key, id }) => ({ key, id }),
};

/**
 * The directory query of a list of people; null for a list without filters in an order without one. Throws
 * `HttpError` (400) for parameters that cannot be combined.
 */
export function directoryQueryOf(query: PeopleQuery): DirectoryQuery | null {
  const named = FILTERS.filter((name) => query[name] !== undefined);
  const { sort } = query;
  if (named.length === 0 && (sort === undefined || sort === 'updated_at_desc')) return null;
  if (query.updated_since !== undefined) {
    throw invalidField(
      named[0] ?? 'sort',
      'cannot be combined with updated_since: a person who stops matching would be missed',
    );
  }
  if (query.as_of !== undefined || query.known_at !== undefined) {
    if (query.status !== undefined)
      throw invalidField('status', 'cannot be combined with as_of, which lists who was employed');
    if (sort !== undefined && sort !== 'name') throw invalidField('sort', 'must be name with as_of');
  }
  if (query.without_department === true && query.department_id !== undefined)
    throw invalidField('without_department', 'cannot be combined with department_id');
  const isByName = query.q !== undefined || query.as_of !== undefined || query.known_at !== undefined;
  const filters = Object.fromEntries(named.map((name) => [name, query[name]]));
  return { ...filters, sort: sort ?? (isByName ? 'name' : 'creation') };
}

/**
 * A fact as an array, which costs both sides less than an object; the last member is its recorded time, in
 * milliseconds since 1970.
 */
type StoredFact = readonly [
  revision: number,
  factId: string,
  action: Fact['action'],
  date: string | null,
  terms: Fact['terms'],
  correctionReason: string | null,
  corrects: string | null,
  recordedAt: number,
];

/** The maximum number of people with similar names if a search finds none. */
const MAX_SIMILAR_PEOPLE = 20;
/** The minimum share of a search's trigrams that a name must contain, in order. */
const MIN_SIMILARITY = 0.5;

/** A page of a directory: `count` people after a place, or all of them if it is null. */
interface DirectoryPage {
  readonly organisationId: string;
  readonly query: DirectoryQuery;
  readonly after: DirectoryPlace | null;
  readonly count: number | null;
  /** Whether the people have names spelt like the search, instead of matching it. */
  readonly isAlike: boolean;
}

/**
 * Finds people: by their names, their work places, and whether they were employed on a day as known at a
 * time. The first `count` people after a place. A search without a match returns people with similar names,
 * the most similar first: fewer than `count`, so that they are one page.
 */
export async function listDirectory(
  executor: Executor,
  organisationId: string,
  query: DirectoryQuery,
  after: DirectoryPlace | null,
  count: number,
): Promise<readonly DirectoryRow[]> {
  const page = { organisationId, query, after, count, isAlike: false };
  const rows = await rowsOf(executor, page);
  if (rows.length > 0 || after !== null || !/[\p{L}\p{N}]{3}/u.test(query.q ?? '') || !(await hasTrigrams(executor)))
    return rows;
  return rowsOf(executor, { ...page, count: Math.min(count - 1, MAX_SIMILAR_PEOPLE), isAlike: true });
}

async function rowsOf(executor: Executor, page: DirectoryPage): Promise<readonly DirectoryRow[]> {
  const { as_of: day } = page.query;
  const statement = statementOf(page);
  const { rows } = await executor.query<
    StoredPerson & { readonly key: string; readonly facts?: readonly StoredFact[] }
  >(hasPlanForAnyValues(page) ? prepared(statement) : statement);
  return mapYielding(rows, ({ key, facts, ...row }) => {
    const person = facts === undefined ? personOf(row) : personOfDay(row, facts, day!);
    return { id: row.person_id, key, person };
  });
}

/** A person's row as it would be if the day were today and no later fact were known. */
function personOfDay(row: StoredPerson, facts: readonly StoredFact[], day: LocalDate): PersonRow {
  const updatedAt = new Date(facts.at(-1)![7]).toISOString();
  return personOf({ ...row, effect_updated_at: null }, employmentOn(facts.map(factOf), day, updatedAt));
}

function factOf(stored: StoredFact): Fact {
  const [revision, factId, action, date, terms, correctionReason, corrects] = stored;
  return { factId, action, revision, date, terms, correctionReason, corrects };
}

/** Whether PostgreSQL can compare spellings: its user may lack the permission to create the extension. */
async function hasTrigrams(executor: Executor): Promise<boolean> {
  const query = prepared(sql`select exists (select from pg_extension where extname = 'pg_trgm') as has`);
  return (await executor.query<{ has: boolean }>(query)).rows[0]!.has;
}

/** Each person with the names of the day's references, and with the facts known at the time. */
const NAMES_OF_DAY = namesOfTerms('b');
const FACTS_KNOWN = sql`(select json_agg(json_build_array(f.revision, f.fact_id, f.action, f.effective_from, f.terms,
  f.correction_reason, f.corrects,
    extract(epoch from f.recorded_at) * 1000) order by f.revision)
  from employment_facts f where f.organisation_id = p.organisation_id and f.person_id = p.person_id
    and f.revision <= k.revision)`;
const PERSON_OF_DAY = {
  columns: sql`${PERSON_COLUMNS}, ${NAMES_OF_DAY.columns}, ${FACTS_KNOWN} as facts`,
  joins: NAMES_OF_DAY.joins,
};

/** A directory query with its day: a time of knowledge without a day is about today. */
export async function withDay(
  executor: Executor,
  organisationId: string,
  query: DirectoryQuery,
  now: Date,
): Promise<DirectoryQuery> {
  if (query.known_at === undefined || query.as_of !== undefined) return query;
  return { ...query, as_of: await todayOf(executor, organisationId, now) };
}

/** The tables from which the people of a directory are read, and the conditions on them. */
interface Selection {
  readonly from: Sql;
  readonly conditions: readonly Sql[];
  /** A query of the ids that a search finds, used as the table `f`; null without a search. */
  readonly found: Sql | null;
}

function selectionOf(page: DirectoryPage): Selection {
  const { organisationId, query, isAlike } = page;
  const conditions = [peopleOf(organisationId)];
  if (query.work_email !== undefined) conditions.push(sql`p.email_key = ${emailKey(query.work_email)}`);
  if (query.staff_id !== undefined) conditions.push(sql`p.staff_id = ${query.staff_id}`);
  if (query.status !== undefined) conditions.push(sql`p.status = ${query.status}`);
  const isOfDay = query.as_of !== undefined;
  const terms = [...conditionsOfPlace(organisationId, isOfDay ? 'b' : 'p', query)];
  if (query.work_place_id !== undefined)
    terms.push(sql`${raw(isOfDay ? 'b' : 'p')}.work_place_id = ${query.work_place_id}`);
  if (!isOfDay) conditions.push(...terms);
  const found = query.q === undefined ? null : isAlike ? alikeTo(organisationId, query.q) : foundBy(page, query.q);
  if (found !== null) conditions.push(sql`p.person_id = f.person_id`);
  const from = isOfDay
    ? sql`people p ${beliefsOfDay(query.as_of, query.known_at ?? null, terms)} ${PERSON_OF_DAY.joins}`
    : PERSON.from;
  return { from: found === null ? from : sql`f cross join ${from}`, conditions, found };
}

function statementOf(page: DirectoryPage): Sql {
  const { query, after, count, isAlike } = page;
  const { key, type, isAfter, direction } = SORTS[query.sort];
  const { from, conditions, found } = selectionOf(page);
  const place = after === null ? null : sql`(${after.key}::${type}, ${after.id})`;
  const onPage = place === null ? conditions : [...conditions, sql`(${key}, p.person_id) ${isAfter} ${place}`];
  const columns = query.as_of === undefined ? PERSON.columns : PERSON_OF_DAY.columns;
  const rows = sql`select (${key})::text as key, ${columns}
      from ${from}
     where ${allOf(onPage)} order by ${isAlike ? sql`f.likeness desc, ` : sql``}${key} ${direction},
       p.person_id ${direction}`;
  return found === null ? firstRows(rows, count!) : sql`with f as materialized (${found}) ${firstRows(rows, count!)}`;
}

/**
 * Counts the people of a directory. Similar names, which {@link listDirectory} returns without a match, are
 * not counted.
 */
export async function countDirectory(
  executor: Executor,
  organisationId: string,
  query: DirectoryQuery,
): Promise<number> {
  const { from, conditions, found } = selectionOf({ organisationId, query, after: null, count: null, isAlike: false });
  const countQuery = sql`select count(*)::integer as count from ${from} where ${allOf(conditions)}`;
  const statement = found === null ? countQuery : sql`with f as materialized (${found}) ${countQuery}`;
  return (await executor.query<{ count: number }>(statement)).rows[0]!.count;
}

/** The longest search, in words, for which connections cache a plan. */
const MAX_PLANNED_WORDS = 3;

/**
 * Whether a generic plan serves all values: of days, and of searches in the order of names. Others are
 * planned for their values: a department filter may match all people or none.
 */
function hasPlanForAnyValues({ query, isAlike }: DirectoryPage): boolean {
  if (isAlike) return false;
  if (query.as_of !== undefined)
    return FILTERS.every((name) => name === 'as_of' || name === 'known_at' || query[name] === undefined);
  const words = messageOf(query.q ?? '').length;
  return isAlone(query) && words > 0 && words <= MAX_PLANNED_WORDS;
}

function messageOf(q: string): readonly string[] {
  return q.split(/\s+/).filter((one) => one !== '');
}

/**
 * SQL that joins to each person `p` the revision `k` that was known at a time (null: now), and the belief `b`
 * that they were employed on a day.
 */
function beliefsOfDay(asOf: LocalDate, knownAt: string | null, terms: readonly Sql[]): Sql {
  const revision = knownAt === null ? sql`p.employment_revision` : revisionKnownAt('p', knownAt);
  const known = knownAt === null ? sql`upper_inf(b.known)` : sql`b.known @> k.revision`;
  const believed = [
    sql`b.organisation_id = p.organisation_id and b.person_id = p.person_id and b.employed`,
    sql`b.valid @> ${asOf}::date`,
    known,
    ...terms,
  ];
  // The limit prevents PostgreSQL from joining the beliefs of all people, and sorting all of them for one
  // page.
  return sql`cross join lateral (select ${revision} as revision) k
    cross join lateral (select b.* from employment_beliefs b where ${allOf(believed)} limit 1) b`;
}

/** Whether a search has its own order and no other filter, so that it can stop when a page is full. */
function isAlone(query: DirectoryQuery): boolean {
  return query.sort === 'name' && FILTERS.every((name) => name === 'q' || query[name] === undefined);
}

const IS_NOT_ERASED = raw(`s.search_text not like '% ${ERASED}%'`);

/**
 * All people whose name is spelt like a search, with the similarity. An index could not help: it would cost
 * every write of a person (ADR 79).
 */
function alikeTo(organisationId: string, q: string): Sql {
  return sql`select s.person_id, a.likeness from people s
    cross join lateral (select word_similarity(search_key(${q}), s.name_key) as likeness) a
   where s.organisation_id = ${organisationId} and s.identity_revision is not null and ${IS_NOT_ERASED}
     and a.likeness >= ${raw(String(MIN_SIMILARITY))}`;
}

/**
 * The people whose names, address or staff id begin with each of the words. It reads only columns of one
 * index (ADR 79), and is separate from the rest of the statement, so that PostgreSQL reads that index and no
 * row of people.
 */
function foundBy({ organisationId, query, after, count }: DirectoryPage, q: string): Sql {
  const isPage = count !== null && isAlone(query);
  const conditions = [sql`s.organisation_id = ${organisationId}`, sql`s.identity_revision is not null`, IS_NOT_ERASED];
  for (const word of messageOf(q)) {
    const pattern = sql`'% ' || search_key(${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}) || '%'`;
    // With a generic plan, a sub-select computes the pattern once and not per person; otherwise the planner
    // must see it.
    conditions.push(isPage ? sql`s.search_text like (select ${pattern})` : sql`s.search_text like ${pattern}`);
  }
  if (isPage && after !== null) conditions.push(sql`(s.name_key, s.person_id) > (${after.key}, ${after.id})`);
  const rows = sql`select s.person_id from people s where ${allOf(conditions)}`;
  return isPage ? sql`${rows} order by s.name_key, s.person_id limit ${count}` : rows;
}
