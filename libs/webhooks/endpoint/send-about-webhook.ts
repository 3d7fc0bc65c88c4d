import type { Answer } from '#http/call.js';
import { send } from '#http/send.js';
import { found, RejectedError } from '#kernel/rejection.js';

/**
 * Sends a command about an endpoint, as `send` does. Reports a missing endpoint without a field: its id is in
 * the path.
 */
export async function sendAboutWebhook<Result>(...sent: Parameters<typeof send<Result>>): Promise<Answer> {
  try {
    return await send(...sent);
  } catch (error) {
    if (error instanceof RejectedError && error.rejection.kind === 'not_found') return found<Answer>(null);
    throw error;
  }
}
