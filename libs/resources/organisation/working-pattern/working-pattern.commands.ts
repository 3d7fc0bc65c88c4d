import type { CommandContext } from '#commands/command-context.js';
import { assertMatches } from '#commands/expectation.js';
import { whileRetiring } from '#commands/locks/references.js';
import { type CommandServices, runCommand } from '#commands/execute.js';
import { nameKey, tidyName } from '../../naming/name-key.js';
import { findOrCreate, type Named, type NamedResource } from '../../naming/named-resource.js';
import {
  decideWorkingPattern,
  evolveWorkingPattern,
  initialWorkingPattern,
  weeklyMinutes,
  type WorkingPattern,
  type WorkingPatternCommand,
  type WorkingPatternEvent,
  type WorkingPatternState,
} from './working-pattern.decider.js';
import { type WorkingPatternRow, workingPatternTag } from './working-pattern.queries.js';

const WORKING_PATTERNS: NamedResource<WorkingPatternState, WorkingPatternEvent> = {
  idKind: 'workingPattern',
  category: 'working-pattern',
  table: 'working_patterns',
  nameColumn: 'label',
  isArchived: 'archived_at is not null',
  initial: initialWorkingPattern,
  evolve: evolveWorkingPattern,
  nameOf: (state) => state.pattern.label,
};

/** The pattern of this label, made where there is none; one that is there stays as it is. Throws `RejectedError`. */
export async function findOrCreateWorkingPattern(
  services: CommandServices,
  context: CommandContext,
  wanted: WorkingPattern,
): Promise<Named & { readonly created: boolean }> {
  const pattern = { ...wanted, label: tidyName(wanted.label) };
  const create = () => decideWorkingPattern({ type: 'create', pattern }, initialWorkingPattern);
  const found = await findOrCreate(services, context, WORKING_PATTERNS, [{ name: wanted.label, create }]);
  return found.get(nameKey(wanted.label))!;
}

/** A new pattern. Throws `RejectedError` where it is not valid. */
export async function createWorkingPattern(
  services: CommandServices,
  context: CommandContext,
  wanted: WorkingPattern,
): Promise<WorkingPatternRow> {
  const id = services.mint.prefixed('workingPattern', context.organisationId, ...context.seed);
  return record(services, context, id, { type: 'create', pattern: { ...wanted, label: tidyName(wanted.label) } }, null);
}

/**
 * Changes or archives a pattern; `ifMatch`: the entity tags that the caller expects. Throws `RejectedError`, and 412 where
 * the pattern has another tag.
 */
export async function commandWorkingPattern(
  services: CommandServices,
  context: CommandContext,
  workingPatternId: string,
  command: Exclude<WorkingPatternCommand, { type: 'create' }>,
  ifMatch: readonly string[] | null = null,
): Promise<WorkingPatternRow> {
  if (command.type === 'archive') {
    return whileRetiring(services, context, { stream: streamOf(context.organisationId, workingPatternId) }, (alone) =>
      record(services, alone, workingPatternId, command, ifMatch),
    );
  }
  if (command.changes.label === undefined) return record(services, context, workingPatternId, command, ifMatch);
  const changes = { ...command.changes, label: tidyName(command.changes.label) };
  return record(services, context, workingPatternId, { ...command, changes }, ifMatch);
}

function streamOf(organisationId: string, workingPatternId: string): string {
  return `${WORKING_PATTERNS.category}-${organisationId}.${workingPatternId}`;
}

async function record(
  services: CommandServices,
  context: CommandContext,
  id: string,
  command: WorkingPatternCommand,
  ifMatch: readonly string[] | null,
): Promise<WorkingPatternRow> {
  const { state, events, revision } = await runCommand<WorkingPatternState, WorkingPatternEvent>(services, context, {
    stream: streamOf(context.organisationId, id),
    initial: initialWorkingPattern,
    evolve: evolveWorkingPattern,
    decide: (current, at) => {
      if (at !== null) assertMatches(ifMatch, workingPatternTag({ revision: at }));
      return decideWorkingPattern(command, current);
    },
    onConflict: ifMatch === null ? 'decide_again' : 'refuse',
    part: command.type,
  });
  if (state.status === 'none') throw new Error(`working pattern ${id} was recorded and is not there`);
  const archived = state.status === 'archived' ? events.find((event) => event.type === 'WorkingPatternArchived')! : null;
  return {
    ...state.pattern,
    id,
    revision: revision!,
    weekly_minutes: weeklyMinutes(state.pattern),
    archived_at: archived === null ? null : new Date(archived.recordedAt),
    created_at: new Date(events[0]!.recordedAt),
    updated_at: new Date(events.at(-1)!.recordedAt),
  };
}
