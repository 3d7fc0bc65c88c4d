import type { Command, CommandBus } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import type { Answer, Call } from '#http/call.js';
import { HttpError } from '#http/errors.js';
import { send } from '#http/send.js';

/**
 * Sends a command about access, as `send` does. Throws {@link HttpError} (403) in a sandbox, whose test keys
 * and users belong to the live organisation.
 */
export async function sendAsManager<Result>(
  commands: CommandBus,
  call: Pick<Call<unknown, unknown, unknown>, 'key' | 'command'>,
  commandOf: (context: CommandContext) => Command<Result>,
  present?: (result: Result) => Answer,
): Promise<Answer> {
  if (call.key.environment === 'sandbox') {
    const issue = 'API keys and users are managed on the live address';
    throw new HttpError('permission_denied', { details: [{ field: 'environment', issue }] });
  }
  return send(commands, call, commandOf, present);
}
