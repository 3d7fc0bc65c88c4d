import { randomUUID } from 'node:crypto';
import { type ApiAnswer, expectError, type SendOptions } from '../api/http-client.js';

/** A write with its body, sent with these headers. */
export type Send = (body: object, options: SendOptions) => Promise<ApiAnswer>;

/** The inputs for testing a write. */
export interface TriedWrite {
  readonly send: Send;
  readonly body: object;
  /** A different body that is also valid. */
  readonly otherBody: object;
  /** The latest entity tag, where the write needs one. */
  readonly tag?: string;
}

/**
 * Checks the common rules of contract part 4 for one write, and returns its answer. A missing key is
 * `idempotency_required`, a missing If-Match `precondition_required` and a stale one `precondition_failed`.
 * The same key replays the same result; with another body it is `idempotency_conflict`.
 */
export async function expectCommonRules<Data>(
  { send, body, otherBody, tag }: TriedWrite,
  status: 200 | 201,
): Promise<Data> {
  expectError(await send(body, { idempotencyKey: null, ifMatch: tag }), 400, 'idempotency_required');
  if (tag !== undefined) {
    expectError(await send(body, {}), 428, 'precondition_required');
    expectError(await send(body, { ifMatch: '"stale"' }), 412, 'precondition_failed');
  }
  const idempotencyKey = randomUUID();
  const first = await send(body, { idempotencyKey, ifMatch: tag });
  expect([first.status, first.headers['idempotent-replayed']]).toEqual([status, undefined]);
  const again = await send(body, { idempotencyKey, ifMatch: tag });
  expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([status, first.text, 'true']);
  expect(again.headers['service-resource-etag']).toBe(first.headers['service-resource-etag']);
  expectError(await send(otherBody, { idempotencyKey, ifMatch: tag }), 409, 'idempotency_conflict');
  return first.json.data as Data;
}
