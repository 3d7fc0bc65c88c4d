import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Injectable, type PipeTransform } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ReceiptSeal } from '#commands/receipts/receipt-seal.js';
import type { Json, JsonObject } from '#kernel/json.js';
import { yieldToEventLoop } from '#kernel/yield-to-event-loop.js';
import type { Call } from '../call.js';
import type { Endpoint } from '../endpoint.js';
import { HttpError } from '../errors.js';
import { assertValid, type Checked, type TextValues } from '../fields/check.js';
import { ReceivedRequest } from '../operation.js';
import { readBody } from './request-body.js';
import { addressOf, parseIdempotencyKey, parseIfMatch, parseIfNoneMatch } from './request-headers.js';
import { stateOf } from './request-state.js';
import { simulatedError } from './simulation.js';
import { takesLargeBodies, type WriteOpening } from './writes.js';

type CheckedCall = Call<unknown, unknown, unknown>;

/**
 * Makes the checked call of an admitted request: body, Idempotency-Key, schemas, stored receipt and If-Match,
 * in this order (docs/reference/http.md). Leaves other parameters of controllers unchanged.
 */
@Injectable()
export class CallPipe implements PipeTransform {
  constructor(private readonly opening: WriteOpening) {}

  /**
   * Throws `HttpError`, or `AnsweredError` with the response that an earlier attempt stored under the
   * idempotency key.
   */
  async transform(value: unknown): Promise<unknown> {
    if (!(value instanceof ReceivedRequest)) return value;
    const request = value.request as FastifyRequest;
    const { compiled, endpoint, simulation } = stateOf(request);
    if (endpoint !== null) return this.receiveCall(request, endpoint);
    const call = compiled!.operation.write === undefined ? receiveRead(request) : await this.receiveWrite(request);
    const refusal = simulatedError(simulation, 'late');
    if (refusal !== null) throw refusal;
    return call;
  }

  /** The call of an endpoint. A repeated request is decided again, because it has no idempotency key. */
  private async receiveCall(request: FastifyRequest, endpoint: Endpoint): Promise<CheckedCall> {
    const key = stateOf(request).key!;
    const body = endpoint.checkBody(await readBody(request, request.body as IncomingMessage | undefined));
    const input = checkedInput(request, endpoint, body);
    const command =
      endpoint.writes === true
        ? {
            ...this.opening.contextOf(key, request.id),
            idempotencyKey: null,
            fingerprint: null,
            seed: [endpoint.name!, randomUUID()],
          }
        : null;
    return { ...input, ifMatch: null, command };
  }

  private async receiveWrite(request: FastifyRequest): Promise<CheckedCall> {
    const state = stateOf(request);
    const compiled = state.compiled!;
    const sent = await readBody(request, request.body as IncomingMessage | undefined);
    const idempotencyKey = parseIdempotencyKey(header(request, 'idempotency-key'));
    const input = checkedInput(request, compiled, compiled.checkBody(sent));
    if (takesLargeBodies(compiled)) await yieldToEventLoop();
    const { write, command } = await this.opening.open({
      compiled,
      key: state.key!,
      requestId: request.id,
      idempotencyKey,
      sent: { parameters: { ...(request.params as JsonObject) }, body: (sent ?? null) as Json },
      seal: compiled.operation.write?.receipt === 'sealed' ? new ReceiptSeal(state.credential!) : null,
    });
    state.write = write;
    return { ...input, ifMatch: parseIfMatch(request.headers['if-match']), command };
  }
}

function receiveRead(request: FastifyRequest): CheckedCall {
  const state = stateOf(request);
  const input = checkedInput(request, state.compiled!);
  const ifMatch = parseIfMatch(request.headers['if-match']);
  if (state.compiled!.operation.entityTag === true)
    state.knownTags = parseIfNoneMatch(request.headers['if-none-match']);
  return { ...input, ifMatch, command: null };
}

/** Throws `HttpError` with every problem of query, path and body. */
function checkedInput(
  request: FastifyRequest,
  { checkQuery, checkParameters }: Pick<Endpoint, 'checkQuery' | 'checkParameters'>,
  body: Checked = { value: undefined, issues: [] },
): Omit<CheckedCall, 'ifMatch' | 'command'> {
  const query = checkQuery(queryOf(request));
  const parameters = checkParameters(request.params as TextValues);
  assertValid(query, parameters, body);
  const address = (): string => addressOf(request);
  return {
    requestId: request.id,
    key: stateOf(request).key!,
    address,
    body: body.value,
    query: query.value,
    parameters: parameters.value,
  };
}

/** Returns the query as text. Without this check, invalid UTF-8 escapes would pass undecoded. */
function queryOf(request: FastifyRequest): TextValues {
  const { url } = request;
  const start = url.indexOf('?');
  if (start === -1) return {};
  try {
    decodeURIComponent(url.slice(start + 1));
  } catch (cause) {
    throw new HttpError('invalid_request', {
      details: [{ field: 'query', issue: 'has an invalid escape sequence' }],
      cause,
    });
  }
  return request.query as TextValues;
}

/**
 * Joins repeated headers with a comma and a space, as Node does, so that two different keys never look like
 * one.
 */
function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
