import { accept, type Decision, type DomainEvent, reject } from '#kernel/decider.js';
import { conflict, invalid, notFound, type Rejection } from '#kernel/rejection.js';
import { unreachable } from '#kernel/unreachable.js';
import { nameProblem } from '../naming/name-key.js';

/** What an org unit is. */
export type OrgUnit = {
  readonly name: string;
  readonly code: string | null;
  readonly parent_id: string | null;
  readonly head_id: string | null;
};

/** What may be changed of it; where it stands in the tree is not among it, because no single stream can tell a cycle. */
export type OrgUnitChanges = Partial<Omit<OrgUnit, 'parent_id'>>;

// These names and fields are the storage format: add new ones, never rename or remove.
export type OrgUnitEvent =
  | DomainEvent<'OrgUnitCreated', OrgUnit>
  | DomainEvent<'OrgUnitChanged', { changes: OrgUnitChanges }>
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
  | { readonly type: 'change'; readonly changes: OrgUnitChanges }
  | { readonly type: 'archive' }
  | { readonly type: 'reactivate' };

/** What a command records, or why it is refused. A command that leads to the state it is in records nothing. */
export function decideOrgUnit(command: OrgUnitCommand, state: OrgUnitState): Decision<OrgUnitEvent> {
  if (command.type === 'create') {
    const refusal = fieldsRefusal(command.unit);
    if (refusal !== null) return reject(refusal);
    if (state.status !== 'none') return reject(conflict('id', 'an org unit with this id exists already'));
    return accept({ type: 'OrgUnitCreated', data: command.unit });
  }
  if (state.status === 'none') return reject(notFound('org_unit_id', 'there is no such org unit'));
  switch (command.type) {
    case 'change':
      return decideChange(command.changes, state.unit);
    case 'archive':
      return state.status === 'archived' ? accept() : accept({ type: 'OrgUnitArchived', data: {} });
    case 'reactivate':
      return state.status === 'active' ? accept() : accept({ type: 'OrgUnitReactivated', data: {} });
    default:
      return unreachable(command);
  }
}

function decideChange(named: OrgUnitChanges, unit: OrgUnit): Decision<OrgUnitEvent> {
  const refusal = fieldsRefusal(named);
  if (refusal !== null) return reject(refusal);
  const names = Object.keys(named) as (keyof OrgUnitChanges)[];
  const differing = names.filter((name) => named[name] !== undefined && named[name] !== unit[name]);
  if (differing.length === 0) return accept();
  return accept({ type: 'OrgUnitChanged', data: { changes: Object.fromEntries(differing.map((name) => [name, named[name]])) } });
}

function fieldsRefusal(fields: Partial<OrgUnit>): Rejection | null {
  for (const field of ['name', 'code'] as const) {
    const value = fields[field];
    const problem = value === undefined || value === null ? null : nameProblem(value);
    if (problem !== null) return invalid(field, problem);
  }
  return null;
}
