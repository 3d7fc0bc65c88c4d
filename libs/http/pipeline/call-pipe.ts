import type { IncomingMessage } from 'node:http';
import { Injectable, type PipeTransform } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ReceiptSeal } from '#commands/receipts/receipt-seal.js';
import { AnsweredError } from '#commands/receipts/receipts.js';
import type { Json, JsonObject } from '#kernel/json.js';
import { ownTurn } from '#kernel/own-turn.js';
import type { Call } from '../call.js';
import { HttpError } from '../errors.js';
import { assertValid, type TextValues } from '../fields/check.js';
import { parseIfNoneMatch } from '../headers/read-headers.js';
import { addressOf } from '../headers/request-address.js';
import { simulatedError } from '../headers/simulation.js';
import { parseIdempotencyKey, parseIfMatch } from '../headers/write-headers.js';
import { ReceivedRequest } from '../operation.js';
import { readBody } from './request-body.js';
import { stateOf } from './request-state.js';
import { takesLargeBodies, type WriteOpening } from './write-opening.js';

type CheckedCall = Call<unknown, unknown, unknown>;

/**
 * Makes the checked call of an admitted request: body, Idempotency-Key, schemas, stored receipt and If-Match, in this order
 * (docs/reference/http.md). Leaves any other parameter of a controller as it is.
 */
@Injectable()
export class CallPipe implements PipeTransform {
  constructor(private readonly opening: WriteOpening) {}

  /** Throws `HttpError`, and `AnsweredError` with the answer that an earlier attempt stored under the idempotency key. */
  async transform(value: unknown): Promise<unknown> {
    if (!(value instanceof ReceivedRequest)) return value;
    const request = value.request as FastifyRequest;
    const { compiled, simulation } = stateOf(request);
    const call = compiled!.operation.write === undefined ? receiveRead(request) : await this.receiveWrite(request);
    const refusal = simulatedError(simulation, 'late');
    if (refusal !== null) throw refusal;
    return call;
  }

  private async receiveWrite(request: FastifyRequest): Promise<CheckedCall> {
    const state = stateOf(request);
    const compiled = state.compiled!;
    const key = state.key!;
    const sent = await readBody(request, request.body as IncomingMessage | undefined);
    const idempotencyKey = parseIdempotencyKey(header(request, 'idempotency-key'));
    const query = compiled.checkQuery(queryOf(request));
    const parameters = compiled.checkParameters(request.params as TextValues);
    const body = compiled.checkBody(sent);
    assertValid(query, parameters, body);
    if (takesLargeBodies(compiled)) await ownTurn();
    const opened = await this.opening.open({
      compiled,
      key,
      requestId: request.id,
      idempotencyKey,
      sent: { parameters: { ...(request.params as JsonObject) }, body: (sent ?? null) as Json },
      seal: compiled.operation.write?.receipt === 'sealed' ? new ReceiptSeal(state.credential!) : null,
    });
    if (opened.stored !== null) throw new AnsweredError(opened.stored);
    state.write = opened.write;
    return {
      requestId: request.id,
      key,
      address: () => addressOf(request),
      body: body.value,
      query: query.value,
      parameters: parameters.value,
      ifMatch: parseIfMatch(request.headers['if-match']),
      command: opened.command,
    };
  }
}

function receiveRead(request: FastifyRequest): CheckedCall {
  const state = stateOf(request);
  const compiled = state.compiled!;
  const query = compiled.checkQuery(queryOf(request));
  const parameters = compiled.checkParameters(request.params as TextValues);
  assertValid(query, parameters);
  const ifMatch = parseIfMatch(request.headers['if-match']);
  if (compiled.operation.entityTag === true) state.knownTags = parseIfNoneMatch(request.headers['if-none-match']);
  return {
    requestId: request.id,
    key: state.key!,
    address: () => addressOf(request),
    body: undefined,
    query: query.value,
    parameters: parameters.value,
    ifMatch,
    command: null,
  };
}

/** Returns the query as text. Without this check, escapes that are not valid UTF-8 would pass undecoded. */
function queryOf(request: FastifyRequest): TextValues {
  const { url } = request;
  const start = url.indexOf('?');
  if (start === -1) return {};
  try {
    decodeURIComponent(url.slice(start + 1));
  } catch (cause) {
    throw new HttpError('invalid_request', { details: [{ field: 'query', issue: 'has an escape that is not valid' }], cause });
  }
  return request.query as TextValues;
}

/** Joins repeated headers with a comma and a blank, as Node does, so that two different keys never look like one. */
function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
