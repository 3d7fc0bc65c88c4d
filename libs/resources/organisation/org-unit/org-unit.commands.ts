import type { CommandContext } from '#commands/command-context.js';
import type { CommandResult } from '#commands/handle-command.js';
import { assertMatches } from '#commands/expectation.js';
import { conflict, type Issue, RejectedError } from '#kernel/rejection.js';
import type { Executor } from '#projections/projection.js';
import { type HeldReferences, whileReferring, whileRetiring } from '#commands/locks/references.js';
import { type CommandServices, runCommand } from '#commands/execute.js';
import { inTurn } from '#commands/locks/turns.js';
import { nameKey, tidyName } from '../../naming/name-key.js';
import { findByNames, findOrCreate, type Named, type NamedResource, type Wanted } from '../../naming/named-resource.js';
import { personStream } from '../../people/person/person-streams.js';
import { ERASED_ISSUE } from '../../people/person/person.decider.js';
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
  return findOrCreate(
    services,
    context,
    ORG_UNITS,
    names.map((name) => wantedUnit({ name })),
  );
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
  const { organisationId } = context;
  const parentId = wanted.parentId ?? null;
  return whileReferring(services, context, referredTo(organisationId, { parent_id: parentId }), async (held) => {
    await requireParent(services.executor, organisationId, parentId);
    const found = await findOrCreate(services, held.context, ORG_UNITS, [wantedUnit(wanted)]);
    return found.get(nameKey(wanted.name))!;
  });
}

/** A new unit. Throws {@link RejectedError}: a parent or a head that does not exist, a parent that is archived, a head who was erased. */
export async function createOrgUnit(services: CommandServices, context: CommandContext, wanted: OrgUnit): Promise<OrgUnitRow> {
  const id = services.mint.prefixed('orgUnit', context.organisationId, ...context.seed);
  return placing(services, context, id, { type: 'create', unit: tidyUnit(wanted) as OrgUnit }, null);
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
    const unit = { stream: streamOf(context.organisationId, orgUnitId), uses: ['org_units', 'people'] };
    return whileRetiring(services, context, unit, (alone) => record(services, alone, orgUnitId, command, ifMatch));
  }
  const tidied = command.type === 'change' ? { ...command, changes: tidyUnit(command.changes) } : command;
  return placing(services, context, orgUnitId, tidied, ifMatch);
}

type PlacingCommand = Exclude<OrgUnitCommand, { type: 'archive' }>;

/** Records a command after which the unit refers to its parent and its head: neither can be retired meanwhile. */
function placing(
  services: CommandServices,
  context: CommandContext,
  id: string,
  command: PlacingCommand,
  ifMatch: readonly string[] | null,
): Promise<OrgUnitRow> {
  const { organisationId } = context;
  const named = command.type === 'create' ? command.unit : command.type === 'change' ? command.changes : {};
  return whileReferring(services, context, referredTo(organisationId, named), async (held) => {
    await requireReferences(services.executor, organisationId, named);
    // A moved unit must not come to stand below itself, which another move could bring about.
    const isMove = command.type === 'change' && command.changes.parent_id !== undefined;
    const work = (): Promise<OrgUnitRow> => record(services, held.context, id, command, ifMatch, held);
    return isMove ? inTurn(services.executor, `org units ${organisationId}`, work) : work();
  });
}

async function record(
  services: CommandServices,
  context: CommandContext,
  id: string,
  command: OrgUnitCommand,
  ifMatch: readonly string[] | null,
  held: HeldReferences | null = null,
): Promise<OrgUnitRow> {
  const { organisationId, today } = context;
  const result = await runCommand<OrgUnitState, OrgUnitEvent>(services, context, {
    stream: streamOf(organisationId, id),
    initial: initialOrgUnit,
    evolve: evolveOrgUnit,
    decide: async (state, revision) => {
      if (revision !== null && state.status !== 'none' && ifMatch !== null) {
        assertMatches(ifMatch, orgUnitTag({ revision, ...(await namesAround(services.executor, organisationId, state.unit)) }));
      }
      const parentId = parentOf(command, state);
      // Whoever comes back stands below the parent that the unit had.
      if (command.type === 'reactivate') held?.require(referredTo(organisationId, { parent_id: parentId }));
      return decideOrgUnit(command, state, await surroundingsOf(services.executor, { organisationId, orgUnitId: id, parentId, today }));
    },
    onConflict: ifMatch === null ? 'decide_again' : 'refuse',
    part: command.type,
  });
  return asRow(services.executor, organisationId, id, result);
}

function streamOf(organisationId: string, orgUnitId: string): string {
  return `${ORG_UNITS.category}-${organisationId}.${orgUnitId}`;
}

/** The streams of what a unit refers to by these fields. */
function referredTo(organisationId: string, { parent_id: parentId, head_id: headId }: Partial<OrgUnit>): readonly string[] {
  return [
    ...(typeof parentId === 'string' ? [streamOf(organisationId, parentId)] : []),
    ...(typeof headId === 'string' ? [personStream(organisationId, headId)] : []),
  ];
}

/** The parent that the unit has after the command. */
function parentOf(command: OrgUnitCommand, state: OrgUnitState): string | null {
  const named = command.type === 'create' ? command.unit.parent_id : command.type === 'change' ? command.changes.parent_id : undefined;
  return named !== undefined ? named : state.status === 'none' ? null : state.unit.parent_id;
}

/** The unit right after a command, whatever happened to it since. */
async function asRow(
  executor: Executor,
  organisationId: string,
  id: string,
  { state, events, revision }: CommandResult<OrgUnitState>,
): Promise<OrgUnitRow> {
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

/** Refuses what does not exist, or belongs to another organisation: both alike; and a head who was erased. */
async function requireReferences(executor: Executor, organisationId: string, named: Partial<OrgUnit>): Promise<void> {
  if (typeof named.parent_id !== 'string' && typeof named.head_id !== 'string') return;
  const { parent_name: parent, head_name: head, head_is_erased: isErased } = await namesAround(executor, organisationId, named);
  const details: Issue[] = [];
  if (typeof named.parent_id === 'string' && parent === null) details.push({ field: 'parent_id', issue: 'there is no such org unit' });
  if (typeof named.head_id === 'string' && head === null) details.push({ field: 'head_id', issue: 'there is no such person' });
  if (details.length > 0) throw new RejectedError({ kind: 'not_found', message: details[0]!.issue, details });
  if (isErased) throw new RejectedError(conflict('head_id', ERASED_ISSUE));
}

function tidyUnit(fields: Partial<OrgUnit>): Partial<OrgUnit> {
  const { name, code } = fields;
  return {
    ...fields,
    ...(name === undefined ? {} : { name: tidyName(name) }),
    ...(typeof code === 'string' ? { code: tidyName(code) } : {}),
  };
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
