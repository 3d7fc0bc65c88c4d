import type { CommandContext } from '#commands/command-context.js';
import type { PendingReceipt } from '#commands/receipts/receipts.js';
import type { Answer, Call } from './call.js';

/**
 * The context of a call's command whose result is not yet an answer: the receipt stores what `present` makes of it, in the unit of work that
 * records it.
 */
export function answering<Result>(
  call: Pick<Call<unknown, unknown, unknown>, 'command'>,
  present: (result: Result) => Answer,
): CommandContext {
  const { receipt, ...context } = call.command!;
  return receipt === undefined ? context : { ...context, receipt: presenting(receipt, present) };
}

function presenting<Result>(receipt: PendingReceipt, present: (result: Result) => Answer): PendingReceipt {
  const { key, fingerprint, requestId, erasures } = receipt;
  return { key, fingerprint, requestId, erasures, answerOf: (result, isReplay) => receipt.answerOf(present(result as Result), isReplay) };
}
