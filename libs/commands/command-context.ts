import type { LocalDate } from '#kernel/dates.js';
import type { Actor, Approval } from '#event-store/event-store.js';
import type { PendingReceipt } from './receipts/receipts.js';
import type { WritingServices } from './services.js';

/** The locks of a unit of work, which it keeps until it ends. */
export interface UnitLocks {
  readonly hold: (names: {
    readonly shared?: readonly string[];
    readonly exclusive?: readonly string[];
  }) => Promise<void>;
  readonly holds: (name: string) => boolean;
}

/**
 * Checks under locks of the unit of work whether the sender may still write. Throws where a change that was
 * committed after the request arrived ended the right.
 */
export type Admission = (services: WritingServices, unit: UnitLocks) => Promise<void>;

/**
 * The context of a command: its sender, its organisation and its day. The API and the command line both
 * create one.
 */
export interface CommandContext {
  readonly organisationId: string;
  readonly actor: Actor;
  /** For a proposed write: the approving actor. Its events record both actors. */
  readonly approval?: Approval;
  readonly requestId: string | null;
  readonly idempotencyKey: string | null;
  /** SHA-256 of method, route, path ids and canonical body; null for commands without an idempotency key. */
  readonly fingerprint: string | null;
  /** The parts from which ids derive: the same for a retry, different for every other command. */
  readonly seed: readonly string[];
  /** The current date in the organisation's time zone when the command arrived. */
  readonly today: LocalDate;
  /** Absent for senders whose right depends on nothing that a write changes. Every plan begins with it. */
  readonly admission?: Admission;
  /**
   * Called right before the appends of the command. Throws if the decision is no longer safe, for example
   * because another worker took over the job. Nothing is then recorded.
   */
  readonly beforeAppend?: () => void;
  /**
   * The receipt of the request, stored with the command's events; absent if no response is stored, as on the
   * command line.
   */
  readonly receipt?: PendingReceipt;
  /** Whether the command is only decided: see `dry-run.ts`. */
  readonly isDryRun?: true;
}
