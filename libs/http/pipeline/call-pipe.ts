import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Injectable, type PipeTransform } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { CommandContext } from '#commands/command-context.js';
import { ReceiptSeal } from '#commands/receipts/receipt-seal.js';
import type { Json, JsonObject } from '#kernel/json.js';
import { yieldToEventLoop } from '#kernel/yield-to-event-loop.js';
import type { Call } from '../call.js';
import type { Endpoint } from '../endpoint.js';
import { HttpError } from '../errors.js';
import { assertValid, type Checked, type TextValues } from '../fields/check.js';
import { type Envelope, ReceivedRequest } from '../operation.js';
import type { Sights } from '../sight.js';
import { admissionOf, type DeclaredInput, openSight } from './people-check.js';
import { readBody } from './request-body.js';
import { addressOf, parseIdempotencyKey, parseIfMatch, parseIfNoneMatch } from './request-headers.js';
import { stateOf } from './request-state.js';
import { simulatedError } from './simulation.js';
import { takesLargeBodies, type WriteOpening, type WriteRoute } from './writes.js';

type CheckedCall = Call<unknown, unknown, unknown>;

/** A valid write as it was sent. */
interface SentWrite {
  readonly sent: unknown;
  readonly idempotencyKey: string;
  /** Whether its receipt is encrypted with the credential of the caller. */
  readonly isSealed: boolean;
}

/**
 * Makes the checked call of an admitted request: body, Idempotency-Key, schemas, stored receipt and If-Match,
 * in this order (docs/reference/http.md). Leaves other parameters of controllers unchanged.
 */
@Injectable()
export class CallPipe implements PipeTransform {
  constructor(
    private readonly opening: WriteOpening,
    private readonly sights: Sights,
  ) {}

  /**
   * Throws `HttpError`, or `AnsweredError` with the response that an earlier attempt stored under the
   * idempotency key.
   */
  async transform(value: unknown): Promise<unknown> {
    if (!(value instanceof ReceivedRequest)) return value;
    const request = value.request as FastifyRequest;
    const { compiled, endpoint, simulation } = stateOf(request);
    if (endpoint !== null) return this.receiveCall(request, endpoint, value.status);
    const call = await (compiled!.operation.write === undefined
      ? this.receiveRead(request)
      : this.receiveWrite(request));
    const refusal = simulatedError(simulation, 'late');
    if (refusal !== null) throw refusal;
    return call;
  }

  /**
   * The call of an endpoint. A repeat of a write is answered from its receipt if the request has an
   * idempotency key, as those of the console have, and decided again without one.
   */
  private async receiveCall(request: FastifyRequest, endpoint: Endpoint, status: number): Promise<CheckedCall> {
    const sent = await readBody(request, request.body as IncomingMessage | undefined);
    const input = await this.checkedInput(request, endpoint, endpoint, endpoint.checkBody(sent));
    const command =
      endpoint.writes !== undefined
        ? { ...(await this.contextOf(request, endpoint, { sent, status })), ...admitting(endpoint, input) }
        : null;
    return { ...input, ifMatch: parseIfMatch(request.headers['if-match']), command };
  }

  private async contextOf(
    request: FastifyRequest,
    { name }: Endpoint,
    { sent, status }: { readonly sent: unknown; readonly status: number },
  ): Promise<CommandContext> {
    const state = stateOf(request);
    const named = header(request, 'idempotency-key');
    if (named === undefined) {
      const context = this.opening.contextOf(state.key!, request.id);
      return { ...context, idempotencyKey: null, fingerprint: null, seed: [name!, randomUUID()] };
    }
    const route = {
      method: request.method,
      route: request.routeOptions.url!,
      serialise: status === 204 ? null : ({ data }: Envelope) => JSON.stringify({ data }),
      operation: { successStatus: status },
    };
    return this.open(request, route, { sent, idempotencyKey: parseIdempotencyKey(named), isSealed: true });
  }

  private async receiveWrite(request: FastifyRequest): Promise<CheckedCall> {
    const compiled = stateOf(request).compiled!;
    const sent = await readBody(request, request.body as IncomingMessage | undefined);
    const idempotencyKey = parseIdempotencyKey(header(request, 'idempotency-key'));
    const input = await this.checkedInput(request, compiled, compiled.operation, compiled.checkBody(sent));
    if (takesLargeBodies(compiled)) await yieldToEventLoop();
    const isSealed = compiled.operation.write?.receipt === 'sealed';
    const command = await this.open(request, compiled, { sent, idempotencyKey, isSealed });
    const ifMatch = parseIfMatch(request.headers['if-match']);
    return { ...input, ifMatch, command: { ...command, ...admitting(compiled.operation, input) } };
  }

  /** Opens a write under its idempotency key, and returns the context of its command. */
  private async open(
    request: FastifyRequest,
    compiled: WriteRoute,
    { sent, idempotencyKey, isSealed }: SentWrite,
  ): Promise<CommandContext> {
    const state = stateOf(request);
    const { write, command } = await this.opening.open({
      compiled,
      key: state.key!,
      requestId: request.id,
      idempotencyKey,
      sent: { parameters: { ...(request.params as JsonObject) }, body: (sent ?? null) as Json },
      seal: isSealed ? new ReceiptSeal(state.credential!) : null,
    });
    state.write = write;
    return command;
  }

  private async receiveRead(request: FastifyRequest): Promise<CheckedCall> {
    const state = stateOf(request);
    const compiled = state.compiled!;
    const input = await this.checkedInput(request, compiled, compiled.operation);
    const ifMatch = parseIfMatch(request.headers['if-match']);
    if (compiled.operation.entityTag === true) state.knownTags = parseIfNoneMatch(request.headers['if-none-match']);
    return { ...input, ifMatch, command: null };
  }

  /** Throws `HttpError` with every problem of query, path and body, and for people out of sight. */
  private async checkedInput(
    request: FastifyRequest,
    checks: Pick<Endpoint, 'checkQuery' | 'checkParameters'>,
    declared: DeclaredInput,
    body?: Checked,
  ): Promise<Omit<CheckedCall, 'ifMatch' | 'command'>> {
    const input = validInput(request, checks, body);
    return { ...input, sight: await openSight(this.sights, input.key, declared, input) };
  }
}

/** The admission of a command, if its caller needs one. */
function admitting(
  declared: DeclaredInput,
  input: Omit<CheckedCall, 'ifMatch' | 'command'>,
): Pick<CommandContext, 'admission'> {
  const admission = admissionOf(input.sight, declared, input);
  return admission === undefined ? {} : { admission };
}

/** Throws `HttpError` with every problem of query, path and body. */
function validInput(
  request: FastifyRequest,
  { checkQuery, checkParameters }: Pick<Endpoint, 'checkQuery' | 'checkParameters'>,
  body: Checked = { value: undefined, issues: [] },
): Omit<CheckedCall, 'ifMatch' | 'command' | 'sight'> {
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
