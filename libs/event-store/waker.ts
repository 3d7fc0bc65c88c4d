/** Lets polling loops sleep until they are woken, or a time has passed. */
export class Waker {
  private wakes = 0;
  private readonly sleepers = new Set<() => void>();

  /** The number of wakes. A loop reads it before it polls, so that a wake during the poll is not missed. */
  get count(): number {
    return this.wakes;
  }

  /** Ends every sleep in progress, and the next one of each loop that is polling now. */
  wake(): void {
    this.wakes += 1;
    for (const awake of [...this.sleepers]) awake();
  }

  /**
   * Sleeps until a wake after `seen` was counted, the signal aborts, or `milliseconds` have passed; Infinity
   * for no limit.
   */
  async sleep(seen: number, milliseconds: number, signal: AbortSignal): Promise<void> {
    if (this.wakes !== seen || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const awake = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', awake);
        this.sleepers.delete(awake);
        resolve();
      };
      const timer = milliseconds === Infinity ? undefined : setTimeout(awake, milliseconds);
      signal.addEventListener('abort', awake, { once: true });
      this.sleepers.add(awake);
    });
  }
}
