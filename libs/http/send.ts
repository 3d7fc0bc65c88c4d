import type { Command, CommandBus } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import type { PendingReceipt } from '#commands/receipts/receipts.js';
import type { Answer, Call } from './call.js';

/**
 * The context of the commands of a call whose response is read after them: the pipeline stores that response
 * once it is known.
 */
export function withoutReceipt({ command }: Pick<Call<unknown, unknown, unknown>, 'command'>): CommandContext {
  const { receipt: _, ...context } = command!;
  return context;
}

/**
 * Sends the command of a call, and returns its result as `present` converts it: without a body by default.
 * The receipt stores the same response, in the unit of work that records the result. Throws the handler's
 * errors.
 */
export async function send<Result>(
  commands: CommandBus,
  call: Pick<Call<unknown, unknown, unknown>, 'command'>,
  commandOf: (context: CommandContext) => Command<Result>,
  present: (result: Result) => Answer = () => ({}),
): Promise<Answer> {
  const { receipt, ...context } = call.command!;
  const command = commandOf(receipt === undefined ? context : { ...context, receipt: presenting(receipt, present) });
  return present(await commands.execute(command));
}

function presenting<Result>(receipt: PendingReceipt, present: (result: Result) => Answer): PendingReceipt {
  const { key, fingerprint, requestId, erasures } = receipt;
  return {
    key,
    fingerprint,
    requestId,
    erasures,
    answerOf: (result, isReplay) => receipt.answerOf(present(result as Result), isReplay),
  };
}
