import { ERASED } from '#kernel/erasure.js';
import type { LocalDate } from '#kernel/dates.js';
import type { Executor } from '#projections/projection.js';
import { defineTable, type Stored } from '#projections/table.js';
import { nameKey } from '../../naming/name-key.js';
import { noteChangesOfNames } from '../../naming/reference-versions.js';
import { tagWithNames } from '../../naming/tag-with-names.js';
import { type OrgUnit, orgUnitAggregate, type DecisionContext } from './org-unit.decider.js';

/** Org units, the archived ones included. */
export const orgUnitTable = defineTable<OrgUnit & { readonly archived_at: Date | null }>()(orgUnitAggregate, {
  name: 'org_units',
  columns: { name: 'value', code: 'value', parent_id: 'value', head_id: 'value', archived_at: 'time' },
  row: ({ status, unit }, stream) => ({
    ...unit,
    archived_at: status === 'archived' ? stream.findLast(({ type }) => type === 'OrgUnitArchived')!.recordedAt : null,
  }),
  lookUps: { name_key: ({ name }) => nameKey(name) },
  naming: { column: 'name', isArchived: 'archived_at is not null' },
  order: 'name_key, id',
});

/** `name_key` is the name in the form that look-ups compare, see `naming/name-key.ts`. */
export const ORG_UNITS_SCHEMA = `
create table org_units (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  revision bigint not null,
  name text not null,
  name_key text collate "C" not null,
  code text,
  parent_id text collate "C",
  head_id text collate "C",
  archived_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organisation_id, id)
);
create index org_units_by_name on org_units (organisation_id, name_key);
create index org_units_by_parent on org_units (organisation_id, parent_id) where parent_id is not null;
${noteChangesOfNames('org_units', 'name')}`;

/** A row of `org_units` with today's names of what it refers to. */
export type OrgUnitRow = Stored<OrgUnit> & {
  readonly archived_at: Date | null;
  readonly parent_name: string | null;
  readonly head_name: string | null;
};

const READ = `select ${orgUnitTable.selectList('u')}, p.name as parent_name, h.display_name as head_name
  from org_units u
  left join org_units p on p.organisation_id = u.organisation_id and p.id = u.parent_id
  left join people h on h.organisation_id = u.organisation_id and h.person_id = u.head_id
  where u.organisation_id = $1`;

/** All org units of an organisation, the archived ones included, by name. */
export async function listOrgUnits(executor: Executor, organisationId: string): Promise<readonly OrgUnitRow[]> {
  const { rows } = await executor.query<OrgUnitRow>({
    name: 'list-org-units',
    text: `${READ} order by u.name_key, u.id`,
    values: [organisationId],
  });
  return rows;
}

/** The org unit; null where this organisation has none of this id. */
export async function findOrgUnit(executor: Executor, organisationId: string, orgUnitId: string): Promise<OrgUnitRow | null> {
  const { rows } = await executor.query<OrgUnitRow>({
    name: 'find-org-unit',
    text: `${READ} and u.id = $2`,
    values: [organisationId, orgUnitId],
  });
  return rows[0] ?? null;
}

/** What a unit refers to. */
interface NamesAround {
  /** Null where none is named, or it does not exist. */
  readonly parent_name: string | null;
  readonly head_name: string | null;
  readonly head_is_erased: boolean;
}

/** Today's names of what a unit refers to. */
export async function namesAround(executor: Executor, organisationId: string, unit: Partial<OrgUnit>): Promise<NamesAround> {
  const { rows } = await executor.query<NamesAround>({
    name: 'names-around-org-unit',
    text: `select (select name from org_units where organisation_id = $1 and id = $2) as parent_name, h.display_name as head_name,
        coalesce(h.work_email = '${ERASED}', false) as head_is_erased
      from (select) as one left join people h on h.organisation_id = $1 and h.person_id = $3 and h.identity_revision is not null`,
    values: [organisationId, unit.parent_id ?? null, unit.head_id ?? null],
  });
  return rows[0]!;
}

const DECISION_CONTEXT = `
with recursive upwards(id, parent_id) as (
  select id, parent_id from org_units where organisation_id = $1 and id = $3
  union
  select u.id, u.parent_id from upwards below join org_units u on u.organisation_id = $1 and u.id = below.parent_id
)
select (select archived_at is not null from org_units where organisation_id = $1 and id = $3) as parent_is_archived,
  exists (select from upwards where id = $2) as parent_is_below,
  (select count(*)::integer from org_units where organisation_id = $1 and parent_id = $2 and archived_at is null) as active_units,
  (select count(*)::integer from people p where p.organisation_id = $1 and p.identity_revision is not null and p.status = 'active' and (
    exists (
      select from employment_beliefs b
       where b.organisation_id = $1 and b.person_id = p.person_id and upper_inf(b.known) and b.employed and b.department_id = $2
         and b.valid && daterange($4::date, null))
    -- Nothing is believed of the days of an employment that nobody has dated.
    or p.department_id = $2 and p.start_date is null)) as active_people`;

/** A unit, its place in the tree, and the day from which people in it count. */
export interface Place {
  readonly organisationId: string;
  readonly orgUnitId: string;
  readonly parentId: string | null;
  readonly today: LocalDate;
}

/** The surroundings of a unit below this parent. */
export async function readDecisionContext(
  executor: Executor,
  { organisationId, orgUnitId, parentId, today }: Place,
): Promise<DecisionContext> {
  const { rows } = await executor.query<{
    parent_is_archived: boolean | null;
    parent_is_below: boolean;
    active_units: number;
    active_people: number;
  }>({
    name: 'decision-context-of-org-unit',
    text: DECISION_CONTEXT,
    values: [organisationId, orgUnitId, parentId, today],
  });
  const { parent_is_archived: isArchived, parent_is_below: isBelow, active_units: activeUnits, active_people: activePeople } = rows[0]!;
  return { parent: isArchived === null ? null : { isArchived, isBelow }, activeUnits, activePeople };
}

/** The entity tag of an org unit: its revision, and the names of its parent and its head. */
export function orgUnitTag({ revision, parent_name, head_name }: Pick<OrgUnitRow, 'revision' | 'parent_name' | 'head_name'>): string {
  return tagWithNames(`r${revision}`, parent_name === null && head_name === null ? '' : JSON.stringify([parent_name, head_name]));
}
