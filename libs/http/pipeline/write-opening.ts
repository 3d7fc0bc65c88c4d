import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import { fingerprintInTurns, fingerprintOf } from '#commands/receipts/fingerprint.js';
import type { ReceiptSeal } from '#commands/receipts/receipt-seal.js';
import type { StoredAnswer } from '#commands/receipts/receipts.js';
import type { Clock } from '#kernel/clock.js';
import { dateIn, type LocalDate } from '#kernel/dates.js';
import type { Json, JsonObject } from '#kernel/json.js';
import type { AuthenticatedKey } from '../keys/authenticated-key.js';
import type { CompiledOperation } from '../operation.js';
import { WriteAnswer } from './write-answer.js';

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

/** Whether bodies of an operation may be so large that reading one takes many milliseconds. */
export function takesLargeBodies({ operation }: Pick<CompiledOperation, 'operation'>): boolean {
  return operation.bodyLimit !== undefined;
}
