import type { CommandContext } from '#commands/command-context.js';
import { execute } from '#commands/execute.js';
import type { CommandServices } from '#commands/services.js';
import { holdForRetirement, holdReferences } from '#commands/locks/references.js';
import { commit, type Outcome, type UnitContext } from '#commands/unit-of-work.js';
import { streamName } from '#kernel/aggregate.js';
import { ERASED_ISSUE } from '#kernel/erasure.js';
import { conflict, type Issue, RejectedError } from '#kernel/rejection.js';
import type { Executor } from '#projections/projection.js';
import { normaliseName, normaliseOptional } from '../../naming/name-key.js';
import { findOrCreate, type FoundOrCreated, planFindOrCreate, type Wanted } from '../../naming/named-resource.js';
import {
  decideOrgUnit,
  initialOrgUnit,
  type OrgUnit,
  orgUnitAggregate,
  type OrgUnitCommand,
  type OrgUnitEvent,
  type OrgUnitState,
} from './org-unit.decider.js';
import { findOrgUnit, namesAround, type OrgUnitRow, orgUnitTable, orgUnitTag, readDecisionContext } from './org-unit.table.js';

/**
 * Returns the units with these names and creates the missing ones at the top of the tree; keyed by `nameKey`. Throws {@link RejectedError}.
 */
export function findOrCreateOrgUnits(
  services: CommandServices,
  context: CommandContext,
  names: readonly string[],
): Promise<ReadonlyMap<string, FoundOrCreated>> {
  return findOrCreate(
    services,
    context,
    orgUnitTable,
    names.map((name) => wantedUnit({ name })),
  );
}

/** A wanted unit and its place in the tree. */
export interface WantedOrgUnit {
  readonly name: string;
  readonly code?: string | null;
  readonly parentId?: string | null;
}

/**
 * Returns the unit with this name, and creates it in its place where there is none; an existing one stays where it is. Throws {@link
 * RejectedError} for a parent that does not exist or is archived.
 */
export async function findOrCreateOrgUnit(
  services: CommandServices,
  context: CommandContext,
  wanted: WantedOrgUnit,
): Promise<FoundOrCreated> {
  const { organisationId } = context;
  const parentId = wanted.parentId ?? null;
  return commit(services, context, async (within) => {
    await holdReferences(services, within, referredTo(organisationId, { parent_id: parentId }));
    await requireParent(services.executor, organisationId, parentId);
    return planFindOrCreate(services, within, orgUnitTable, wantedUnit(wanted));
  });
}

/** Creates a unit. Throws {@link RejectedError}: a missing parent or head, an archived parent, an erased head. */
export async function createOrgUnit(services: CommandServices, context: CommandContext, wanted: OrgUnit): Promise<OrgUnitRow> {
  const id = services.mint.prefixed('orgUnit', context.organisationId, ...context.seed);
  const command = { type: 'create', unit: normaliseUnit(wanted) as OrgUnit } as const;
  return commit(services, context, (within) => place(services, within, id, command, null));
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
  if (command.type === 'archive') {
    const unit = { stream: orgUnitAggregate.streamOf(context.organisationId, orgUnitId), uses: ['org_units', 'people'] };
    return commit(services, context, async (within) => {
      await holdForRetirement(services, within, unit);
      return record(services, within, orgUnitId, command, ifMatch);
    });
  }
  const tidied = command.type === 'change' ? { ...command, changes: normaliseUnit(command.changes) } : command;
  return commit(services, context, (within) => place(services, within, orgUnitId, tidied, ifMatch));
}

type PlacingCommand = Exclude<OrgUnitCommand, { type: 'archive' }>;

/** Plans a command after which the unit refers to its parent and its head; neither can be retired meanwhile. */
async function place(
  services: CommandServices,
  context: UnitContext,
  id: string,
  command: PlacingCommand,
  ifMatch: readonly string[] | null,
): Promise<Outcome<OrgUnitRow>> {
  const { organisationId } = context;
  const named = command.type === 'create' ? command.unit : command.type === 'change' ? command.changes : {};
  // A moved unit must not end up below itself, which a concurrent move could cause.
  const isMove = command.type === 'change' && command.changes.parent_id !== undefined;
  if (isMove) await context.unit.hold({ exclusive: [`org units ${organisationId}`] });
  await holdReferences(services, context, referredTo(organisationId, named));
  await requireReferences(services.executor, organisationId, named);
  return record(services, context, id, command, ifMatch);
}

async function record(
  services: CommandServices,
  context: UnitContext,
  id: string,
  command: OrgUnitCommand,
  ifMatch: readonly string[] | null,
): Promise<Outcome<OrgUnitRow>> {
  const { organisationId, today } = context;
  const { executor } = services;
  const result = await execute(services, context, orgUnitAggregate, id, {
    part: command.type,
    ifMatch,
    tagOf: async ({ unit }, revision) => orgUnitTag({ revision, ...(await namesAround(executor, organisationId, unit)) }),
    decide: async (state) => {
      const parentId = parentOf(command, state);
      // A reactivated unit keeps the parent that it had.
      if (command.type === 'reactivate') await holdReferences(services, context, referredTo(organisationId, { parent_id: parentId }));
      return decideOrgUnit(command, state, await readDecisionContext(executor, { organisationId, orgUnitId: id, parentId, today }));
    },
  });
  return async (written) => {
    const row = orgUnitTable.after(result);
    return { ...row, ...(await namesAround(written.executor, organisationId, row)) };
  };
}

/** The streams of the resources that a unit refers to in these fields. */
function referredTo(organisationId: string, { parent_id: parentId, head_id: headId }: Partial<OrgUnit>): readonly string[] {
  return [
    ...(typeof parentId === 'string' ? [orgUnitAggregate.streamOf(organisationId, parentId)] : []),
    ...(typeof headId === 'string' ? [streamName('person', organisationId, headId)] : []),
  ];
}

/** The parent that the unit has after the command. */
function parentOf(command: OrgUnitCommand, state: OrgUnitState): string | null {
  const named = command.type === 'create' ? command.unit.parent_id : command.type === 'change' ? command.changes.parent_id : undefined;
  return named !== undefined ? named : state.status === 'none' ? null : state.unit.parent_id;
}

/** Refuses a reference that does not exist or belongs to another organisation, with the same message for both; and an erased head. */
async function requireReferences(executor: Executor, organisationId: string, named: Partial<OrgUnit>): Promise<void> {
  if (typeof named.parent_id !== 'string' && typeof named.head_id !== 'string') return;
  const { parent_name: parent, head_name: head, head_is_erased: isErased } = await namesAround(executor, organisationId, named);
  const details: Issue[] = [];
  if (typeof named.parent_id === 'string' && parent === null) details.push({ field: 'parent_id', issue: 'there is no such org unit' });
  if (typeof named.head_id === 'string' && head === null) details.push({ field: 'head_id', issue: 'there is no such person' });
  if (details.length > 0) throw new RejectedError({ kind: 'not_found', message: details[0]!.issue, details });
  if (isErased) throw new RejectedError(conflict('head_id', ERASED_ISSUE));
}

function normaliseUnit(fields: Partial<OrgUnit>): Partial<OrgUnit> {
  const { name, code } = fields;
  return {
    ...fields,
    ...(name === undefined ? {} : { name: normaliseName(name) }),
    ...(typeof code === 'string' ? { code: normaliseOptional(code) } : {}),
  };
}

async function requireParent(executor: Executor, organisationId: string, parentId: string | null): Promise<void> {
  await requireReferences(executor, organisationId, { parent_id: parentId });
  const parent = parentId === null ? null : await findOrgUnit(executor, organisationId, parentId);
  if (parent?.archived_at instanceof Date) throw new RejectedError(conflict('parent_id', 'this org unit is archived'));
}

function wantedUnit(wanted: WantedOrgUnit): Wanted<OrgUnitEvent> {
  const unit = {
    name: normaliseName(wanted.name),
    code: normaliseOptional(wanted.code ?? ''),
    parent_id: wanted.parentId ?? null,
    head_id: null,
  };
  return { name: wanted.name, create: () => decideOrgUnit({ type: 'create', unit }, initialOrgUnit) };
}
