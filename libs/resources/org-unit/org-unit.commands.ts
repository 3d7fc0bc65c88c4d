import type { CommandContext } from '#event-store/command-context.js';
import type { CommandResult } from '#event-store/handle-command.js';
import { assertMatches } from '#http/entity-tag.js';
import { conflict, type Issue, RejectedError } from '#kernel/rejection.js';
import type { Executor } from '#projections/projection.js';
import { type CommandServices, runCommand } from '../aggregate/run-command.js';
import { inTurn } from '../aggregate/turns.js';
import { nameKey, tidyName } from '../naming/name-key.js';
import { findByNames, findOrCreate, type Named, type NamedResource, type Wanted } from '../naming/named-resource.js';
import {
  decideOrgUnit,
  evolveOrgUnit,
  initialOrgUnit,
  type OrgUnit,
  type OrgUnitCommand,
  type OrgUnitEvent,
  type OrgUnitState,
} from './org-unit.decider.js';
import { findOrgUnit, namesAround, type OrgUnitRow, orgUnitTag, surroundingsOf } from './org-unit.queries.js';

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
  await requireParent(services.executor, context.organisationId, wanted.parentId ?? null);
  const found = await findOrCreate(services, context, ORG_UNITS, [wantedUnit(wanted)]);
  return found.get(nameKey(wanted.name))!;
}

/** A new unit. Throws {@link RejectedError}: a parent or a head that does not exist, a parent that is archived. */
export async function createOrgUnit(services: CommandServices, context: CommandContext, wanted: OrgUnit): Promise<OrgUnitRow> {
  const id = services.mint.prefixed('orgUnit', context.organisationId, ...context.seed);
  await requireReferences(services.executor, context.organisationId, wanted);
  return record(services, context, id, { type: 'create', unit: tidyUnit(wanted) as OrgUnit }, null);
}

/**
 * Changes, archives or reactivates a unit; `ifMatch`: the entity tags that the caller expects. Throws {@link RejectedError},
 * and 412 where the unit has another tag.
 */
export async function commandOrgUnit(
  services: CommandServices,
  context: CommandContext,
  orgUnitId: string,
  command: Exclude<OrgUnitCommand, { type: 'create' }>,
  ifMatch: readonly string[] | null = null,
): Promise<OrgUnitRow> {
  if (command.type !== 'change') return record(services, context, orgUnitId, command, ifMatch);
  await requireReferences(services.executor, context.organisationId, command.changes);
  return record(services, context, orgUnitId, { ...command, changes: tidyUnit(command.changes) }, ifMatch);
}

/** Records a command. Those that go by the rest of the tree take turns within the organisation. */
async function record(
  services: CommandServices,
  context: CommandContext,
  id: string,
  command: OrgUnitCommand,
  ifMatch: readonly string[] | null,
): Promise<OrgUnitRow> {
  const { organisationId } = context;
  const work = () =>
    runCommand<OrgUnitState, OrgUnitEvent>(services, context, {
      stream: `${ORG_UNITS.category}-${organisationId}.${id}`,
      initial: initialOrgUnit,
      evolve: evolveOrgUnit,
      decide: async (state, revision) => {
        if (revision !== null) assertMatches(ifMatch, orgUnitTag({ revision }));
        return decideOrgUnit(command, state, await surroundingsOf(services.executor, organisationId, id, parentOf(command, state)));
      },
      onConflict: ifMatch === null ? 'decide_again' : 'refuse',
      part: command.type,
    });
  const result = await (goesByTheTree(command) ? inTurn(services.executor, `org units ${organisationId}`, work) : work());
  return asRow(services.executor, organisationId, id, result);
}

function goesByTheTree(command: OrgUnitCommand): boolean {
  if (command.type === 'create') return command.unit.parent_id !== null;
  return command.type !== 'change' || command.changes.parent_id !== undefined;
}

/** The parent that the unit has after the command. */
function parentOf(command: OrgUnitCommand, state: OrgUnitState): string | null {
  const named = command.type === 'create' ? command.unit.parent_id : command.type === 'change' ? command.changes.parent_id : undefined;
  return named !== undefined ? named : state.status === 'none' ? null : state.unit.parent_id;
}

/** The unit right after a command, whatever happened to it since. */
async function asRow(executor: Executor, organisationId: string, id: string, { state, events, revision }: CommandResult<OrgUnitState>): Promise<OrgUnitRow> {
  if (state.status === 'none') throw new Error(`org unit ${id} was recorded and is not there`);
  const archived = state.status === 'archived' ? events.findLast((event) => event.type === 'OrgUnitArchived')! : null;
  return {
    ...state.unit,
    ...(await namesAround(executor, organisationId, state.unit)),
    id,
    revision: revision!,
    archived_at: archived === null ? null : new Date(archived.recordedAt),
    created_at: new Date(events[0]!.recordedAt),
    updated_at: new Date(events.at(-1)!.recordedAt),
  };
}

/** Refuses what does not exist, or belongs to another organisation: both alike. */
async function requireReferences(executor: Executor, organisationId: string, named: Partial<OrgUnit>): Promise<void> {
  const { parent_name: parent, head_name: head } = await namesAround(executor, organisationId, named);
  const details: Issue[] = [];
  if (typeof named.parent_id === 'string' && parent === null) details.push({ field: 'parent_id', issue: 'there is no such org unit' });
  if (typeof named.head_id === 'string' && head === null) details.push({ field: 'head_id', issue: 'there is no such person' });
  if (details.length > 0) throw new RejectedError({ kind: 'not_found', message: details[0]!.issue, details });
}

function tidyUnit(fields: Partial<OrgUnit>): Partial<OrgUnit> {
  const { name, code } = fields;
  return { ...fields, ...(name === undefined ? {} : { name: tidyName(name) }), ...(typeof code === 'string' ? { code: tidyName(code) } : {}) };
}

async function requireParent(executor: Executor, organisationId: string, parentId: string | null): Promise<void> {
  await requireReferences(executor, organisationId, { parent_id: parentId });
  const parent = parentId === null ? null : await findOrgUnit(executor, organisationId, parentId);
  if (parent?.archived_at instanceof Date) throw new RejectedError(conflict('parent_id', 'this org unit is archived'));
}

function wantedUnit(wanted: WantedOrgUnit): Wanted<OrgUnitEvent> {
  const unit = { name: tidyName(wanted.name), code: wanted.code ?? null, parent_id: wanted.parentId ?? null, head_id: null };
  return { name: wanted.name, create: () => decideOrgUnit({ type: 'create', unit }, initialOrgUnit) };
}
