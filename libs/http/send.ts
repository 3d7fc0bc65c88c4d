import type { Command, CommandBus } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { answering } from './answering.js';
import type { Answer, Call } from './call.js';

/**
 * Sends the command of a call, and returns what `present` makes of its result. The receipt stores the same, in the unit of work that records
 * the result. Throws what the handler throws.
 */
export async function send<Result>(
  commands: CommandBus,
  call: Pick<Call<unknown, unknown, unknown>, 'command'>,
  commandOf: (context: CommandContext) => Command<Result>,
  present: (result: Result) => Answer,
): Promise<Answer> {
  return present(await commands.execute(commandOf(answering(call, present))));
}
