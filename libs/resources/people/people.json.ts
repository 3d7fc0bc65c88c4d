import { WrittenJson } from '#http/fields/written-json.js';
import type { Executor } from '#projections/projection.js';
import { EXISTS, NAMES, ORDERS, type PeoplePage, type PersonRow } from './people.queries.js';

/** A person as answers show them, written by the database, with what their entity tag is made of. */
export interface WrittenPerson extends Pick<PersonRow, 'identity_revision' | 'employment_revision' | 'fact_id'> {
  readonly json: WrittenJson;
}

/** The same of a list, with the person's place in its order. */
export interface WrittenPersonOfList {
  readonly json: WrittenJson;
  readonly person_id: string;
  readonly time: Date;
  readonly horizon: Date | null;
}

const TIME = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;

const reference = (alias: string, id: string, name: string, member: string): string =>
  `cross join lateral (select p.${id} as id, coalesce(${name}, p.${id}) as ${member}) ${alias}`;

const referred = (alias: string, id: string): string => `case when p.${id} is not null then row_to_json(${alias}) end as ${alias}`;

/**
 * `PersonResponse`, its members in their order; `people.json.int.spec.ts` compares it with what the class writes. Sessions
 * of the pool are in UTC. A row of thirty columns costs the process more to take apart and put together again than the
 * database to write once.
 */
const WRITTEN = `${NAMES}
  ${reference('department', 'department_id', 'd.name', 'name')}
  ${reference('manager', 'manager_id', 'm.display_name', 'display_name')}
  ${reference('work_place', 'work_place_id', 'w.label', 'label')}
  ${reference('work_type', 'work_type_id', 't.label', 'label')}
  ${reference('working_pattern', 'working_pattern_id', 'k.label', 'label')}
  cross join lateral (select p.person_id as id, p.work_email, p.first_name, p.preferred_name, p.last_name, p.display_name, p.staff_id, p.job_title,
    ${referred('department', 'department_id')}, ${referred('manager', 'manager_id')}, ${referred('work_place', 'work_place_id')},
    ${referred('work_type', 'work_type_id')}, ${referred('working_pattern', 'working_pattern_id')},
    p.contracted_weekly_minutes, p.full_time_weekly_minutes, p.fte, p.status, p.start_date, p.end_date,
    to_char(p.created_at, ${TIME}) as created_at, to_char(p.updated_at, ${TIME}) as updated_at) shown`;

const READ = `select p.identity_revision, p.employment_revision, p.fact_id, row_to_json(shown)::text as json from people p ${WRITTEN}
  where ${EXISTS} and p.person_id = $2`;

/** The person, ready to be sent; null where this organisation has none of this id. */
export async function readPerson(executor: Executor, organisationId: string, personId: string): Promise<WrittenPerson | null> {
  const { rows } = await executor.query<Omit<WrittenPerson, 'json'> & { json: string }>({ name: 'read-person', text: READ, values: [organisationId, personId] });
  const row = rows[0];
  return row === undefined ? null : { ...row, json: new WrittenJson(row.json) };
}

/** A page of people, ready to be sent, and the mark up to which a sync that starts now reads. */
export async function listPeople(executor: Executor, page: PeoplePage): Promise<readonly WrittenPersonOfList[]> {
  const { column, comparison, direction } = ORDERS[page.order];
  const values: unknown[] = [page.organisationId, page.count];
  const conditions = [EXISTS];
  if (page.since !== null) conditions.push(`p.sync_mark >= $${values.push(page.since)}`);
  if (page.horizon !== null) conditions.push(`p.sync_mark <= $${values.push(page.horizon)}`);
  if (page.after !== null) {
    conditions.push(`(p.${column}, p.person_id) ${comparison} ($${values.push(page.after.time)}, $${values.push(page.after.personId)})`);
  }
  const horizon =
    page.order === 'change' && page.horizon === null ? `(select high_water from sync_marks where organisation_id = $1 and resource = 'people')` : 'null::timestamptz';
  const text = `select p.person_id, p.${column} as time, ${horizon} as horizon, row_to_json(shown)::text as json from (
      select * from people p where ${conditions.join(' and ')} order by p.${column} ${direction}, p.person_id ${direction} limit $2
    ) p ${WRITTEN} order by p.${column} ${direction}, p.person_id ${direction}`;
  const shape = [page.order, page.since !== null, page.horizon !== null, page.after !== null].join('-');
  const { rows } = await executor.query<Omit<WrittenPersonOfList, 'json'> & { json: string }>({ name: `list-people-${shape}`, text, values });
  return rows.map((row) => ({ ...row, json: new WrittenJson(row.json) }));
}
