/** How the server treats an append it was told to fail; `unanswered` ones were written or not, and nobody is told. */
export type AppendFault = 'before-writing' | 'after-writing' | 'unanswered-before-writing' | 'unanswered-after-writing';

/** What the server was told to do wrong. Times in milliseconds. */
export class Faults {
  private readonly appendFaults: AppendFault[] = [];
  /** Every call is accepted and never answered. */
  hanging = false;
  /** Every append is answered so much later than it was written. */
  appendDelay = 0;
  /** Every append becomes visible so much later than it was stamped, and is answered then; those behind it wait for it. */
  commitDelay = 0;
  /** Every read of a page is answered so much later. */
  readDelay = 0;
  /** Live subscriptions stay open and get nothing. */
  stalled = false;

  /** The next appends fail so, in this order. */
  failAppends(...faults: readonly AppendFault[]): void {
    this.appendFaults.push(...faults);
  }

  /** Appends are answered as they should be again. */
  mendAppends(): void {
    this.appendFaults.length = 0;
  }

  nextAppendFault(): AppendFault | null {
    return this.appendFaults.shift() ?? null;
  }
}
