import type { CommandContext } from '#commands/command-context.js';
import { execute } from '#commands/execute.js';
import type { CommandServices } from '#commands/services.js';
import { holdForRetirement } from '#commands/locks/references.js';
import { commit } from '#commands/unit-of-work.js';
import { nameKey, normaliseName } from '../../naming/name-key.js';
import { findOrCreate, type FoundOrCreated } from '../../naming/named-resource.js';
import {
  decideWorkingPattern,
  initialWorkingPattern,
  type WorkingPattern,
  workingPatternAggregate,
  type WorkingPatternCommand,
  type WorkingPatternState,
} from './working-pattern.decider.js';
import { type WorkingPatternRow, workingPatternTable } from './working-pattern.table.js';

/** Returns the pattern with this label, and creates it where there is none; an existing one stays as it is. Throws `RejectedError`. */
export async function findOrCreateWorkingPattern(
  services: CommandServices,
  context: CommandContext,
  wanted: WorkingPattern,
): Promise<FoundOrCreated> {
  const pattern = { ...wanted, label: normaliseName(wanted.label) };
  const create = () => decideWorkingPattern({ type: 'create', pattern }, initialWorkingPattern);
  const found = await findOrCreate(services, context, workingPatternTable, [{ name: wanted.label, create }]);
  return found.get(nameKey(wanted.label))!;
}

/** Creates a pattern. Throws `RejectedError` where it is not valid. */
export async function createWorkingPattern(
  services: CommandServices,
  context: CommandContext,
  wanted: WorkingPattern,
): Promise<WorkingPatternRow> {
  const id = services.mint.prefixed('workingPattern', context.organisationId, ...context.seed);
  return record(services, context, id, { type: 'create', pattern: { ...wanted, label: normaliseName(wanted.label) } }, null);
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
  if (command.type === 'archive') return record(services, context, workingPatternId, command, ifMatch);
  if (command.changes.label === undefined) return record(services, context, workingPatternId, command, ifMatch);
  const changes = { ...command.changes, label: normaliseName(command.changes.label) };
  return record(services, context, workingPatternId, { ...command, changes }, ifMatch);
}

async function record(
  services: CommandServices,
  context: CommandContext,
  id: string,
  command: WorkingPatternCommand,
  ifMatch: readonly string[] | null,
): Promise<WorkingPatternRow> {
  return commit(services, context, async (within) => {
    if (command.type === 'archive') {
      await holdForRetirement(services, within, { stream: workingPatternAggregate.streamOf(context.organisationId, id) });
    }
    const decide = (state: WorkingPatternState) => decideWorkingPattern(command, state);
    const result = await execute(services, within, workingPatternAggregate, id, { part: command.type, ifMatch, decide });
    return () => workingPatternTable.after(result);
  });
}
