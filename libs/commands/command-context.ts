import type { LocalDate } from '#kernel/dates.js';
import type { Actor } from '#event-store/event-store.js';
import type { WriteSession } from './write-session.js';

/** What a command needs to know of its caller. The API and the command line both make one. */
export interface CommandContext {
  readonly organisationId: string;
  readonly actor: Actor;
  readonly requestId: string | null;
  readonly idempotencyKey: string | null;
  /** SHA-256 of method, route, path ids and canonical body; null for commands without an idempotency key. */
  readonly fingerprint: string | null;
  /** Parts that ids derive from: the same for a retry, other ones for any other command. */
  readonly seed: readonly string[];
  /** The date in the organisation's time zone when the command arrived. */
  readonly today: LocalDate;
  /**
   * Called right before each append of the command. Throws where something that the decision relies on is lost, such as a
   * lock whose connection broke: then nothing is recorded.
   */
  readonly beforeAppend?: () => void;
  /** What the write that the command belongs to has read, and is to record; absent where no answer is kept, as at the command line. */
  readonly session?: WriteSession;
}
