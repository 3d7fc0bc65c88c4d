import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { StoredAnswer } from '#commands/receipts/receipts.js';
import { ReceiptSeal } from '#commands/receipts/receipt-seal.js';
import type { Json, JsonObject } from '#kernel/json.js';
import type { AuthenticatedKey } from '../keys/authenticated-key.js';
import { addressOf } from '../headers/request-address.js';
import { parseIdempotencyKey, parseIfMatch } from '../headers/write-headers.js';
import { HttpError } from '../errors.js';
import { assertValid, type TextValues } from '../fields/check.js';
import type { CompiledOperation } from '../operation.js';
import { reasonOf } from './responder.js';
import { stateOf } from './request-state.js';
import type { WriteOpening } from './write-opening.js';

/**
 * Makes the call from an admitted request with a parsed body. It handles Idempotency-Key, schemas, stored receipt and If-Match,
 * in this order (docs/reference/http.md).
 */
export class RequestParser {
  constructor(private readonly opening: WriteOpening) {}

  /** Makes the call of a read, without I/O. Throws {@link HttpError}. */
  receiveRead(request: FastifyRequest, compiled: CompiledOperation, key: AuthenticatedKey): void {
    const query = compiled.checkQuery(queryOf(request));
    const parameters = compiled.checkParameters(request.params as TextValues);
    assertValid(query, parameters);
    const ifMatch = parseIfMatch(request.headers['if-match']);
    request.call = {
      requestId: request.id,
      key,
      address: () => addressOf(request),
      body: undefined,
      query: query.value,
      parameters: parameters.value,
      ifMatch,
      command: null,
    };
  }

  /** Makes the call of a write and claims its idempotency key. Returns the stored answer where there is one, else null. */
  async receiveWrite(request: FastifyRequest, compiled: CompiledOperation, key: AuthenticatedKey): Promise<StoredAnswer | null> {
    const idempotencyKey = parseIdempotencyKey(header(request, 'idempotency-key'));
    const query = compiled.checkQuery(queryOf(request));
    const parameters = compiled.checkParameters(request.params as TextValues);
    const body = compiled.checkBody(request.body);
    assertValid(query, parameters, body);
    const opened = await this.opening.open({
      compiled,
      key,
      requestId: request.id,
      idempotencyKey,
      sent: { parameters: { ...(request.params as JsonObject) }, body: (request.body ?? null) as Json },
      parameters,
      body,
      seal: compiled.operation.write?.receipt === 'sealed' ? new ReceiptSeal(request.headers.authorization!) : null,
      onLostReceipt: (error) => request.log.warn({ request_id: request.id, reason: reasonOf(error) }, 'a receipt could not be kept'),
    });
    if (opened.stored !== null) return opened.stored;
    stateOf(request).session = opened.session;
    const ifMatch = parseIfMatch(request.headers['if-match']);
    request.call = {
      requestId: request.id,
      key,
      address: () => addressOf(request),
      body: body.value,
      query: query.value,
      parameters: parameters.value,
      ifMatch,
      command: opened.command,
    };
    return null;
  }
}

/** Returns the query as text. Without this check, escapes that are not valid UTF-8 would pass undecoded. */
function queryOf(request: FastifyRequest): TextValues {
  const { url } = request;
  const start = url.indexOf('?');
  if (start === -1) return NO_VALUES;
  if (url.includes('%', start)) {
    try {
      decodeURIComponent(url.slice(start + 1));
    } catch (cause) {
      throw new HttpError('invalid_request', { details: [{ field: 'query', issue: 'has an escape that is not valid' }], cause });
    }
  }
  return request.query as TextValues;
}

const NO_VALUES: TextValues = {};

/** Joins repeated headers with a comma and a blank, as Node does, so that two different keys never look like one. */
function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** The largest body, in bytes. */
export const MAXIMUM_BODY_BYTES = 262_144;

/** Accepts only JSON in UTF-8. Fastify's own parsers, such as the one for plain text, are removed. */
export function acceptOnlyJson(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer', bodyLimit: MAXIMUM_BODY_BYTES }, (request, body, done) => {
    try {
      done(null, parse(request, body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

function parse(request: FastifyRequest, body: Buffer): unknown {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') throw unsupported('Compressed bodies are not taken.');
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && charset.toLowerCase() !== 'utf-8') throw unsupported('The body must be JSON in UTF-8.');
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw new HttpError('invalid_request', { details: [{ field: 'body', issue: 'is not UTF-8' }] });
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch (cause) {
    throw new HttpError('invalid_request', { details: [{ field: 'body', issue: 'is not JSON' }], cause });
  }
}

function unsupported(message: string): HttpError {
  return new HttpError('invalid_request', { status: 415, message });
}
