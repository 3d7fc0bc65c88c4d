import { emailKey } from '#http/fields/email-address.js';
import type { QueryConfig } from 'pg';
import { invalidField } from '#http/errors.js';
import { isText, type PagedList } from '#http/pages.js';
import type { LocalDate } from '#kernel/dates.js';
import type { WrittenJson } from '#kernel/json.js';
import type { Executor } from '#projections/projection.js';
import { firstRows, KeptTexts, mostRowsFor, type PageVersions, selectVersions, type TextVersion } from '../../listing/kept-texts.js';
import { revisionKnownAt } from '../../listing/revision-known-at.js';
import { conditionsOfPlace } from '../../listing/places-of-work.js';
import { inSlices } from '../../services/in-slices.js';
import type { Fact } from '../employment/timeline.js';
import { ERASED } from '../person/person.decider.js';
import type { PeopleQuery } from './people.contract.js';
import { EXISTS, type PeopleReader, rowVersion, type TextRow, TEXTS, textsWith, writtenWith } from './people.reader.js';
import { employmentOn } from './people.projection.js';
import { employmentText } from './person-text.js';

/** What a directory is asked for, with its defaults. */
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

/** The sort values of a row: what it is sorted by, as text, and the id. */
export interface DirectoryPlace {
  readonly key: string;
  readonly id: string;
}

/** A row of a page. */
export interface DirectoryRow extends DirectoryPlace {
  readonly json: WrittenJson;
}

/** The expression that each order sorts by, its type, and its direction. */
const SORTS = {
  name: { key: 'p.name_key', type: 'text', comparison: '>', direction: 'asc' },
  start_date: { key: `coalesce(p.start_date, date 'infinity')`, type: 'date', comparison: '>', direction: 'asc' },
  creation: { key: 'p.created_at', type: 'timestamptz', comparison: '>', direction: 'asc' },
  updated_at_desc: { key: 'p.updated_at', type: 'timestamptz', comparison: '<', direction: 'desc' },
} as const;

/** The parameters that make a list of people a directory. */
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
 * The directory that a list of people asks for; null for a list without filters in an order that has none. Throws `HttpError` (400) for parameters that do
 * not go together.
 */
export function directoryQueryOf(query: PeopleQuery): DirectoryQuery | null {
  const named = FILTERS.filter((name) => query[name] !== undefined);
  const { sort } = query;
  if (named.length === 0 && (sort === undefined || sort === 'updated_at_desc')) return null;
  if (query.updated_since !== undefined) {
    throw invalidField(named[0] ?? 'sort', 'does not go with updated_since: a person who stops matching would be missed');
  }
  if (query.as_of !== undefined || query.known_at !== undefined) {
    if (query.status !== undefined) throw invalidField('status', 'does not go with as_of, which lists who was employed');
    if (sort !== undefined && sort !== 'name') throw invalidField('sort', 'must be name with as_of');
  }
  if (query.without_department === true && query.department_id !== undefined)
    throw invalidField('without_department', 'does not go with department_id');
  const isByName = query.q !== undefined || query.as_of !== undefined || query.known_at !== undefined;
  const filters = Object.fromEntries(named.map((name) => [name, query[name]]));
  return { ...filters, sort: sort ?? (isByName ? 'name' : 'creation') };
}

/** A row of people as statements read it. */
export interface StoredRow extends TextRow, DirectoryPlace {}

/** A fact as an array, which costs both sides less than an object; the last member is when it was recorded, in milliseconds since 1970. */
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

/** A row of a day: with the facts that were known, and the manager of that day. */
interface StoredDayRow extends StoredRow {
  /** {@link SHOWN_ID}. */
  readonly shown: string;
  readonly facts: readonly StoredFact[];
  /** `TextVersion.row`. */
  readonly version: string;
}

/** A person of a day with what the text is kept by. */
interface TextOfDay extends Pick<StoredDayRow, 'shown'> {
  readonly version: TextVersion;
  readonly row: DirectoryRow;
}

/** Finds people: by what they are called, where they work, and who worked here on a day as it was known at a moment. */
export class DirectoryReader {
  private readonly kept = new KeptTexts((name) => name);

  constructor(
    private readonly executor: Executor,
    private readonly people: PeopleReader,
  ) {}

  /**
   * The first `count` people after a place, ready to be sent. A search that finds nobody shows people whose names are spelt alike, the most alike first: fewer than
   * `count`, so that they are one page.
   */
  async list(organisationId: string, query: DirectoryQuery, after: DirectoryPlace | null, count: number): Promise<readonly DirectoryRow[]> {
    const page = { organisationId, query, after, count, isAlike: false };
    const rows = await this.rowsOf(page);
    if (rows.length > 0 || after !== null || !/[\p{L}\p{N}]{3}/u.test(query.q ?? '') || !(await this.hasTrigrams())) return rows;
    return this.rowsOf({ ...page, count: Math.min(count - 1, MOST_ALIKE), isAlike: true });
  }

  private async rowsOf(page: DirectoryPage): Promise<readonly DirectoryRow[]> {
    const { organisationId, query } = page;
    if (query.as_of !== undefined) return this.listOfDay(page, query.as_of);
    const { rows } = await this.executor.query<StoredRow>(statementOf(page, 'texts'));
    return writeRows(this.people, organisationId, rows);
  }

  /** Whether PostgreSQL can compare spellings: its user may not have been allowed to create the extension. */
  private async hasTrigrams(): Promise<boolean> {
    const { rows } = await this.executor.query<{ has: boolean }>({
      name: 'has-trigrams',
      text: `select exists (select from pg_extension where extname = 'pg_trgm') as has`,
    });
    return rows[0]!.has;
  }

  private async listOfDay(page: DirectoryPage, day: LocalDate): Promise<readonly DirectoryRow[]> {
    const kept = await this.keptOfDay(page, day);
    return kept ?? (await this.textsOfDay(page, day)).map(({ row }) => row);
  }

  /** The page from texts that are kept, and read for those that are not; null where that would not be cheaper than to read them all, or not exact. */
  private async keptOfDay(page: DirectoryPage, day: LocalDate): Promise<readonly DirectoryRow[] | null> {
    const { rows: found } = await this.executor.query<PageVersions>(statementOf(page, 'versions'));
    const versions = found[0]!;
    const kept = this.kept.findSome(page.organisationId, versions, Math.floor(page.count * MOST_MISSING));
    if (kept === null) return null;
    const missing = kept.filter(({ json }) => json === null);
    const among = missing.map(({ id }) => personOf(id));
    const read = new Map(missing.length === 0 ? [] : (await this.textsOfDay({ ...page, among }, day)).map((text) => [text.shown, text]));
    const rows: DirectoryRow[] = [];
    for (const row of kept) {
      if (row.json !== null) {
        rows.push({ id: personOf(row.id), key: row.time, json: row.json });
        continue;
      }
      const text = read.get(row.id);
      // Who changed between the statements may stand elsewhere by now, and all of a page have names of one moment.
      if (text?.version.row !== row.version || text.version.names !== (versions.names_version ?? 0)) return null;
      rows.push(text.row);
    }
    return rows;
  }

  private async textsOfDay(page: DirectoryPage, day: LocalDate): Promise<readonly TextOfDay[]> {
    const { organisationId } = page;
    const { rows } = await this.executor.query<StoredDayRow>(statementOf(page, 'texts'));
    if (rows.length === 0) return [];
    const names = await this.people.namesOf(organisationId, rows[0]!);
    return inSlices(rows, ({ version: versionOfRow, shown, ...row }) => {
      const { text } = writtenWith(names, rowOfDay(row, day)).json;
      const version = { row: versionOfRow, names: names.version };
      const json = this.kept.keep(organisationId, shown, version, text);
      return { shown, version, row: { id: row.id, key: row.key, json } };
    });
  }
}

/**
 * SQL of what a person's text is kept by: the person, the revision of their employment that was known, and the first day of the belief about the day. All days of
 * a belief show the same, and so do all moments until the next revision.
 */
const SHOWN_ID = `p.person_id || ' ' || k.revision || ' ' || b.valid_from`;

function personOf(shownId: string): string {
  return shownId.slice(0, shownId.indexOf(' '));
}

/** A person's row as it would be if the day were today and no later fact known. */
function rowOfDay({ facts, ...row }: Omit<StoredDayRow, 'version' | 'shown'>, day: LocalDate): StoredRow {
  const employment = employmentOn(facts.map(factOf), day);
  const employment_updated_at = new Date(facts.at(-1)![7]).toISOString();
  return {
    ...row,
    employment_text: employmentText({ ...employment, employment_updated_at }),
    effect_updated_at: null,
    // The manager's id stands in where the manager has no name yet.
    manager_name: employment.manager_id === null ? null : (row.manager_name ?? employment.manager_id),
  };
}

/** Writes people as they are sent, with the current names of what their rows refer to. */
export function writeRows(people: PeopleReader, organisationId: string, rows: readonly StoredRow[]): Promise<readonly DirectoryRow[]> {
  return Promise.all(rows.map(async (row) => ({ id: row.id, key: row.key, json: (await people.write(organisationId, row)).json })));
}

function factOf(stored: StoredFact): Fact {
  const [revision, factId, action, date, terms, correctionReason, corrects] = stored;
  return { factId, action, revision, date, terms, correctionReason, corrects };
}

/** The share of a page from which on one statement for all of its texts costs less than versions first and the missing texts then. */
const MOST_MISSING = 0.5;
/** At most so many people are shown in place of those that a search did not find. */
const MOST_ALIKE = 20;
/** The least share of a search's trigrams that a name has to have, in order. */
const LEAST_LIKENESS = 0.5;

/** A page of a directory: `count` people after a place. */
interface DirectoryPage {
  readonly organisationId: string;
  readonly query: DirectoryQuery;
  readonly after: DirectoryPlace | null;
  readonly count: number;
  /** Whether it has people whose names are spelt like the search, not those that the search finds. */
  readonly isAlike: boolean;
  /** Only these people of the page. */
  readonly among?: readonly string[];
}

/** The statement of a page; of the versions of its texts (`PageVersions`), for a page of a day. */
function statementOf({ organisationId, query, after, count, isAlike, among }: DirectoryPage, columns: 'texts' | 'versions'): QueryConfig {
  const { key, type, comparison, direction } = SORTS[query.sort];
  const values: unknown[] = [organisationId, count];
  const add = (value: unknown): string => `$${values.push(value)}`;
  const conditions = [EXISTS];
  if (query.work_email !== undefined) conditions.push(`p.email_key = ${add(emailKey(query.work_email))}`);
  if (query.staff_id !== undefined) conditions.push(`p.staff_id = ${add(query.staff_id)}`);
  if (query.status !== undefined) conditions.push(`p.status = ${add(query.status)}`);
  const terms = termsConditions(query.as_of === undefined ? 'p' : 'b', query, add);
  const day = query.as_of === undefined ? null : beliefsOfDay(query.as_of, query.known_at ?? null, terms, add);
  if (day === null) conditions.push(...terms);
  if (among !== undefined) conditions.push(`p.person_id = any(${add(among)}::text[])`);
  const place = after === null ? null : `(${add(after.key)}::${type}, ${add(after.id)})`;
  if (place !== null) conditions.push(`(${key}, p.person_id) ${comparison} ${place}`);
  const page = isAlone(query) ? { place, most: '$2' } : null;
  const found = query.q === undefined ? null : isAlike ? alikeTo(query.q, add) : foundBy(query.q, add, page);
  const order = `${isAlike ? 'f.likeness desc, ' : ''}${key} ${direction}, p.person_id ${direction}`;
  if (found !== null) conditions.push('p.person_id = f.person_id');
  const most = mostRowsFor(count);
  const rowsWith = (shown: string): string => {
    const rows = `select ${shown}
      from ${found === null ? '' : 'f, '}people p ${day ?? ''}
     where ${conditions.join(' and ')} order by ${order}`;
    return firstRows(rows, most);
  };
  const version = `${rowVersion('b.manager_id')} as version`;
  const texts = day === null ? TEXTS : `${textsWith('b.manager_id')}, ${SHOWN_ID} as shown, ${version}, ${FACTS_KNOWN} as facts`;
  const rows =
    columns === 'versions'
      ? selectVersions(rowsWith(`${SHOWN_ID} as id, ${key} as time, ${version}`))
      : rowsWith(`p.person_id as id, (${key})::text as key, ${texts}`);
  const text = found === null ? rows : `with f as materialized (${found}) ${rows}`;
  const shape = shapeOf(query, { isAlike, isSome: among !== undefined });
  return shape === null ? { text, values } : { name: [`list-people-${shape}`, columns, after !== null, most].join('-'), text, values };
}

/** The longest search, in words, for which connections keep a plan. */
const MOST_PLANNED_WORDS = 3;

/**
 * What tells the statement of a directory from others that are planned once; null for one that is planned for its values: the department that it filters by may be
 * everybody or nobody. Days, and searches in the order of names, have one plan for all values.
 */
function shapeOf(query: DirectoryQuery, { isAlike, isSome }: { readonly isAlike: boolean; readonly isSome: boolean }): string | null {
  if (isAlike) return null;
  if (query.as_of !== undefined) {
    const isPlain = FILTERS.every((name) => name === 'as_of' || name === 'known_at' || query[name] === undefined);
    return isPlain ? `of-day-${query.known_at !== undefined}-${isSome}` : null;
  }
  const words = wordsOf(query.q ?? '').length;
  return isAlone(query) && words > 0 && words <= MOST_PLANNED_WORDS ? `found-by-${words}` : null;
}

function wordsOf(q: string): readonly string[] {
  return q.split(/\s+/).filter((one) => one !== '');
}

function termsConditions(of: string, query: DirectoryQuery, add: (value: unknown) => string): readonly string[] {
  return [
    ...conditionsOfPlace(of, query, add),
    ...(query.work_place_id === undefined ? [] : [`${of}.work_place_id = ${add(query.work_place_id)}`]),
  ];
}

/** SQL that joins to each person `p` the revision `k` that was known at a moment (null: now), and the belief `b` that they were employed on a day. */
function beliefsOfDay(asOf: LocalDate, knownAt: string | null, terms: readonly string[], add: (value: unknown) => string): string {
  const day = `${add(asOf)}::date`;
  const revision = knownAt === null ? 'p.employment_revision' : revisionKnownAt('p.person_id', add(knownAt));
  const known = knownAt === null ? 'upper_inf(b.known)' : 'b.known @> k.revision';
  const believed = ['b.organisation_id = $1', 'b.person_id = p.person_id', 'b.employed', `b.valid @> ${day}`, known, ...terms];
  // The limit keeps PostgreSQL from joining the beliefs of everybody, and sorting all of them for one page.
  return `cross join lateral (select ${revision} as revision) k
    cross join lateral (select b.manager_id, b.valid_from from employment_beliefs b where ${believed.join(' and ')} limit 1) b`;
}

/** SQL of the facts that were known of a person. */
const FACTS_KNOWN = `(select json_agg(json_build_array(f.revision, f.fact_id, f.action, f.effective_from, f.terms, f.correction_reason, f.corrects,
    extract(epoch from f.recorded_at) * 1000) order by f.revision)
  from employment_facts f where f.organisation_id = $1 and f.person_id = p.person_id and f.revision <= k.revision)`;

/** Whether a search has its own order and no filter beside it, so that it can stop when a page is full. */
function isAlone(query: DirectoryQuery): boolean {
  return query.sort === 'name' && FILTERS.every((name) => name === 'q' || query[name] === undefined);
}

/** Everybody whose name is spelt like a search, with how much. An index could not help: it would cost every write of a person (ADR 79). */
function alikeTo(q: string, add: (value: unknown) => string): string {
  return `select s.person_id, a.likeness from people s
    cross join lateral (select word_similarity(search_key(${add(q)}), s.name_key) as likeness) a
   where s.organisation_id = $1 and s.identity_revision is not null and s.search_text not like '% ${ERASED}%' and a.likeness >= ${LEAST_LIKENESS}`;
}

/**
 * The people whose names, address or staff id begin with each of the words. It names only columns of one index (ADR 79), and stands apart from the rest of the
 * statement, so that PostgreSQL reads that index and no row of people.
 */
function foundBy(
  q: string,
  add: (value: unknown) => string,
  page: { readonly place: string | null; readonly most: string } | null,
): string {
  const conditions = ['s.organisation_id = $1', 's.identity_revision is not null', `s.search_text not like '% ${ERASED}%'`];
  for (const word of wordsOf(q)) {
    const pattern = `'% ' || search_key(${add(word.replaceAll(/[\\%_]/g, String.raw`\$&`))}) || '%'`;
    // Where one plan serves all values, a sub-select makes the pattern once and not for each person; elsewhere the planner is to see it.
    conditions.push(`s.search_text like ${page === null ? pattern : `(select ${pattern})`}`);
  }
  if (page !== null && page.place !== null) conditions.push(`(s.name_key, s.person_id) > ${page.place}`);
  const rows = `select s.person_id from people s where ${conditions.join(' and ')}`;
  return page === null ? rows : `${rows} order by s.name_key, s.person_id limit ${page.most}`;
}
