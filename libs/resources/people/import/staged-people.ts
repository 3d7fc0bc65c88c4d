import { emailKey } from '#http/fields/email-address.js';
import type { PoolClient } from 'pg';
import type { Issue } from '#kernel/rejection.js';
import { issueOfRepeat } from '../../importing/csv-rows.js';
import type { Identity } from '../person/person.decider.js';
import type { PeopleRow } from './import-columns.js';
import type { ResolvedTerms } from './named-references.js';

/** A valid row of people, with what was looked up so far. */
export interface StagedRow extends Pick<PeopleRow, 'startDate' | 'endDate' | 'effectiveDate'> {
  readonly identity: Identity & { readonly work_email: string };
  /** Whether a person who is there already gets another address. */
  readonly isRenamed: boolean;
  readonly resolved: ResolvedTerms;
}

/** A row for the staging table. `row` is null where it was refused; other rows may still refer to it. */
export interface RowToStage {
  readonly line: number;
  readonly email_key: string | null;
  readonly staff_id: string | null;
  readonly manager: string | null;
  readonly person_id: string | null;
  /** Whether the person existed before the import. */
  readonly is_known: boolean;
  readonly row: StagedRow | null;
}

/** A row that can be recorded now. */
export interface ReadyRow {
  readonly line: number;
  readonly person_id: string;
  readonly manager_id: string | null;
  /** The line of a manager whom this file contains; null for others. */
  readonly manager_line: number | null;
  readonly row: StagedRow;
}

/** A row whose manager reference matches no person, or more than one. */
export interface RefusedRow {
  readonly line: number;
  readonly reference: string;
  readonly count: number;
}

interface RepeatedRow {
  readonly line: number;
  readonly email_line: number | null;
  readonly staff_line: number | null;
  readonly was_good: boolean;
}

const TABLE = `
create temporary table import_people (
  line integer primary key,
  email_key text,
  staff_id text,
  manager text,
  manager_key text,
  person_id text collate "C",
  is_known boolean not null,
  failed boolean not null,
  "row" json
)`;

const INDEXES = `
create index on import_people (email_key);
create index on import_people (staff_id) where staff_id is not null;
create index on import_people (person_id);
analyze import_people`;

/**
 * Lines that share an address or a staff_id, each with the nearest other one. The first line of an address keeps it, so that a manager who is
 * named by it is found, and refused.
 */
const REFUSE_REPEATED = `
update import_people t set failed = true,
       email_key = case when r.is_later then null else email_key end, person_id = case when r.is_later then null else person_id end
  from (select line, e.other as email_line, s.other as staff_line, coalesce(e.is_later, false) as is_later
          from (select line, coalesce(lag(line) over w, lead(line) over w) as other, lag(line) over w is not null as is_later
                  from import_people where email_key is not null window w as (partition by email_key order by line)) e
          full join (select line, coalesce(lag(line) over w, lead(line) over w) as other
                  from import_people where staff_id is not null window w as (partition by staff_id order by line)) s using (line)
         where e.other is not null or s.other is not null) r
 where r.line = t.line
returning t.line, r.email_line, r.staff_line, t."row" is not null as was_good`;

/**
 * The manager that each line names, how many people match the reference, and their line where the file contains them. Where a person's line
 * names a staff_id, it replaces the recorded one.
 */
const FIND_MANAGERS = `
create temporary table import_managers as
with wanted as (select line, manager, manager_key from import_people where manager is not null and not failed),
meant as (
  select w.line, 1 as way, f.person_id from wanted w join import_people f on f.email_key = w.manager_key
  union
  select w.line, 1, p.person_id from wanted w join people p on p.organisation_id = $1 and p.email_key = w.manager_key and p.identity_revision is not null
   where w.manager like '%@%'
  union
  select w.line, 1, f.person_id from wanted w join import_people f on f.staff_id = w.manager where w.manager not like '%@%' and f.email_key is not null
  union
  select w.line, 1, p.person_id from wanted w join people p on p.organisation_id = $1 and p.staff_id = w.manager and p.identity_revision is not null
   where w.manager not like '%@%' and not exists (select from import_people f where f.person_id = p.person_id and f.staff_id is not null)
  union
  select w.line, 2, p.person_id from wanted w join people p on p.organisation_id = $1 and p.person_id = w.manager and p.identity_revision is not null
),
chosen as (
  select line, min(person_id) as person_id, count(*)::integer as count
    from (select m.*, min(way) over (partition by line) as best from meant m) m where way = best group by line
)
select w.line, w.manager as reference, coalesce(c.count, 0) as count, c.person_id as manager_id, m.line as manager_line
  from wanted w
  left join chosen c using (line)
  left join import_people m on m.person_id = c.person_id and m.line <> w.line and not m.is_known`;

const REFUSE_MANAGERS = `
update import_people t set failed = true from import_managers m where m.line = t.line and m.count <> 1
returning t.line, m.reference, m.count`;

/** Managers in the file come before the people whom they manage: rows are ordered by their distance from the top. */
const ORDER = `
create temporary table import_order as
with recursive ordered(line, level) as (
  select t.line, 0 from import_people t left join import_managers m using (line) where not t.failed and m.manager_line is null
  union all
  select reports.line, o.level + 1
    from ordered o
   -- A look-up a row, not a join over all rows for each level: there may be as many levels as rows.
   cross join lateral (
     select t.line from import_managers m join import_people t on t.line = m.line where m.manager_line = o.line and not t.failed offset 0
   ) reports
)
select row_number() over (order by level, line)::integer as place, line from ordered`;

const UNPLACED = `
update import_people t set failed = true
  from import_managers m
 where m.line = t.line and not t.failed and m.manager_line is not null and not exists (select from import_order o where o.line = t.line)
returning t.line, m.manager_line`;

const NEXT = `
select o.place, t.line, t.person_id, m.manager_id, m.manager_line, t."row"
  from import_order o
  join import_people t on t.line = o.line
  left join import_managers m on m.line = o.line
 where o.place > $1 and o.place <= $1 + $2
 order by o.place`;

/**
 * The rows of a file of people in a temporary table, so that lines may refer to each other in any order and memory does
 * not grow with the file.
 */
export class StagedPeople {
  private place = 0;

  private constructor(private readonly connection: PoolClient) {}

  /** Over a connection of its own; the table ends with it. */
  static async open(connection: PoolClient): Promise<StagedPeople> {
    await connection.query(TABLE);
    return new StagedPeople(connection);
  }

  async add(rows: readonly RowToStage[]): Promise<void> {
    await this.connection.query({
      name: 'stage-people',
      text: `insert into import_people (line, email_key, staff_id, manager, manager_key, person_id, is_known, failed, "row")
             select line, email_key, staff_id, manager, manager_key, person_id, is_known, "row" is null, "row" from json_to_recordset($1::json)
                 as r(line integer, email_key text, staff_id text, manager text, manager_key text, person_id text, is_known boolean, "row" json)`,
      values: [JSON.stringify(rows.map((row) => ({ ...row, manager_key: row.manager === null ? null : emailKey(row.manager) })))],
    });
  }

  /** Refuses all lines that share an e-mail address or a staff_id; returns those that were valid otherwise, with their issues. */
  async refuseRepeated(): Promise<readonly { readonly line: number; readonly issues: readonly Issue[] }[]> {
    await this.connection.query(INDEXES);
    const { rows } = await this.connection.query<RepeatedRow>(REFUSE_REPEATED);
    return rows
      .filter((row) => row.was_good)
      .map(({ line, email_line: emailLine, staff_line: staffLine }) => ({
        line,
        issues: [
          ...(emailLine === null ? [] : [{ field: 'work_email', issue: issueOfRepeat(emailLine) }]),
          ...(staffLine === null ? [] : [{ field: 'staff_id', issue: issueOfRepeat(staffLine) }]),
        ],
      }));
  }

  /** Finds whom the rows name as managers; returns the rows that name none, or more than one. */
  async findManagers(organisationId: string): Promise<readonly RefusedRow[]> {
    await this.connection.query(FIND_MANAGERS.replaceAll('$1', this.connection.escapeLiteral(organisationId)));
    await this.connection.query(
      'create index on import_managers (line); create index on import_managers (manager_line); analyze import_managers',
    );
    const { rows } = await this.connection.query<RefusedRow>(REFUSE_MANAGERS);
    return rows;
  }

  /** Puts managers before the people whom they manage; returns the rows without a place: cycles, and rows below refused ones. */
  async order(): Promise<readonly { readonly line: number; readonly manager_line: number }[]> {
    await this.connection.query(ORDER);
    await this.connection.query('create index on import_order (place); create index on import_order (line); analyze import_order');
    const { rows } = await this.connection.query<{ line: number; manager_line: number }>(UNPLACED);
    return rows;
  }

  /** The next rows in order, at most `count`; none at the end. */
  async next(count: number): Promise<readonly ReadyRow[]> {
    const { rows } = await this.connection.query<ReadyRow>({ name: 'next-staged-people', text: NEXT, values: [this.place, count] });
    this.place += count;
    return rows;
  }
}
