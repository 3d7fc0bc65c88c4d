import { HttpError } from '#http/errors.js';
import { MAX_MESSAGES } from './call-sequence.js';

/**
 * Refuses a batch (400) with too many messages, or one that could not be answered: two of its requests have
 * one id, or it cancels a request of its own before it begins. Other bodies are passed to the protocol's
 * library.
 */
export function assertBatch(body: unknown): void {
  if (!Array.isArray(body)) return;
  if (body.length > MAX_MESSAGES) throw refused(`has ${body.length} messages, and a batch has at most ${MAX_MESSAGES}`);
  const ids = new Set<unknown>();
  for (const message of body as readonly unknown[]) {
    const { id, method } = (typeof message === 'object' && message !== null ? message : {}) as {
      readonly id?: unknown;
      readonly method?: unknown;
    };
    if (method === 'notifications/cancelled') throw refused('cancels a request: a batch is answered whole');
    if (id === undefined || method === undefined) continue;
    if (ids.has(id)) throw refused('has two requests with one id');
    ids.add(id);
  }
}

function refused(issue: string): HttpError {
  return new HttpError('invalid_request', { details: [{ field: 'body', issue }] });
}
