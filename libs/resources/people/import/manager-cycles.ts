import type { PoolClient } from 'pg';
import type { Issue } from '#kernel/rejection.js';
import { lockExclusively, unlockExclusively } from '#commands/locks/advisory-locks.js';
import { gainedManagers, managersLock, rangeOf } from '../employment/manager-guard.js';
import type { Fact } from '../employment/timeline.js';

/** A person whose facts an import changes. */
export interface PlannedFacts {
  readonly personId: string;
  readonly before: readonly Fact[];
  readonly after: readonly Fact[];
}

const TABLES = `
create temporary table import_planned_people (person_id text collate "C" primary key);
create temporary table import_planned_managers (person_id text collate "C" not null, manager_id text collate "C" not null, valid daterange not null);
create index on import_planned_managers (person_id);`;

/**
 * Like the query of the manager guard, for many people at once and with planned facts in place of recorded ones. Returns the people who
 * would manage themselves.
 */
const CYCLES = `
with recursive upwards(root, person_id, valid) as (
  select root collate "C", manager_id collate "C", valid::daterange from unnest($2::text[], $3::text[], $4::text[]) as gained(root, manager_id, valid)
  union
  select u.root, m.manager_id, m.valid * u.valid
    from upwards u
    cross join lateral (
      select p.manager_id, p.valid from import_planned_managers p where p.person_id = u.person_id and p.valid && u.valid
      union all
      select b.manager_id, b.valid from employment_beliefs b
       where b.organisation_id = $1 and b.person_id = u.person_id and upper_inf(b.known) and b.manager_id is not null and b.valid && u.valid
         and not exists (select from import_planned_people n where n.person_id = u.person_id)
    ) m
   where u.person_id <> u.root
)
select distinct root from upwards where person_id = root`;

/** The issue that the manager guard reports to a single command. */
export const CYCLE_ISSUE: Issue = {
  field: 'manager',
  issue: 'would make a cycle: this person manages that manager, directly or through others',
};

/**
 * Keeps managers free of cycles over a whole batch of an import: it applies the rule and the lock of `employment/manager-guard.ts`.
 * Temporary tables keep the plans of dry runs, which record nothing.
 */
export class ManagerCycles {
  private isLocked = false;

  private constructor(
    private readonly connection: PoolClient,
    private readonly organisationId: string,
  ) {}

  /** Over a connection of its own. */
  static async open(connection: PoolClient, organisationId: string): Promise<ManagerCycles> {
    await connection.query(TABLES);
    return new ManagerCycles(connection, organisationId);
  }

  /** Whether a person who may already manage others gets a manager: only then can a cycle arise. */
  static isNeeded(people: readonly PlannedFacts[]): boolean {
    return people.some(({ before, after }) => before.length > 0 && gainedManagers(before, after).length > 0);
  }

  /** Keeps out every command that assigns a manager, until {@link end}. */
  async begin(): Promise<void> {
    if (this.isLocked) return;
    await lockExclusively(this.connection, managersLock(this.organisationId));
    this.isLocked = true;
  }

  /** Releases the lock, and deletes the plans that are recorded by now. */
  async end(keepPlans: boolean): Promise<void> {
    if (!keepPlans) await this.connection.query('truncate import_planned_people, import_planned_managers');
    if (this.isLocked) await unlockExclusively(this.connection, managersLock(this.organisationId));
    this.isLocked = false;
  }

  /** Replaces these people's recorded facts, or their earlier plans, with the new plans. */
  async plan(people: readonly PlannedFacts[]): Promise<void> {
    const ids = people.map(({ personId }) => personId);
    const managed = people.flatMap(({ personId, after }) => gainedManagers([], after).map((one) => ({ personId, ...one })));
    await this.connection.query('delete from import_planned_managers where person_id = any($1::text[])', [ids]);
    await this.connection.query('insert into import_planned_people select unnest($1::text[]) on conflict do nothing', [ids]);
    await this.connection.query('insert into import_planned_managers select * from unnest($1::text[], $2::text[], $3::daterange[])', [
      managed.map(({ personId }) => personId),
      managed.map(({ managerId }) => managerId),
      managed.map(rangeOf),
    ]);
  }

  /** The ones of these people who would manage themselves. */
  async find(people: readonly PlannedFacts[]): Promise<ReadonlySet<string>> {
    const gained = people.flatMap(({ personId, before, after }) => gainedManagers(before, after).map((one) => ({ personId, ...one })));
    if (gained.length === 0) return new Set();
    const { rows } = await this.connection.query<{ root: string }>({
      name: 'import-manager-cycles',
      text: CYCLES,
      values: [this.organisationId, gained.map(({ personId }) => personId), gained.map(({ managerId }) => managerId), gained.map(rangeOf)],
    });
    return new Set(rows.map(({ root }) => root));
  }
}
