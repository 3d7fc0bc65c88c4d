import type { Statement } from '#database/statement.js';
import type { CommandContext } from './command-context.js';
import type { EventStore } from '#event-store/event-store.js';
import { type CommandResult, handleCommand, type StreamCommand } from './handle-command.js';
import type { IdMint } from '#identifiers/id-mint.js';
import type { DomainEvent } from '#kernel/decider.js';
import type { Projector } from '#projections/projector.js';
import type { Connections } from './locks/turns.js';
import { writeAtOnce } from './recorder.js';

/** What commands need. */
export interface CommandServices {
  readonly store: EventStore;
  /** Reaches the read tables. */
  readonly executor: Connections;
  readonly projector: Projector;
  readonly mint: IdMint;
}

/** What writing what exists already needs: no new ids. */
export type WritingServices = Omit<CommandServices, 'mint'>;

/**
 * Loads, decides, appends, and projects the stream at once, so that every later read sees it. Also a command that
 * records nothing projects: it repairs what a crash between append and projection left. Throws what `handleCommand` does.
 */
export async function runCommand<State, Event extends DomainEvent>(
  services: WritingServices,
  context: CommandContext,
  command: StreamCommand<State, Event>,
): Promise<CommandResult<State>> {
  const result = await handleCommand(services.store, context, command);
  if (result.events.length > 0) await services.projector.project(services.executor, [result.events]);
  return result;
}

/** Writes the rows of what a command has appended: when its session records the receipt, at once where it has none. */
export async function writeRows(
  { executor }: Pick<WritingServices, 'executor'>,
  { session }: CommandContext,
  rows: readonly Statement[],
): Promise<void> {
  if (session === undefined) await writeAtOnce(executor, rows);
  else session.addRows(rows);
}
