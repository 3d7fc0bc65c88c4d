import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type ApiAnswer, expectError } from './http-client.js';

/**
 * Sends a write as integrators do: again under the same idempotency key, after the time that Retry-After
 * names, while the service is too busy (503), as on a slow machine, or the first request under the key still
 * runs.
 */
export async function patiently<Data>(
  send: (idempotencyKey: string) => Promise<ApiAnswer<Data>>,
): Promise<ApiAnswer<Data>> {
  const idempotencyKey = randomUUID();
  for (;;) {
    const answer = await send(idempotencyKey);
    const isRunning = answer.json.error?.details?.[0]?.issue === 'in_progress';
    if (isRunning) expectError(answer, 409, 'idempotency_conflict', 'Idempotency-Key');
    if (!isRunning && answer.status !== 503) return answer;
    await wait(Number(answer.headers['retry-after']) * 1_000);
  }
}
