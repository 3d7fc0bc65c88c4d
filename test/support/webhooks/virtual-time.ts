import type { After } from '#webhooks/deliver/dispatch/timers.js';

/** A clock that a test moves; it fires timers that become due, in order. */
export class VirtualTime {
  /** Milliseconds. */
  now = 0;
  private readonly due: { readonly at: number; readonly order: number; readonly work: () => void }[] = [];
  private order = 0;

  readonly after: After = (milliseconds, work) => {
    const timer = { at: this.now + milliseconds, order: (this.order += 1), work };
    const place = this.due.findIndex(({ at }) => at > timer.at);
    this.due.splice(place === -1 ? this.due.length : place, 0, timer);
    return () => {
      const index = this.due.indexOf(timer);
      if (index !== -1) this.due.splice(index, 1);
    };
  };

  /** Resolves when all work that needs no time is done. */
  async settle(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Advances the clock by this time. */
  async pass(milliseconds: number): Promise<void> {
    const until = this.now + milliseconds;
    await this.settle();
    for (let next = this.due[0]; next !== undefined && next.at <= until; next = this.due[0]) {
      this.due.shift();
      this.now = next.at;
      next.work();
      await this.settle();
    }
    this.now = until;
  }

  /** Advances the clock until no timer is left. */
  async run(): Promise<void> {
    await this.settle();
    for (let next = this.due[0]; next !== undefined; next = this.due[0]) await this.pass(next.at - this.now);
  }
}
