import type { FastifyRequest } from 'fastify';
import type { Statement } from '#database/statement.js';
import { type CommandContext, Repetition } from '#commands/command-context.js';
import type { StreamQuery } from '#event-store/stream-query.js';
import type { IdMint } from '#identifiers/id-mint.js';
import type { Clock } from '#kernel/clock.js';
import { dateIn } from '#kernel/dates.js';
import type { Json, JsonObject } from '#kernel/json.js';
import type { AuthenticatedKey } from '../keys/authenticated-key.js';
import type { RowAndStream } from '../call.js';
import { parseIfMatch } from '../headers/entity-tag.js';
import { HttpError } from '../errors.js';
import type { TextValues } from '../fields/check-text.js';
import { assertValid } from '../fields/checked.js';
import { fingerprintOf } from '#commands/receipts/fingerprint.js';
import { parseIdempotencyKey } from '../headers/idempotency-key.js';
import type { NewId } from '../operation.js';
import { ReceiptSeal } from '#commands/receipts/receipt-seal.js';
import type { Receipts, StoredAnswer } from '#commands/receipts/receipts.js';
import type { CompiledOperation } from './compiled-operation.js';
import { stateOf } from './request-state.js';

/**
 * Makes the call out of an admitted request with a parsed body: Idempotency-Key, schemas, stored receipt, If-Match, in this
 * order (docs/reference/http.md).
 */
export class Reception {
  constructor(
    private readonly receipts: Receipts,
    private readonly clock: Clock,
    /** How streams are read beside the claim; null where events are not in the database of the receipts. */
    private readonly streams: StreamQuery | null,
    private readonly mint: IdMint,
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
      ahead: null,
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
    const receipt = { organisationId: key.organisation.id, environment: key.environment, keyId: key.keyId, idempotencyKey };
    const reads = this.readsOf(compiled, key, idempotencyKey, {
      parameters: parameters.value as Readonly<Record<string, string>>,
      body: body.value,
    });
    const seal = compiled.operation.write?.receipt === 'sealed' ? new ReceiptSeal(request.headers.authorization!) : null;
    const since = performance.now();
    const claim = await this.receipts.claim(receipt, seal?.fingerprint(fingerprint) ?? fingerprint, request.id, reads);
    if (claim.stored !== null) return seal === null ? claim.stored : { ...claim.stored, body: seal.open(claim.stored.body) };
    Object.assign(stateOf(request), { receipt, receiptSeal: seal });
    const ahead =
      reads === null ? null : this.readAhead(since, claim.ahead as { readonly is_there: true | null; readonly stream_events: unknown });
    const ifMatch = parseIfMatch(request.headers['if-match']);
    const command = this.commandOf(request.id, key, { idempotencyKey, fingerprint });
    request.call = {
      requestId: request.id,
      key,
      body: body.value,
      query: query.value,
      parameters: parameters.value,
      ifMatch,
      command,
      ahead,
    };
    return null;
  }

  private readsOf(
    compiled: CompiledOperation,
    key: AuthenticatedKey,
    idempotencyKey: string,
    { parameters, body }: { readonly parameters: Readonly<Record<string, string>>; readonly body: unknown },
  ): Statement | null {
    const read = compiled.operation.write?.readAhead;
    if (read === undefined || this.streams === null) return null;
    const newId: NewId = (kind) => this.mint.prefixed(kind, key.organisation.id, ...seedOf(key, idempotencyKey));
    const { row, stream } = read(key.organisation.id, parameters, body as never, newId);
    const values = [...row.values, stream];
    const text = `select true as is_there, row.*, ${this.streams.expression(`$${values.length}`)} as stream_events from (${row.text}) row`;
    return { name: row.name, text, values };
  }

  private readAhead(since: number, claimed: { readonly is_there: true | null; readonly stream_events: unknown }): RowAndStream {
    return { row: claimed.is_there === null ? undefined : claimed, events: this.streams!.eventsOf(claimed.stream_events), since };
  }

  private commandOf(
    requestId: string,
    key: AuthenticatedKey,
    request: { readonly idempotencyKey: string; readonly fingerprint: string },
  ): CommandContext {
    return {
      organisationId: key.organisation.id,
      actor: { type: 'api_key', id: key.keyId },
      requestId,
      idempotencyKey: request.idempotencyKey,
      fingerprint: request.fingerprint,
      seed: seedOf(key, request.idempotencyKey),
      today: dateIn(key.organisation.timeZone, this.clock.now()),
      repetition: new Repetition(),
    };
  }
}

/** What every id of a request derives from. */
function seedOf(key: AuthenticatedKey, idempotencyKey: string): readonly string[] {
  return [key.ownerOrganisationId, key.environment, key.keyId, idempotencyKey];
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
