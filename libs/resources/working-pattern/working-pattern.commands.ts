import type { CommandContext } from '#event-store/command-context.js';
import type { Executor } from '#projections/projection.js';
import { type CommandServices, runCommand } from '../aggregate/run-command.js';
import { nameKey, tidyName } from '../naming/name-key.js';
import { findByNames, findOrCreate, type Named, type NamedResource } from '../naming/named-resource.js';
import {
  decideWorkingPattern,
  evolveWorkingPattern,
  initialWorkingPattern,
  type WorkingPattern,
  type WorkingPatternEvent,
  type WorkingPatternState,
} from './working-pattern.decider.js';

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

/** The organisation's patterns of these labels, see {@link findByNames}. */
export function findWorkingPatternsByLabels(
  executor: Executor,
  organisationId: string,
  labels: readonly string[],
): Promise<ReadonlyMap<string, readonly Named[]>> {
  return findByNames(executor, WORKING_PATTERNS, organisationId, labels);
}

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

/** Archives a pattern. Throws `RejectedError` where there is none of this id. */
export async function archiveWorkingPattern(
  services: CommandServices,
  context: CommandContext,
  workingPatternId: string,
): Promise<WorkingPatternState> {
  const { state } = await runCommand(services, context, {
    stream: `${WORKING_PATTERNS.category}-${context.organisationId}.${workingPatternId}`,
    initial: initialWorkingPattern,
    evolve: evolveWorkingPattern,
    decide: (current) => decideWorkingPattern({ type: 'archive' }, current),
    onConflict: 'decide_again',
    part: 'archive',
  });
  return state;
}
