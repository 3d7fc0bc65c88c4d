import { tagWithNames } from '#commands/tag-with-names.js';
import { raw, type Sql, sql } from '#database/sql.js';
import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import type { LocalDate } from '#kernel/dates.js';
import { ERASED } from '#kernel/erasure.js';
import { defineFields, name, orNull, reference, type ValuesOf } from '#kernel/field-list.js';
import { changesOf } from '#kernel/json.js';
import { nameKey } from '#kernel/names.js';
import { conflict, type Issue, notFound, type Rejection } from '#kernel/rejection.js';
import { unreachable } from '#kernel/unreachable.js';
import type { Executor } from '#projections/projection.js';
import { noteChangesOfNames } from '#projections/reference-versions.js';
import { defineTable, type Stored } from '#projections/table.js';

/** The fields of an org unit. Inside an event they are the storage format: never rename or remove one. */
export const ORG_UNIT = defineFields({
  name: name({ maximumLength: 200, example: 'Engineering', option: ['<name>', 'its name'] }),
  code: orNull(name({ maximumLength: 200, example: 'ENG', option: ['<code>', 'its code; empty for none'] })),
  parent_id: orNull(
    reference('orgUnit', {
      outside: 'parent',
      description: 'The unit above it, which must be active; null for the top.',
      example: 'org_unit_c2V2ZW4x.dHdlbHZl.b25lX2h1bmRy',
    }),
  ),
  head_id: orNull(
    reference('person', { outside: 'head', description: 'The person who leads it.', example: '7k2m9qx4hz1c' }),
  ),
});

export type OrgUnit = ValuesOf<typeof ORG_UNIT.fields>;

// These names are the storage format: add new ones, never rename or remove.
export type OrgUnitEvent =
  | DomainEvent<'OrgUnitCreated', OrgUnit>
  | DomainEvent<'OrgUnitChanged', { changes: Partial<OrgUnit> }>
  | DomainEvent<'OrgUnitArchived', Record<string, never>>
  | DomainEvent<'OrgUnitReactivated', Record<string, never>>;

export type OrgUnitState =
  { readonly status: 'none' } | { readonly status: 'active' | 'archived'; readonly unit: OrgUnit };

export const initialOrgUnit: OrgUnitState = { status: 'none' };

/** The state with one more event. */
export function evolveOrgUnit(state: OrgUnitState, event: OrgUnitEvent): OrgUnitState {
  if (event.type === 'OrgUnitCreated') return { status: 'active', unit: event.data };
  if (state.status === 'none') return state;
  switch (event.type) {
    case 'OrgUnitChanged':
      return { ...state, unit: { ...state.unit, ...event.data.changes } };
    case 'OrgUnitArchived':
      return { ...state, status: 'archived' };
    case 'OrgUnitReactivated':
      return { ...state, status: 'active' };
    default:
      return unreachable(event);
  }
}

export type OrgUnitCommand =
  | { readonly type: 'create'; readonly unit: OrgUnit }
  | { readonly type: 'change'; readonly changes: Partial<OrgUnit> }
  | { readonly type: 'archive' }
  | { readonly type: 'reactivate' };

/**
 * The decision context of an org unit: its parent, its people and the units below it, which no single stream
 * contains. It is read under locks, so that no other command can change it.
 */
export interface DecisionContext {
  /** The parent that the unit has or is to have; null at the top of the tree. */
  readonly parent: {
    readonly isArchived: boolean;
    /** The unit itself, or below it. */ readonly isBelow: boolean;
  } | null;
  readonly activeUnits: number;
  /** The number of people who are employed in it today or on a later day, according to the recorded facts. */
  readonly activePeople: number;
}

/** The context of a unit at the top of the tree with nothing below it. */
export const EMPTY_CONTEXT: DecisionContext = { parent: null, activeUnits: 0, activePeople: 0 };

/**
 * The events of a command, or the reason for its refusal. A command without a change records nothing; an
 * action that would not change the unit's status is refused.
 */
export function decideOrgUnit(
  command: OrgUnitCommand,
  state: OrgUnitState,
  context: DecisionContext = EMPTY_CONTEXT,
): Decision<OrgUnitEvent> {
  if (command.type === 'create') {
    const rejection = ORG_UNIT.rejection(command.unit);
    if (rejection !== null) return reject(rejection);
    if (state.status !== 'none') return reject(conflict('id', 'an org unit with this id exists already'));
    const misplaced = parentRejection(context);
    return misplaced === null ? accept({ type: 'OrgUnitCreated', data: command.unit }) : reject(misplaced);
  }
  if (state.status === 'none') return reject(notFound('org_unit_id', 'there is no such org unit'));
  switch (command.type) {
    case 'change':
      return state.status === 'archived'
        ? reject(alreadyArchived())
        : decideChange(command.changes, state.unit, context);
    case 'archive': {
      if (state.status === 'archived') return reject(alreadyArchived());
      const inUse = useRejection(context);
      return inUse === null ? accept({ type: 'OrgUnitArchived', data: {} }) : reject(inUse);
    }
    case 'reactivate': {
      if (state.status === 'active') return reject(conflict('archived_at', 'this org unit is not archived'));
      const misplaced = parentRejection(context);
      return misplaced === null ? accept({ type: 'OrgUnitReactivated', data: {} }) : reject(misplaced);
    }
    default:
      return unreachable(command);
  }
}

function decideChange(named: Partial<OrgUnit>, unit: OrgUnit, context: DecisionContext): Decision<OrgUnitEvent> {
  const rejection = ORG_UNIT.rejection(named);
  if (rejection !== null) return reject(rejection);
  const changes = changesOf(named, unit);
  if (changes === null) return accept();
  const misplaced = changes.parent_id === undefined ? null : parentRejection(context);
  return misplaced === null ? accept({ type: 'OrgUnitChanged', data: { changes } }) : reject(misplaced);
}

function alreadyArchived(): Rejection {
  return conflict('archived_at', 'this org unit is archived');
}

/** Refuses a parent that is archived, or that is the unit itself or below it. */
function parentRejection({ parent }: DecisionContext): Rejection | null {
  if (parent?.isBelow === true)
    return conflict('parent_id', 'would make a cycle: that org unit is this one, or stands below it');
  return parent?.isArchived === true ? conflict('parent_id', 'this org unit is archived') : null;
}

/** Refuses to archive a unit that contains people or other units. */
function useRejection({ activePeople, activeUnits }: DecisionContext): Rejection | null {
  const details: Issue[] = [];
  if (activePeople > 0) details.push({ field: 'people', issue: `active people in this org unit: ${activePeople}` });
  if (activeUnits > 0) details.push({ field: 'org_units', issue: `active org units below this one: ${activeUnits}` });
  return details.length === 0 ? null : { kind: 'conflict', message: 'this org unit is in use', details };
}

export const orgUnitAggregate = defineAggregate({
  category: 'org-unit',
  idKind: 'orgUnit',
  initial: initialOrgUnit,
  evolve: evolveOrgUnit,
  publishedAs: {
    OrgUnitCreated: ['org_unit.created'],
    OrgUnitChanged: ['org_unit.updated'],
    OrgUnitArchived: ['org_unit.archived'],
    OrgUnitReactivated: ['org_unit.reactivated'],
  },
});

/** SQL of the ids of a unit and of those below it. */
function unitAndDescendants(organisationId: string, id: string): Sql {
  return sql`(
    with recursive units(id) as (
      select ${id}::text collate "C" union
      select u.id from units above join org_units u on u.organisation_id = ${organisationId} and u.parent_id = above.id
    ) select id from units)`;
}

/** The filters of lists by org unit and manager. */
export interface PlaceOfWork {
  readonly department_id?: string;
  /** With `department_id`: also the units below it. */
  readonly include_units?: boolean;
  /** Only people who belong to no unit. */
  readonly without_department?: boolean;
  readonly manager_id?: string;
}

/**
 * SQL conditions of a place of work.
 *
 * @param of - the table that has the ids
 */
export function conditionsOfPlace(organisationId: string, of: string, place: PlaceOfWork): readonly Sql[] {
  const department = raw(`${of}.department_id`);
  const conditions: Sql[] = [];
  if (place.department_id !== undefined) {
    const isWithin =
      place.include_units === true
        ? sql`in ${unitAndDescendants(organisationId, place.department_id)}`
        : sql`= ${place.department_id}`;
    conditions.push(sql`${department} ${isWithin}`);
  }
  if (place.without_department === true) conditions.push(sql`${department} is null`);
  if (place.manager_id !== undefined) conditions.push(sql`${raw(of)}.manager_id = ${place.manager_id}`);
  return conditions;
}

/** Org units, including archived ones. */
export const orgUnitTable = defineTable<OrgUnit & { readonly archived_at: Date | null }>()(orgUnitAggregate, {
  name: 'org_units',
  columns: { ...ORG_UNIT.columns, archived_at: 'time' },
  row: ({ status, unit }, stream) => ({
    ...unit,
    archived_at: status === 'archived' ? stream.findLast(({ type }) => type === 'OrgUnitArchived')!.recordedAt : null,
  }),
  lookUps: { name_key: ({ name }) => nameKey(name) },
  naming: { column: 'name', isArchived: 'archived_at is not null' },
  order: 'name_key, id',
});

/** `name_key` is the name in the form that look-ups compare, see `kernel/names.ts`. */
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

/** A row of `org_units` with the current names of its parent and its head. */
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

/** All org units of an organisation, including archived ones, by name. */
export async function listOrgUnits(executor: Executor, organisationId: string): Promise<readonly OrgUnitRow[]> {
  const { rows } = await executor.query<OrgUnitRow>({
    name: 'list-org-units',
    text: `${READ} order by u.name_key, u.id`,
    values: [organisationId],
  });
  return rows;
}

/** The org unit; null if this organisation has none of this id. */
export async function findOrgUnit(
  executor: Executor,
  organisationId: string,
  orgUnitId: string,
): Promise<OrgUnitRow | null> {
  const { rows } = await executor.query<OrgUnitRow>({
    name: 'find-org-unit',
    text: `${READ} and u.id = $2`,
    values: [organisationId, orgUnitId],
  });
  return rows[0] ?? null;
}

/** The names of a unit's parent and head. */
interface NamesAround {
  /** Null if none is named, or it does not exist. */
  readonly parent_name: string | null;
  readonly head_name: string | null;
  readonly head_is_erased: boolean;
}

/** Reads the current names of a unit's parent and head. */
export async function namesAround(
  executor: Executor,
  organisationId: string,
  unit: Partial<OrgUnit>,
): Promise<NamesAround> {
  const { rows } = await executor.query<NamesAround>({
    name: 'names-around-org-unit',
    text: `select (select name from org_units where organisation_id = $1
      and id = $2) as parent_name, h.display_name as head_name,
        coalesce(h.work_email = '${ERASED}', false) as head_is_erased
      from (select) as one left join people h on h.organisation_id = $1 and h.person_id = $3
        and h.identity_revision is not null`,
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
  (select count(*)::integer from org_units where organisation_id = $1 and parent_id = $2
  and archived_at is null) as active_units,
  (select count(*)::integer from people p where p.organisation_id = $1 and p.identity_revision is not null
  and p.status = 'active' and (
    exists (
      select from employment_beliefs b
       where b.organisation_id = $1 and b.person_id = p.person_id and upper_inf(b.known) and b.employed
         and b.department_id = $2
         and b.valid && daterange($4::date, null))
    -- An employment without dates has no beliefs.
    or p.department_id = $2 and p.start_date is null)) as active_people`;

/** A unit, its place in the tree, and the day from which people in it count. */
export interface Place {
  readonly organisationId: string;
  readonly orgUnitId: string;
  readonly parentId: string | null;
  readonly today: LocalDate;
}

/** Reads the decision context of a unit below this parent. */
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
  const {
    parent_is_archived: isArchived,
    parent_is_below: isBelow,
    active_units: activeUnits,
    active_people: activePeople,
  } = rows[0]!;
  return { parent: isArchived === null ? null : { isArchived, isBelow }, activeUnits, activePeople };
}

/** The entity tag of an org unit: its revision, and the names of its parent and its head. */
export function orgUnitTag({
  revision,
  parent_name,
  head_name,
}: Pick<OrgUnitRow, 'revision' | 'parent_name' | 'head_name'>): string {
  return tagWithNames(
    `r${revision}`,
    parent_name === null && head_name === null ? '' : JSON.stringify([parent_name, head_name]),
  );
}
