import type { Command } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import type { Executor } from '#projections/projection.js';
import { commandServices, operatorContext } from './command-context.js';
import type { Installation } from './installation.js';
import { orSentence } from './rejection-sentence.js';

/** Makes a command, of what it may look up first. */
export type CommandOf<Result> = (context: CommandContext, executor: Executor) => Command<Result> | Promise<Command<Result>>;

/** Sends a command of the user of this process over a command bus. Throws `CommandError` for a rejection by the domain. */
export function sendAsOperator<Result>(
  installation: Installation,
  organisation: Parameters<typeof operatorContext>[0],
  commandOf: CommandOf<Result>,
): Promise<Result> {
  return orSentence(async () => {
    const { openCommandBus } = await import('#resources/command-bus.js');
    const commands = await openCommandBus({ ...commandServices(installation), executor: installation.pool });
    return commands.execute(await commandOf(operatorContext(organisation), installation.pool));
  });
}
