import type { CommandContext } from '#commands/command-context.js';
import type { ReceiptSeal } from '#commands/receipts/receipt-seal.js';
import { fingerprintOf, type StoredAnswer } from '#commands/receipts/receipts.js';
import type { WriteSession, WriteSessions } from '#commands/write-session.js';
import type { Clock } from '#kernel/clock.js';
import { dateIn } from '#kernel/dates.js';
import type { Json, JsonObject } from '#kernel/json.js';
import type { Checked } from '../fields/check.js';
import type { AuthenticatedKey } from '../keys/authenticated-key.js';
import type { CompiledOperation } from '../operation.js';

/** A write whose input is valid, before its idempotency key is claimed. */
export interface ReceivedWrite {
  readonly compiled: CompiledOperation;
  readonly key: AuthenticatedKey;
  readonly requestId: string;
  readonly idempotencyKey: string;
  /** As the caller sent them: the fingerprint of the request is that of these. */
  readonly sent: { readonly parameters: JsonObject; readonly body: Json };
  readonly parameters: Checked;
  readonly body: Checked;
  /** Encrypts the receipt; null where it may be stored unencrypted. */
  readonly seal: ReceiptSeal | null;
  readonly onLostReceipt: (error: unknown) => void;
}

/** The answer that an earlier attempt stored, or the session and the context in which the command runs. */
export type OpenedWrite =
  { readonly stored: StoredAnswer } | { readonly stored: null; readonly session: WriteSession; readonly command: CommandContext };

/** Begins writes under idempotency keys. */
export class WriteOpening {
  constructor(
    private readonly sessions: WriteSessions,
    private readonly clock: Clock,
  ) {}

  /** Claims the idempotency key, and preloads what the operation declares. Throws what `WriteSessions.begin` throws. */
  async open(write: ReceivedWrite): Promise<OpenedWrite> {
    const { compiled, key, requestId, idempotencyKey, sent, parameters, body, seal, onLostReceipt } = write;
    const fingerprint = fingerprintOf({ method: compiled.method, route: compiled.route, parameters: sent.parameters, body: sent.body });
    // The tenant's id, not its owner's: an answer from before a sandbox was refreshed must not be replayed after it.
    const organisationId = key.organisation.id;
    const receiptKey = { organisationId, environment: key.environment, keyId: key.keyId, idempotencyKey };
    const seed = seedOf(key, idempotencyKey);
    const newId = this.sessions.newIdsOf(organisationId, seed);
    const preload =
      compiled.operation.write?.preload?.(
        organisationId,
        parameters.value as Readonly<Record<string, string>>,
        body.value as never,
        newId,
      ) ?? null;
    const begun = await this.sessions.begin({ receiptKey, fingerprint, requestId, seal, preload, onLostReceipt });
    if (begun.stored !== null) return begun;
    const { session } = begun;
    return { stored: null, session, command: { ...this.contextOf(key, requestId), idempotencyKey, fingerprint, seed, session } };
  }

  /** The context of a command of this key, without what its idempotency key adds. */
  contextOf(key: AuthenticatedKey, requestId: string): Omit<CommandContext, 'idempotencyKey' | 'fingerprint' | 'seed'> {
    return {
      organisationId: key.organisation.id,
      actor: { type: 'api_key', id: key.keyId },
      requestId,
      today: dateIn(key.organisation.timeZone, this.clock.now()),
    };
  }
}

/** The seed of a command: ids of what it creates derive from it, the same for every attempt under an idempotency key. */
export function seedOf(key: AuthenticatedKey, idempotencyKey: string): readonly string[] {
  return [key.ownerOrganisationId, key.environment, key.keyId, idempotencyKey];
}
