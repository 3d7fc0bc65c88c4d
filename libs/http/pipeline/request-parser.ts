import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import { fingerprintInTurns, fingerprintOf } from '#commands/receipts/fingerprint.js';
import { ReceiptSeal } from '#commands/receipts/receipt-seal.js';
import type { StoredAnswer } from '#commands/receipts/receipts.js';
import type { Clock } from '#kernel/clock.js';
import { dateIn, type LocalDate } from '#kernel/dates.js';
import { DeepJsonError, type Json, type JsonObject, MOST_JSON_LEVELS, parseJson } from '#kernel/json.js';
import { ownTurn } from '#kernel/own-turn.js';
import { asLine } from '#kernel/plain-text.js';
import type { AuthenticatedKey } from '../keys/authenticated-key.js';
import { addressOf } from '../headers/request-address.js';
import { parseIfNoneMatch } from '../headers/read-headers.js';
import { parseIdempotencyKey, parseIfMatch } from '../headers/write-headers.js';
import { HttpError } from '../errors.js';
import { assertValid, type TextValues } from '../fields/check.js';
import type { CompiledOperation } from '../operation.js';
import { repeatedMember } from './repeated-member.js';
import { stateOf } from './request-state.js';
import { WriteAnswer } from './write-answer.js';

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
    if (compiled.operation.entityTag === true) stateOf(request).knownTags = parseIfNoneMatch(request.headers['if-none-match']);
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

  /** Makes the call of a write and begins it under its idempotency key. Returns the stored answer where there is one, else null. */
  async receiveWrite(request: FastifyRequest, compiled: CompiledOperation, key: AuthenticatedKey): Promise<StoredAnswer | null> {
    const idempotencyKey = parseIdempotencyKey(header(request, 'idempotency-key'));
    const query = compiled.checkQuery(queryOf(request));
    const parameters = compiled.checkParameters(request.params as TextValues);
    const body = compiled.checkBody(request.body);
    assertValid(query, parameters, body);
    if (takesLargeBodies(compiled)) await ownTurn();
    const opened = await this.opening.open({
      compiled,
      key,
      requestId: request.id,
      idempotencyKey,
      sent: { parameters: { ...(request.params as JsonObject) }, body: (request.body ?? null) as Json },
      seal: compiled.operation.write?.receipt === 'sealed' ? new ReceiptSeal(stateOf(request).credential!) : null,
    });
    if (opened.stored !== null) return opened.stored;
    stateOf(request).write = opened.write;
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

/** A write whose input is valid. */
export interface ReceivedWrite {
  readonly compiled: CompiledOperation;
  readonly key: AuthenticatedKey;
  readonly requestId: string;
  readonly idempotencyKey: string;
  /** As the caller sent them: the fingerprint of the request is that of these. */
  readonly sent: { readonly parameters: JsonObject; readonly body: Json };
  /** Encrypts the receipt; null where it may be stored unencrypted. */
  readonly seal: ReceiptSeal | null;
}

/** The answer that an earlier attempt stored, or the receipt and the context with which the command runs. */
export type OpenedWrite =
  { readonly stored: StoredAnswer } | { readonly stored: null; readonly write: WriteAnswer; readonly command: CommandContext };

/** A calendar date, and the minute since 1970 for which it was calculated. */
interface CalculatedDay {
  readonly minute: number;
  readonly date: LocalDate;
}

/** Begins writes under idempotency keys. */
export class WriteOpening {
  /** The latest by time zone. No zone changes its date within a minute. */
  private readonly days = new Map<string, CalculatedDay>();

  constructor(
    private readonly pool: Pool,
    private readonly clock: Clock,
  ) {}

  /** Looks for an answer under the idempotency key. Throws `IdempotencyMismatchError`. */
  async open({ compiled, key, requestId, idempotencyKey, sent, seal }: ReceivedWrite): Promise<OpenedWrite> {
    const identity = { method: compiled.method, route: compiled.route, parameters: sent.parameters, body: sent.body };
    const fingerprint = takesLargeBodies(compiled) ? await fingerprintInTurns(identity) : fingerprintOf(identity);
    // The tenant's id, not its owner's: an answer from before a sandbox was refreshed must not be replayed after it.
    const receiptKey = { organisationId: key.organisation.id, environment: key.environment, keyId: key.keyId, idempotencyKey };
    const write = new WriteAnswer({ pool: this.pool, compiled, key: receiptKey, fingerprint, requestId, seal });
    const stored = await write.earlier();
    if (stored !== null) return { stored };
    const seed = seedOf(key, idempotencyKey);
    return { stored: null, write, command: { ...this.contextOf(key, requestId), idempotencyKey, fingerprint, seed, receipt: write } };
  }

  /** The context of a command of this key, without what its idempotency key adds. */
  contextOf(key: AuthenticatedKey, requestId: string): Omit<CommandContext, 'idempotencyKey' | 'fingerprint' | 'seed'> {
    return {
      organisationId: key.organisation.id,
      actor: key.actor,
      requestId,
      today: this.todayIn(key.organisation.timeZone),
    };
  }

  private todayIn(timeZone: string): LocalDate {
    const now = this.clock.now();
    const minute = Math.floor(now.getTime() / 60_000);
    let day = this.days.get(timeZone);
    if (day?.minute !== minute) {
      day = { minute, date: dateIn(timeZone, now) };
      this.days.set(timeZone, day);
    }
    return day.date;
  }
}

/** The seed of a command: ids of what it creates derive from it, the same for every attempt under an idempotency key. */
export function seedOf(key: AuthenticatedKey, idempotencyKey: string): readonly string[] {
  return [key.ownerOrganisationId, key.environment, key.keyId, idempotencyKey];
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

function takesLargeBodies({ operation }: CompiledOperation): boolean {
  return operation.bodyLimit !== undefined;
}

/** The largest body, in bytes, of an operation that declares no other. */
export const MAXIMUM_BODY_BYTES = 262_144;

/** Accepts only JSON in UTF-8. Fastify's own parsers, such as the one for plain text, are removed. */
export function acceptOnlyJson(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer', bodyLimit: MAXIMUM_BODY_BYTES }, (request, body, done) => {
    try {
      assertJson(request, body as Buffer);
      if (body.length > MAXIMUM_BODY_BYTES) parseInTurns(body as Buffer).then((value) => done(null, value), done);
      else done(null, body.length === 0 ? undefined : parse(body.toString()));
    } catch (error) {
      done(error as Error);
    }
  });
}

function assertJson(request: FastifyRequest, body: Buffer): void {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') throw unsupported('Compressed bodies are not taken.');
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && charset.toLowerCase() !== 'utf-8') throw unsupported('The body must be JSON in UTF-8.');
  if (!isUtf8(body)) throw new HttpError('invalid_request', { details: [{ field: 'body', issue: 'is not UTF-8' }] });
}

/** Reads the body of an operation that takes large ones: other requests have their turns between the steps, each of which takes some 20 ms. */
async function parseInTurns(body: Buffer): Promise<unknown> {
  await ownTurn();
  const text = body.toString();
  await ownTurn();
  const value = parse(text);
  await ownTurn();
  return value;
}

/** The part of the path of a repeated member that an issue repeats, in characters. */
const LONGEST_PATH = 200;

function parse(text: string): unknown {
  const value = valueOf(text);
  const repeated = repeatedMember(text);
  if (repeated === null) return value;
  throw new HttpError('invalid_request', { details: [{ field: asLine(repeated, LONGEST_PATH), issue: 'is given twice' }] });
}

function valueOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    const issue = cause instanceof DeepJsonError ? `is nested more than ${MOST_JSON_LEVELS} levels deep` : 'is not JSON';
    throw new HttpError('invalid_request', { details: [{ field: 'body', issue }], cause });
  }
}

function unsupported(message: string): HttpError {
  return new HttpError('invalid_request', { status: 415, message });
}
