import type { QueryConfig } from 'pg';
import { invalidField } from '#http/errors.js';
import { isText, type PagedList } from '#http/pages.js';
import type { LocalDate } from '#kernel/dates.js';
import type { WrittenJson } from '#kernel/json.js';
import type { Executor } from '#projections/projection.js';
import { revisionKnownAt } from '../../listing/revision-known-at.js';
import { unitAndThoseBelow } from '../../listing/units-below.js';
import type { Fact } from '../employment/timeline.js';
import { ERASED } from '../person/person.decider.js';
import type { PeopleQuery } from './people.contract.js';
import { EXISTS, type PeopleReader, type TextRow, TEXTS } from './people.reader.js';
import { employmentOn } from './people.projection.js';
import { employmentText } from './person-text.js';
import { findReferences, nameOf } from './references.js';

/** What a directory is asked for, with its defaults. */
export type DirectoryQuery = Pick<
  PeopleQuery,
  'q' | 'status' | 'department_id' | 'include_units' | 'manager_id' | 'work_place_id' | 'work_email' | 'staff_id' | 'as_of' | 'known_at'
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
  const isByName = query.q !== undefined || query.as_of !== undefined || query.known_at !== undefined;
  const filters = Object.fromEntries(named.map((name) => [name, query[name]]));
  return { ...filters, sort: sort ?? (isByName ? 'name' : 'creation') };
}

/** A row of people as statements read it. */
export interface StoredRow extends TextRow, DirectoryPlace {}

interface StoredFact {
  readonly revision: number;
  readonly fact_id: string;
  readonly action: Fact['action'];
  readonly effective_from: string | null;
  readonly terms: Fact['terms'];
  readonly correction_reason: string | null;
  readonly corrects: string | null;
  /** In milliseconds since 1970. */
  readonly recorded_at: number;
}

/** Finds people: by what they are called, where they work, and who worked here on a day as it was known at a moment. */
export class DirectoryReader {
  constructor(
    private readonly executor: Executor,
    private readonly people: PeopleReader,
  ) {}

  /** The first `count` people after a place, ready to be sent. */
  async list(organisationId: string, query: DirectoryQuery, after: DirectoryPlace | null, count: number): Promise<readonly DirectoryRow[]> {
    const { rows } = await this.executor.query<StoredRow & { readonly facts: readonly StoredFact[] }>(
      statementOf(organisationId, query, after, count),
    );
    return writeRows(this.people, organisationId, query.as_of === undefined ? rows : await this.asOfDay(organisationId, rows, query.as_of));
  }

  private async asOfDay(
    organisationId: string,
    rows: readonly (StoredRow & { readonly facts: readonly StoredFact[] })[],
    day: LocalDate,
  ): Promise<readonly StoredRow[]> {
    const employments = rows.map(({ facts }) => employmentOn(facts.map(factOf), day));
    const managers = await findReferences(
      this.executor,
      organisationId,
      employments.map(({ manager_id }) => ({ manager_id })),
    );
    return rows.map(({ facts, ...row }, index) => {
      const employment = employments[index]!;
      const { manager_id: manager } = employment;
      const employment_updated_at = new Date(facts.at(-1)!.recorded_at).toISOString();
      return {
        ...row,
        employment_text: employmentText({ ...employment, employment_updated_at }),
        effect_updated_at: null,
        manager_name: manager === null ? null : nameOf(managers, 'manager_id', manager),
      };
    });
  }
}

/** Writes people as they are sent, with the current names of what their rows refer to. */
export function writeRows(people: PeopleReader, organisationId: string, rows: readonly StoredRow[]): Promise<readonly DirectoryRow[]> {
  return Promise.all(rows.map(async (row) => ({ id: row.id, key: row.key, json: (await people.write(organisationId, row)).json })));
}

function factOf(stored: StoredFact): Fact {
  const { revision, fact_id: factId, action, effective_from: date, terms, correction_reason: correctionReason, corrects } = stored;
  return { factId, action, revision, date, terms, correctionReason, corrects };
}

function statementOf(organisationId: string, query: DirectoryQuery, after: DirectoryPlace | null, count: number): QueryConfig {
  const { key, type, comparison, direction } = SORTS[query.sort];
  const values: unknown[] = [organisationId];
  const add = (value: unknown): string => `$${values.push(value)}`;
  const conditions = [EXISTS];
  if (query.work_email !== undefined) conditions.push(`lower(p.work_email) = lower(${add(query.work_email)})`);
  if (query.staff_id !== undefined) conditions.push(`p.staff_id = ${add(query.staff_id)}`);
  if (query.status !== undefined) conditions.push(`p.status = ${add(query.status)}`);
  const terms = (of: string): readonly string[] => [
    ...(query.department_id === undefined ? [] : [departmentCondition(of, add(query.department_id), query.include_units === true)]),
    ...(query.manager_id === undefined ? [] : [`${of}.manager_id = ${add(query.manager_id)}`]),
    ...(query.work_place_id === undefined ? [] : [`${of}.work_place_id = ${add(query.work_place_id)}`]),
  ];
  let facts = 'null::json as facts';
  if (query.as_of === undefined) {
    conditions.push(...terms('p'));
  } else {
    const day = `${add(query.as_of)}::date`;
    const moment = query.known_at === undefined ? null : add(query.known_at);
    const known = moment === null ? 'upper_inf(b.known)' : `b.known @> ${revisionKnownAt('p.person_id', moment)}`;
    const believed = ['b.organisation_id = $1', 'b.person_id = p.person_id', 'b.employed', `b.valid @> ${day}`, known, ...terms('b')];
    // Not `exists`: PostgreSQL would join the beliefs of everybody, and sort all of them for one page.
    conditions.push(`(select true from employment_beliefs b where ${believed.join(' and ')} limit 1)`);
    facts = `(select json_agg(json_build_object('revision', f.revision, 'fact_id', f.fact_id, 'action', f.action, 'effective_from', f.effective_from,
        'terms', f.terms, 'correction_reason', f.correction_reason, 'corrects', f.corrects,
        'recorded_at', extract(epoch from f.recorded_at) * 1000) order by f.revision)
      from employment_facts f where f.organisation_id = $1 and f.person_id = p.person_id
       ${moment === null ? '' : `and f.recorded_at <= ${moment}::timestamptz`}) as facts`;
  }
  const place = after === null ? null : `(${add(after.key)}::${type}, ${add(after.id)})`;
  if (place !== null) conditions.push(`(${key}, p.person_id) ${comparison} ${place}`);
  const most = add(count);
  const found = query.q === undefined ? null : foundBy(query.q, add, isAlone(query) ? { place, most } : null);
  if (found !== null) conditions.push('p.person_id = f.person_id');
  const text = `${found === null ? '' : `with f as materialized (${found})`}
    select p.person_id as id, (${key})::text as key, ${TEXTS}, ${facts}
      from ${found === null ? '' : 'f, '}people p
     where ${conditions.join(' and ')} order by ${key} ${direction}, p.person_id ${direction} limit ${most}`;
  return { text, values };
}

/** Whether a search has its own order and no filter beside it, so that it can stop when a page is full. */
function isAlone(query: DirectoryQuery): boolean {
  return query.sort === 'name' && FILTERS.every((name) => name === 'q' || query[name] === undefined);
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
  for (const word of q.split(/\s+/).filter((one) => one !== '')) {
    conditions.push(`s.search_text like '% ' || search_key(${add(word.replaceAll(/[\\%_]/g, String.raw`\$&`))}) || '%'`);
  }
  if (page !== null && page.place !== null) conditions.push(`(s.name_key, s.person_id) > ${page.place}`);
  const rows = `select s.person_id from people s where ${conditions.join(' and ')}`;
  return page === null ? rows : `${rows} order by s.name_key, s.person_id limit ${page.most}`;
}

function departmentCondition(of: string, id: string, isWithUnits: boolean): string {
  return isWithUnits ? `${of}.department_id in ${unitAndThoseBelow(id)}` : `${of}.department_id = ${id}`;
}
