import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import { changesOf } from '#kernel/json.js';
import { conflict, invalid, type Issue, notFound, type Rejection } from '#kernel/rejection.js';
import { unreachable } from '#kernel/unreachable.js';
import { nameProblem } from '../../naming/name-key.js';

/** The fields of an org unit. */
export type OrgUnit = {
  readonly name: string;
  readonly code: string | null;
  readonly parent_id: string | null;
  readonly head_id: string | null;
};

// These names and fields are the storage format: add new ones, never rename or remove.
export type OrgUnitEvent =
  | DomainEvent<'OrgUnitCreated', OrgUnit>
  | DomainEvent<'OrgUnitChanged', { changes: Partial<OrgUnit> }>
  | DomainEvent<'OrgUnitArchived', Record<string, never>>
  | DomainEvent<'OrgUnitReactivated', Record<string, never>>;

export type OrgUnitState = { readonly status: 'none' } | { readonly status: 'active' | 'archived'; readonly unit: OrgUnit };

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
 * The decision context of an org unit: data about its surroundings, which no single stream contains. Read while no other command can change
 * it.
 */
export interface DecisionContext {
  /** The parent that the unit has or is to have; null at the top of the tree. */
  readonly parent: { readonly isArchived: boolean; /** The unit itself, or below it. */ readonly isBelow: boolean } | null;
  readonly activeUnits: number;
  /** The number of people who are employed in it today or on a later day, according to the recorded facts. */
  readonly activePeople: number;
}

/** The context of a unit at the top of the tree with nothing below it. */
export const EMPTY_CONTEXT: DecisionContext = { parent: null, activeUnits: 0, activePeople: 0 };

/**
 * What a command records, or why it is refused. A change that changes nothing records nothing; an action that would not change the unit's
 * status is refused.
 */
export function decideOrgUnit(
  command: OrgUnitCommand,
  state: OrgUnitState,
  context: DecisionContext = EMPTY_CONTEXT,
): Decision<OrgUnitEvent> {
  if (command.type === 'create') {
    const rejection = fieldsRejection(command.unit);
    if (rejection !== null) return reject(rejection);
    if (state.status !== 'none') return reject(conflict('id', 'an org unit with this id exists already'));
    const misplaced = parentRejection(context);
    return misplaced === null ? accept({ type: 'OrgUnitCreated', data: command.unit }) : reject(misplaced);
  }
  if (state.status === 'none') return reject(notFound('org_unit_id', 'there is no such org unit'));
  switch (command.type) {
    case 'change':
      return state.status === 'archived' ? reject(alreadyArchived()) : decideChange(command.changes, state.unit, context);
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
  const rejection = fieldsRejection(named);
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
  if (parent?.isBelow === true) return conflict('parent_id', 'would make a cycle: that org unit is this one, or stands below it');
  return parent?.isArchived === true ? conflict('parent_id', 'this org unit is archived') : null;
}

/** Refuses to archive a unit that contains people or other units. */
function useRejection({ activePeople, activeUnits }: DecisionContext): Rejection | null {
  const details: Issue[] = [];
  if (activePeople > 0) details.push({ field: 'people', issue: `active people in this org unit: ${activePeople}` });
  if (activeUnits > 0) details.push({ field: 'org_units', issue: `active org units below this one: ${activeUnits}` });
  return details.length === 0 ? null : { kind: 'conflict', message: 'this org unit is in use', details };
}

function fieldsRejection(fields: Partial<OrgUnit>): Rejection | null {
  for (const field of ['name', 'code'] as const) {
    const value = fields[field];
    const problem = value === undefined || value === null ? null : nameProblem(value);
    if (problem !== null) return invalid(field, problem);
  }
  return null;
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
