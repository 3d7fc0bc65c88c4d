import { joined, raw, type Sql, sql } from '#database/sql.js';
import type { LocalDate } from '#kernel/dates.js';
import { employedOn, reportingTo } from './reporting.js';

/** A user whose role sees people by relation, and the days of one request. */
export interface Viewer {
  readonly organisationId: string;
  /** The person of the user. */
  readonly personId: string;
  /** Whether the request reads the user, and whether it reads those who report to them. */
  readonly seesSelf: boolean;
  readonly seesReports: boolean;
  readonly today: LocalDate;
  /** The day that the request reads; null for one that reads the present. */
  readonly asOf: LocalDate | null;
  /** The time up to which facts are known to the request (ISO 8601); null for the current knowledge. */
  readonly knownAt: string | null;
  /** Whether time off of all days is needed to calculate with. */
  readonly sumsTimeOff: boolean;
}

/**
 * The tables that a read of such a user may name, besides those of its own `with`: rows about people in sight
 * alone, no rows at all, or all rows, which have nothing about people. A statement that names any other table
 * fails.
 */
const BY_PERSON = [
  'people',
  'employment_facts',
  'employment_beliefs',
  'balance_adjustments',
  'personal_profiles',
  'person_keys',
  'time_off',
] as const;
/** `sync_marks` would show in a cursor when anything of the organisation last changed. */
const EMPTY = ['sync_marks', 'api_keys', 'users'] as const;
const OPEN = [
  'organisations',
  'org_units',
  'work_places',
  'work_types',
  'working_patterns',
  'time_off_categories',
  'pg_extension',
] as const;

const LIMITED = [...BY_PERSON, ...EMPTY];

type Table = (typeof LIMITED)[number];

const KNOWN: ReadonlySet<string> = new Set([...LIMITED, ...OPEN]);

/** What follows `from` and `join` as the name of a table, and not as that of a column or a function. */
const NAMED_TABLES = /\b(?:from|join)\s+(?!lateral\b)([a-z_]+)\b(?!\s*[.(])/g;
const OWN_TABLES = /\b([a-z_]+)(?:\s*\([a-z_, ]*\))?\s+as\s+(?:not\s+)?(?:materialized\s*)?\(/g;
/** A schema before the name of a table would lead around the expression that hides it. */
const QUALIFIED = /\b(?:from|join)\s+(?:public|pg_catalog|information_schema)\s*\./;

/**
 * A statement of a read in which the tables of people have the rows of people in sight alone: common table
 * expressions of the same names hide the tables. The statement itself stays as it is, and needs no condition
 * of its own. `viewer`: null for a user who sees nobody. Throws for a table that is not declared here.
 */
export function limitedTo(viewer: Viewer | null, text: string, values: readonly unknown[]): Sql {
  requireDeclared(text);
  const needsPeriods = viewer?.sumsTimeOff === false && /\btime_off\b/.test(text);
  const hiding = LIMITED.map((table) => sql`${raw(table)} as not materialized (${rowsOf(viewer, table)})`);
  return sql`with ${joined([...(viewer === null ? [] : sightOf(viewer, needsPeriods)), ...hiding], ',\n')}
    select * from (${parameters(text, values)}) statement`;
}

/** Throws for a table that is neither declared here nor one of the statement's own `with`. */
function requireDeclared(text: string): void {
  const own = new Set([...text.matchAll(OWN_TABLES)].map(([, name]) => name!));
  const named = [...text.matchAll(NAMED_TABLES)].map(([, name]) => name!);
  const unknown = named.filter((name) => !own.has(name) && !KNOWN.has(name));
  if (unknown.length > 0) throw new Error(`a read by relation names undeclared tables: ${unknown.join(', ')}`);
  if (QUALIFIED.test(text)) throw new Error('a read by relation names a table with its schema');
}

/** The statement as a part of another: its numbered parameters keep their values. */
function parameters(text: string, values: readonly unknown[]): Sql {
  const parts = text.split(/\$(\d+)/);
  return parts
    .filter((_, index) => index % 2 === 0)
    .map((part, index) => {
      const number = parts[index * 2 + 1];
      return number === undefined ? raw(part) : sql`${raw(part)}${values[Number(number) - 1]}`;
    })
    .reduce((before, part) => sql`${before}${part}`);
}

/**
 * The expressions `reporting` (who reports to the user, and when) and `visible` (who is in sight). A person
 * who is not employed today sees nothing. Reports are those of today; for a read of another day they must
 * have reported to the user on that day too, as known now and, for an earlier knowledge, as known then (ADR
 * 122). `needsPeriods`: whether the statement asks who reported to the user on any other day.
 */
function sightOf(viewer: Viewer, needsPeriods: boolean): readonly Sql[] {
  const { organisationId, personId: managerId, seesSelf, seesReports, today, asOf, knownAt } = viewer;
  const reports = { organisationId, managerId, isWhole: true };
  const then = asOf ?? today;
  const daysOfSight = then === today ? [today] : [today, then];
  const days = needsPeriods ? null : daysOfSight;
  const former =
    knownAt === null ? [] : [sql`formerly_known as materialized ${reportingTo({ ...reports, days: [then], knownAt })}`];
  const reportsOn = (table: string, day: LocalDate): Sql =>
    sql`select r.person_id from ${raw(table)} r where r.during @> ${day}::date`;
  const theirPeople = [
    ...daysOfSight.map((day) => reportsOn('reporting', day)),
    ...(knownAt === null ? [] : [reportsOn('formerly_known', then)]),
  ];
  const people = [
    sql`select null::text as person_id where false`,
    ...(seesSelf ? [sql`select ${managerId}::text as person_id`] : []),
    ...(seesReports ? [sql`(${joined(theirPeople, ' intersect ')})`] : []),
  ];
  const isPresent = employedOn(organisationId, managerId, today);
  return [
    ...(seesReports ? [sql`reporting as materialized ${reportingTo({ ...reports, days, knownAt: null })}`] : []),
    ...(seesReports ? former : []),
    // The planner expects 100 elements of an array. Of the people themselves it expects one or two, and joins
    // them in loops whose time grows with the square of their number.
    sql`visible as materialized (select v.person_id from jsonb_array_elements_text(
      (select jsonb_agg(s.person_id) from (${joined(people, ' union ')}) s where ${isPresent})) v(person_id))`,
  ];
}

function rowsOf(viewer: Viewer | null, table: Table): Sql {
  const name = raw(table);
  if (viewer === null || isIn(EMPTY, table)) return sql`select * from ${name} where false`;
  const rows = sql`select t.* from ${name} t where t.organisation_id = ${viewer.organisationId}
    and t.person_id in (select person_id from visible)`;
  if (table === 'people') return sql`${rows} union all ${namesOfManagers(viewer)}`;
  return table === 'time_off' && viewer.seesReports && !viewer.sumsTimeOff ? sql`${rows} and ${theirs(viewer)}` : rows;
}

/**
 * The condition of time off of reports: of days until today it must end on a day on which the person reported
 * to the user. A pending request is a matter of today, whatever its days.
 */
function theirs({ organisationId, personId, today }: Viewer): Sql {
  return sql`(t.person_id = ${personId} or t.status_code = 'pending' or t.end_date >= ${today}::date
    or t.id in (select p.id from time_off p join reporting r on r.person_id = p.person_id and r.during @> p.end_date
      where p.organisation_id = ${organisationId}))`;
}

/**
 * Rows with a name alone of those who are or were managers of the user: terms of the user's own employment
 * name them. Readers of people ask for an `identity_revision`, and find none of these rows.
 */
function namesOfManagers({ organisationId, personId, seesSelf, today }: Viewer): Sql {
  if (!seesSelf) return sql`select * from people where false`;
  return sql`select n.* from people m cross join lateral jsonb_populate_record(null::people, jsonb_build_object(
      'organisation_id', m.organisation_id, 'person_id', m.person_id, 'display_name', m.display_name)) n
    where m.organisation_id = ${organisationId} and m.person_id not in (select person_id from visible)
      and ${employedOn(organisationId, personId, today)}
      and m.person_id in (select b.manager_id from employment_beliefs b where b.organisation_id = ${organisationId}
        and b.person_id = ${personId} and b.manager_id is not null)`;
}

function isIn<Name extends string>(names: readonly Name[], name: string): name is Name {
  return (names as readonly string[]).includes(name);
}
