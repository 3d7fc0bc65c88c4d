import type { CommandContext } from '#event-store/command-context.js';
import { conflict, notFound, RejectedError } from '#kernel/rejection.js';
import type { Executor } from '#projections/projection.js';
import { type CommandServices, runCommand } from '../aggregate/run-command.js';
import { nameKey, tidyName } from '../naming/name-key.js';
import { findByNames, findOrCreate, type Named, type NamedResource, type Wanted } from '../naming/named-resource.js';
import {
  decideOrgUnit,
  evolveOrgUnit,
  initialOrgUnit,
  type OrgUnitCommand,
  type OrgUnitEvent,
  type OrgUnitState,
} from './org-unit.decider.js';

const ORG_UNITS: NamedResource<OrgUnitState, OrgUnitEvent> = {
  idKind: 'orgUnit',
  category: 'org-unit',
  table: 'org_units',
  nameColumn: 'name',
  isArchived: 'archived_at is not null',
  initial: initialOrgUnit,
  evolve: evolveOrgUnit,
  nameOf: (state) => state.unit.name,
};

/** The organisation's units of these names, see {@link findByNames}. */
export function findOrgUnitsByNames(
  executor: Executor,
  organisationId: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, readonly Named[]>> {
  return findByNames(executor, ORG_UNITS, organisationId, names);
}

/** Units of these names, made at the top of the tree where there are none; by `nameKey`. Throws {@link RejectedError}. */
export function findOrCreateOrgUnits(
  services: CommandServices,
  context: CommandContext,
  names: readonly string[],
): Promise<ReadonlyMap<string, Named & { readonly created: boolean }>> {
  return findOrCreate(services, context, ORG_UNITS, names.map((name) => wantedUnit({ name })));
}

/** A unit to be there, in its place. */
export interface WantedOrgUnit {
  readonly name: string;
  readonly code?: string | null;
  readonly parentId?: string | null;
}

/**
 * The unit of this name, made in its place where there is none; one that is there stays where it is. Throws
 * {@link RejectedError} for a parent that does not exist or is archived.
 */
export async function findOrCreateOrgUnit(
  services: CommandServices,
  context: CommandContext,
  wanted: WantedOrgUnit,
): Promise<Named & { readonly created: boolean }> {
  if (wanted.parentId !== undefined && wanted.parentId !== null) await requireParent(services.executor, context.organisationId, wanted.parentId);
  const found = await findOrCreate(services, context, ORG_UNITS, [wantedUnit(wanted)]);
  return found.get(nameKey(wanted.name))!;
}

/** Changes, archives or reactivates a unit. Throws {@link RejectedError}. */
export async function commandOrgUnit(
  services: CommandServices,
  context: CommandContext,
  orgUnitId: string,
  command: Exclude<OrgUnitCommand, { type: 'create' }>,
): Promise<OrgUnitState> {
  const { state } = await runCommand(services, context, {
    stream: `${ORG_UNITS.category}-${context.organisationId}.${orgUnitId}`,
    initial: initialOrgUnit,
    evolve: evolveOrgUnit,
    decide: (current) => decideOrgUnit(command, current),
    onConflict: 'decide_again',
    part: command.type,
  });
  return state;
}

function wantedUnit(wanted: WantedOrgUnit): Wanted<OrgUnitEvent> {
  const unit = { name: tidyName(wanted.name), code: wanted.code ?? null, parent_id: wanted.parentId ?? null, head_id: null };
  return { name: wanted.name, create: () => decideOrgUnit({ type: 'create', unit }, initialOrgUnit) };
}

async function requireParent(executor: Executor, organisationId: string, parentId: string): Promise<void> {
  const { rows } = await executor.query<{ is_archived: boolean }>({
    name: 'parent-of-org-unit',
    text: 'select archived_at is not null as is_archived from org_units where organisation_id = $1 and id = $2',
    values: [organisationId, parentId],
  });
  const [parent] = rows;
  if (parent === undefined) throw new RejectedError(notFound('parent_id', 'there is no such org unit'));
  if (parent.is_archived) throw new RejectedError(conflict('parent_id', 'this org unit is archived'));
}
