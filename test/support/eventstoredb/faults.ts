/**
 * How the server treats an append that must fail. An `unanswered` one is or is not written, and its caller
 * gets no answer.
 */
export type AppendFault = 'before-writing' | 'after-writing' | 'unanswered-before-writing' | 'unanswered-after-writing';

/** The injected faults of the server. Times in milliseconds. */
export class Faults {
  private readonly appendFaults: AppendFault[] = [];
  /** The server accepts every call and never answers. */
  hanging = false;
  /** The time between writing an append and its answer. */
  appendDelay = 0;
  /**
   * The time between the stamp of an append and its visibility, when it is answered; later appends wait for
   * it.
   */
  commitDelay = 0;
  /** The delay of every read of a page. */
  readDelay = 0;
  /** Live subscriptions stay open and receive nothing. */
  stalled = false;

  /** The next appends fail in these ways, in this order. */
  failAppends(...faults: readonly AppendFault[]): void {
    this.appendFaults.push(...faults);
  }

  /** Later appends are answered correctly again. */
  mendAppends(): void {
    this.appendFaults.length = 0;
  }

  nextAppendFault(): AppendFault | null {
    return this.appendFaults.shift() ?? null;
  }
}
