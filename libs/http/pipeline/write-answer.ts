import type { Pool } from 'pg';
import type { ReceiptSeal } from '#commands/receipts/receipt-seal.js';
import {
  findAnswer,
  type GivenAnswer,
  keepAnswerAlone,
  type PendingReceipt,
  type ReceiptKey,
  type StoredAnswer,
} from '#commands/receipts/receipts.js';
import type { Answer } from '../call.js';
import type { CompiledOperation } from '../operation.js';

/** The answer to a write as the caller gets it. */
export interface ShownAnswer {
  readonly status: number;
  readonly body: string;
  readonly entityTag: string | null;
  /** Whether an earlier attempt recorded what it shows, so that the caller may have seen it already. */
  readonly isReplay: boolean;
}

/** The receipt of a write, and the answer that the pipeline sends once the unit of work is committed. */
export class WriteAnswer implements PendingReceipt {
  /** Null until a unit of work has stored the receipt, or the answer was kept alone. */
  shown: ShownAnswer | null = null;
  erasures = 0;
  readonly key: ReceiptKey;
  readonly requestId: string;
  readonly fingerprint: string;

  /** @param parts.seal - encrypts the receipt; null where it may be stored unencrypted */
  constructor(
    private readonly parts: {
      readonly pool: Pool;
      readonly compiled: CompiledOperation;
      readonly key: ReceiptKey;
      readonly fingerprint: string;
      readonly requestId: string;
      readonly seal: ReceiptSeal | null;
    },
  ) {
    this.key = parts.key;
    this.requestId = parts.requestId;
    this.fingerprint = parts.seal?.fingerprint(parts.fingerprint) ?? parts.fingerprint;
  }

  /** Returns the answer that an earlier attempt has stored; null where there is none. Throws `IdempotencyMismatchError`. */
  async earlier(): Promise<StoredAnswer | null> {
    const found = await findAnswer(this.parts.pool, this.key, this.fingerprint);
    if (found.stored !== null) return this.opened(found.stored);
    ({ erasures: this.erasures } = found);
    return null;
  }

  /** Decrypts a stored answer. */
  opened(stored: StoredAnswer): StoredAnswer {
    const { seal } = this.parts;
    return seal === null ? stored : { ...stored, body: seal.open(stored.body) };
  }

  answerOf(result: unknown, isReplay: boolean): GivenAnswer {
    const { operation, serialise } = this.parts.compiled;
    const answer = (result ?? {}) as Answer;
    const status = answer.status ?? operation.successStatus;
    const entityTag = answer.entityTag ?? null;
    const textOf = (data: unknown): string => (serialise === null ? '' : serialise(data, answer.nextCursor ?? null));
    const repeated = operation.redactForReplay === undefined ? answer.data : operation.redactForReplay(answer.data as object);
    const body = textOf(isReplay ? repeated : answer.data);
    this.shown = { status, body, entityTag, isReplay };
    return this.sealed({ status, body: repeated === answer.data ? body : textOf(repeated), entityTag });
  }

  /** Stores the answer of an operation that recorded nothing in a unit of work. Throws what `keepAnswerAlone` throws. */
  async keep(answer: Answer): Promise<void> {
    await keepAnswerAlone(this.parts.pool, this, this.answerOf(answer, false));
  }

  /** Stores a refusal by the domain, durably: no event could restore it. Throws what `keepAnswerAlone` throws. */
  async refuse(answer: GivenAnswer): Promise<void> {
    await keepAnswerAlone(this.parts.pool, this, this.sealed(answer));
  }

  private sealed(answer: GivenAnswer): GivenAnswer {
    const { seal } = this.parts;
    return seal === null ? answer : { ...answer, body: seal.seal(answer.body) };
  }
}
