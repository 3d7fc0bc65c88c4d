import type { LocalDate } from '#kernel/dates.js';
import { WrittenJson } from '#kernel/json.js';
import { isText, isWholeNumber, type PagedList } from '#http/pages.js';
import type { Executor } from '#projections/projection.js';
import { ERASED } from '../person/person.decider.js';
import { type StoredRow, writeRows } from './directory.reader.js';
import { EXISTS, type PeopleReader, TEXTS } from './people.reader.js';

/** The sort values of a report: the steps below the manager, the name without case and accents, and the id. */
export interface ReportPlace {
  readonly depth: number;
  readonly key: string;
  readonly id: string;
}

/** A report of a page. */
export interface ReportRow extends ReportPlace {
  readonly json: WrittenJson;
}

/** What a list of reports is asked for. */
export interface ReportsQuery {
  readonly organisationId: string;
  readonly managerId: string;
  /** Managers are those of this day, as they are known now. */
  readonly day: LocalDate;
  /** Whether the reports of reports belong to it. */
  readonly isWhole: boolean;
}

/** Reports, those of fewer steps first, then by name. */
export const REPORTS: PagedList<ReportPlace, ReportRow> = {
  route: 'listReports',
  place: { depth: isWholeNumber, key: isText, id: isText },
  placeOf: ({ depth, key, id }) => ({ depth, key, id }),
};

/** The first `count` reports after a place, ready to be sent. */
export async function listReports(
  executor: Executor,
  people: PeopleReader,
  { organisationId, managerId, day, isWhole }: ReportsQuery,
  after: ReportPlace | null,
  count: number,
): Promise<readonly ReportRow[]> {
  const place = after === null ? [] : [after.depth, after.key, after.id];
  const { rows } = await executor.query<StoredRow & { readonly depth: number }>({
    name: `list-reports-${isWhole ? 'all' : 'direct'}-${after === null ? 'first' : 'next'}`,
    text: statement(isWhole, after !== null),
    values: [organisationId, managerId, day, count, ...place],
  });
  const written = await writeRows(people, organisationId, rows);
  return written.map(({ id, key, json }, number) => {
    const { depth } = rows[number]!;
    return { depth, key, id, json: new WrittenJson(`{"depth":${depth},"person":${json.text}}`) };
  });
}

/** Beliefs of the day that name a manager. They are read from one index alone, `employment_beliefs_of_managers`, which does not say who is employed. */
const MANAGED = `
  select c.person_id, c.manager_id from employment_beliefs c
   where c.organisation_id = $1 and upper_inf(c.known) and c.manager_id is not null and c.valid @> $3::date`;

const isEmployed = (id: string): string => `exists (
  select from employment_beliefs b
   where b.organisation_id = $1 and b.person_id = ${id} and b.employed and b.valid @> $3::date and upper_inf(b.known))`;

/** `materialized`: the beliefs of the day are read once, not again for each step. The guard of managers leaves no cycle to step through. */
const ALL_BELOW = `with recursive managed as materialized (${MANAGED}), below(person_id, depth) as (
    select m.person_id, 1 from managed m where m.manager_id = $2 and ${isEmployed('m.person_id')}
    union all
    select m.person_id, u.depth + 1 from below u join managed m on m.manager_id = u.person_id where ${isEmployed('m.person_id')}
  )`;

const DIRECT = `with below as (
    select m.person_id, 1 as depth from (${MANAGED} and c.manager_id = $2) m where ${isEmployed('m.person_id')}
  )`;

function statement(isWhole: boolean, hasPlace: boolean): string {
  return `${isWhole ? ALL_BELOW : DIRECT}
    select u.depth, p.person_id as id, p.name_key as key, ${TEXTS}
      from below u join people p on p.person_id = u.person_id
     where ${EXISTS} and p.work_email <> '${ERASED}'${hasPlace ? ' and (u.depth, p.name_key, p.person_id) > ($5::integer, $6, $7)' : ''}
     order by u.depth, p.name_key, p.person_id limit $4`;
}
