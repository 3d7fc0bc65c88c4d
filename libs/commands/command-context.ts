import type { LocalDate } from '#kernel/dates.js';
import type { Actor } from '#event-store/event-store.js';

/**
 * What the appends of one request came to. An event remembers the idempotency key and the fingerprint of the request that recorded it, so a
 * request whose receipt is gone (expired, or lost in a crash) is known again by its events.
 */
export class Repetition {
  private wasFound = false;
  private wasRecorded = false;

  /** Events of an earlier attempt of the same request were found; nothing was decided again. */
  noteFound(): void {
    this.wasFound = true;
  }

  /** This attempt recorded something. */
  noteRecorded(): void {
    this.wasRecorded = true;
  }

  /** Whether an earlier attempt had recorded everything: the answer repeats an outcome, and nothing happened now. */
  get isReplay(): boolean {
    return this.wasFound && !this.wasRecorded;
  }
}

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
  /** Told what became of the command, where the caller wants to know. */
  readonly repetition?: Repetition;
}
