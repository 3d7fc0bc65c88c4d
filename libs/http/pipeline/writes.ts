import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import { fingerprintInTurns, fingerprintOf } from '#commands/receipts/fingerprint.js';
import type { ReceiptSeal } from '#commands/receipts/receipt-seal.js';
import {
  AnsweredError,
  findAnswer,
  type GivenAnswer,
  keepAnswerAlone,
  type PendingReceipt,
  type ReceiptKey,
  type StoredAnswer,
} from '#commands/receipts/receipts.js';
import type { Clock } from '#kernel/clock.js';
import { dateIn } from '#kernel/dates.js';
import type { Json, JsonObject } from '#kernel/json.js';
import type { Answer } from '../call.js';
import type { AuthenticatedKey } from '../keys/authenticated-key.js';
import { type CompiledOperation, envelopeOf } from '../operation.js';

/**
 * The parts of a route that the receipts of its writes depend on; those of an operation, or of an endpoint.
 */
export type WriteRoute = Pick<CompiledOperation, 'method' | 'route' | 'serialise'> & {
  readonly operation: Pick<CompiledOperation['operation'], 'bodyLimit' | 'redactForReplay'> & {
    readonly successStatus: number;
  };
};

/** A write whose input is valid. */
export interface ReceivedWrite {
  readonly compiled: WriteRoute;
  readonly key: AuthenticatedKey;
  readonly requestId: string;
  readonly idempotencyKey: string;
  /** As the caller sent them: the request's fingerprint is calculated from these. */
  readonly sent: { readonly parameters: JsonObject; readonly body: Json };
  /** Encrypts the receipt; null if it may be stored unencrypted. */
  readonly seal: ReceiptSeal | null;
}

/** Begins writes under idempotency keys. */
export class WriteOpening {
  constructor(
    private readonly pool: Pool,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the receipt and the context for the command of a write. Throws `IdempotencyMismatchError`, and
   * `AnsweredError` with the response that an earlier attempt stored under the idempotency key.
   */
  async open({
    compiled,
    key,
    requestId,
    idempotencyKey,
    sent,
    seal,
  }: ReceivedWrite): Promise<{ write: WriteAnswer; command: CommandContext }> {
    const identity = { method: compiled.method, route: compiled.route, ...sent };
    const fingerprint = takesLargeBodies(compiled) ? await fingerprintInTurns(identity) : fingerprintOf(identity);
    // The tenant's id, not its owner's: after a refresh of the sandbox, earlier responses must not be
    // replayed.
    const receiptKey = {
      organisationId: key.organisation.id,
      environment: key.environment,
      keyId: key.keyId,
      idempotencyKey,
    };
    const write = new WriteAnswer(this.pool, compiled, receiptKey, requestId, fingerprint, seal);
    await write.assertUnanswered();
    const seed = seedOf(key, idempotencyKey);
    return { write, command: { ...this.contextOf(key, requestId), idempotencyKey, fingerprint, seed, receipt: write } };
  }

  /** The context of a command of this key, without the idempotency key. */
  contextOf(
    { organisation, actor }: AuthenticatedKey,
    requestId: string,
  ): Omit<CommandContext, 'idempotencyKey' | 'fingerprint' | 'seed'> {
    return {
      organisationId: organisation.id,
      actor,
      requestId,
      today: dateIn(organisation.timeZone, this.clock.now()),
    };
  }
}

/**
 * The seed of a command. The ids of created resources derive from it and are the same for every attempt under
 * an idempotency key.
 */
export function seedOf(key: AuthenticatedKey, idempotencyKey: string): readonly string[] {
  return [key.ownerOrganisationId, key.environment, key.keyId, idempotencyKey];
}

/** Whether bodies of an operation may be so large that reading one takes many milliseconds. */
export function takesLargeBodies({ operation }: Pick<WriteRoute, 'operation'>): boolean {
  return operation.bodyLimit !== undefined;
}

/** The answer to a write as the caller gets it. */
export interface ReturnedAnswer extends GivenAnswer {
  /** Whether an earlier attempt recorded the content, so that the caller may already have received it. */
  readonly isReplay: boolean;
}

/** The receipt of a write, and the response that the pipeline sends once the unit of work is committed. */
export class WriteAnswer implements PendingReceipt {
  /** Null until a unit of work, or `keepAnswerAlone`, has stored the receipt. */
  returned: ReturnedAnswer | null = null;
  erasures = 0;
  readonly fingerprint: string;

  /** @param seal - encrypts the receipt; null if it may be stored unencrypted */
  constructor(
    private readonly pool: Pool,
    private readonly compiled: WriteRoute,
    readonly key: ReceiptKey,
    readonly requestId: string,
    fingerprint: string,
    private readonly seal: ReceiptSeal | null,
  ) {
    this.fingerprint = seal?.fingerprint(fingerprint) ?? fingerprint;
  }

  /**
   * Throws `IdempotencyMismatchError`, and `AnsweredError` with the response that an earlier attempt stored.
   */
  async assertUnanswered(): Promise<void> {
    const found = await findAnswer(this.pool, this.key, this.fingerprint);
    if (found.stored !== null) throw new AnsweredError(this.opened(found.stored));
    this.erasures = found.erasures;
  }

  /** Decrypts a stored response. */
  opened(stored: StoredAnswer): StoredAnswer {
    return this.seal === null ? stored : { ...stored, body: this.seal.open(stored.body) };
  }

  answerOf(result: unknown, isReplay: boolean): GivenAnswer {
    const { operation, serialise } = this.compiled;
    const answer = (result ?? {}) as Answer;
    const status = answer.status ?? operation.successStatus;
    const entityTag = answer.entityTag ?? null;
    const textOf = (data: unknown): string => (serialise === null ? '' : serialise(envelopeOf({ ...answer, data })));
    const repeated =
      operation.redactForReplay === undefined ? answer.data : operation.redactForReplay(answer.data as object);
    const body = textOf(isReplay ? repeated : answer.data);
    this.returned = { status, body, entityTag, isReplay };
    return this.sealed({ status, body: repeated === answer.data ? body : textOf(repeated), entityTag });
  }

  /**
   * Stores the response of an operation that recorded nothing in a unit of work. Throws the errors of
   * `keepAnswerAlone`.
   */
  async keep(answer: Answer): Promise<void> {
    await keepAnswerAlone(this.pool, this, this.answerOf(answer, false));
  }

  /**
   * Stores a refusal by the domain durably, because events cannot restore it. Throws the errors of
   * `keepAnswerAlone`.
   */
  async refuse(answer: GivenAnswer): Promise<void> {
    await keepAnswerAlone(this.pool, this, this.sealed(answer));
  }

  private sealed(answer: GivenAnswer): GivenAnswer {
    return this.seal === null ? answer : { ...answer, body: this.seal.seal(answer.body) };
  }
}
