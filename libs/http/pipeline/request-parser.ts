import type { FastifyRequest } from 'fastify';
import type { CommandContext } from '#commands/command-context.js';
import { fingerprintOf } from '#commands/receipts/fingerprint.js';
import { ReceiptSeal } from '#commands/receipts/receipt-seal.js';
import type { StoredAnswer } from '#commands/receipts/receipts.js';
import type { NewId, Preload, WriteSession, WriteSessions } from '#commands/write-session.js';
import type { Clock } from '#kernel/clock.js';
import { dateIn } from '#kernel/dates.js';
import type { Json, JsonObject } from '#kernel/json.js';
import type { AuthenticatedKey } from '../keys/authenticated-key.js';
import { parseIfMatch } from '../headers/entity-tag.js';
import { HttpError } from '../errors.js';
import type { TextValues } from '../fields/check-text.js';
import { assertValid } from '../fields/checked.js';
import { parseIdempotencyKey } from '../headers/idempotency-key.js';
import type { CompiledOperation } from './compiled-operation.js';
import { reasonOf } from './responder.js';
import { stateOf } from './request-state.js';

/**
 * Makes the call out of an admitted request with a parsed body: Idempotency-Key, schemas, stored receipt, If-Match, in this
 * order (docs/reference/http.md).
 */
export class RequestParser {
  constructor(
    private readonly sessions: WriteSessions,
    private readonly clock: Clock,
  ) {}

  /** Of a read: all in the process. Throws {@link HttpError}. */
  receiveRead(request: FastifyRequest, compiled: CompiledOperation, key: AuthenticatedKey): void {
    const query = compiled.checkQuery(queryOf(request));
    const parameters = compiled.checkParameters(request.params as TextValues);
    assertValid(query, parameters);
    const ifMatch = parseIfMatch(request.headers['if-match']);
    request.call = {
      requestId: request.id,
      key,
      body: undefined,
      query: query.value,
      parameters: parameters.value,
      ifMatch,
      command: null,
    };
  }

  /** Of a write: an answer that is stored already, or null once the call is made and its idempotency key is claimed. */
  async receiveWrite(request: FastifyRequest, compiled: CompiledOperation, key: AuthenticatedKey): Promise<StoredAnswer | null> {
    const idempotencyKey = parseIdempotencyKey(header(request, 'idempotency-key'));
    const query = compiled.checkQuery(queryOf(request));
    const parameters = compiled.checkParameters(request.params as TextValues);
    const body = compiled.checkBody(request.body);
    assertValid(query, parameters, body);
    const fingerprint = fingerprintOf({
      method: compiled.method,
      route: compiled.route,
      parameters: { ...(request.params as JsonObject) },
      body: (request.body ?? null) as Json,
    });
    // Of the tenant, not of its owner: what was answered before a sandbox was refreshed is no answer after it.
    const receiptKey = { organisationId: key.organisation.id, environment: key.environment, keyId: key.keyId, idempotencyKey };
    const seed = [key.ownerOrganisationId, key.environment, key.keyId, idempotencyKey];
    const begun = await this.sessions.begin({
      receiptKey,
      fingerprint,
      requestId: request.id,
      seed,
      seal: compiled.operation.write?.receipt === 'sealed' ? new ReceiptSeal(request.headers.authorization!) : null,
      preload: preloadOf(compiled, key, parameters.value as Readonly<Record<string, string>>, body.value),
      onLostReceipt: (error) => request.log.warn({ request_id: request.id, reason: reasonOf(error) }, 'a receipt could not be kept'),
    });
    if (begun.stored !== null) return begun.stored;
    const { session } = begun;
    stateOf(request).session = session;
    const ifMatch = parseIfMatch(request.headers['if-match']);
    const command = this.commandOf(request.id, key, { idempotencyKey, fingerprint, seed, session });
    request.call = {
      requestId: request.id,
      key,
      body: body.value,
      query: query.value,
      parameters: parameters.value,
      ifMatch,
      command,
    };
    return null;
  }

  private commandOf(
    requestId: string,
    key: AuthenticatedKey,
    write: Pick<CommandContext, 'fingerprint' | 'seed'> & { readonly idempotencyKey: string; readonly session: WriteSession },
  ): CommandContext {
    return {
      ...write,
      organisationId: key.organisation.id,
      actor: { type: 'api_key', id: key.keyId },
      requestId,
      today: dateIn(key.organisation.timeZone, this.clock.now()),
    };
  }
}

/** What the operation reads before it decides, once the ids of the request are known; null where it says nothing of it. */
function preloadOf(
  { operation }: CompiledOperation,
  key: AuthenticatedKey,
  parameters: Readonly<Record<string, string>>,
  body: unknown,
): ((newId: NewId) => Preload) | null {
  const preload = operation.write?.preload;
  return preload === undefined ? null : (newId) => preload(key.organisation.id, parameters, body as never, newId);
}

/** The query as text. Escapes that are no UTF-8 would otherwise pass undecoded. */
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

/** Node joins repeated headers with a comma and a blank, so that two different keys are never mistaken for one. */
function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
