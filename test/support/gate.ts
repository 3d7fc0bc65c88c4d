import type { EventStore } from '#event-store/event-store.js';

/** An append that was stopped, or will be. */
export interface StoppedAppend {
  /** Resolves when the append is there and waits. */
  readonly reached: Promise<void>;
  /** Lets it pass, and whatever comes after it. */
  open(): void;
}

/** A gate before the appends of stores: a test closes it to hold a writer between its decision and its append. */
export class Gate {
  private stopped: { readonly matches: (stream: string) => boolean; readonly reach: () => void; readonly opened: Promise<void> } | null = null;

  /** The same store, whose appends pass this gate. */
  wrap(store: EventStore): EventStore {
    const gated = Object.create(store) as EventStore;
    gated.append = async (stream, ...rest) => {
      await this.pass([stream]);
      return store.append(stream, ...rest);
    };
    gated.appendMany = async (appends) => {
      await this.pass(appends.map(({ stream }) => stream));
      return store.appendMany(appends);
    };
    return gated;
  }

  /** Stops every append to such a stream until it is opened. */
  stop(matches: (stream: string) => boolean): StoppedAppend {
    let [reach, open] = [() => undefined as void, () => undefined as void];
    const reached = new Promise<void>((resolve) => (reach = resolve));
    const opened = new Promise<void>((resolve) => (open = resolve));
    const stopped = { matches, reach, opened };
    this.stopped = stopped;
    return {
      reached,
      open: () => {
        if (this.stopped === stopped) this.stopped = null;
        open();
      },
    };
  }

  private async pass(streams: readonly string[]): Promise<void> {
    const { stopped } = this;
    if (stopped === null || !streams.some(stopped.matches)) return;
    stopped.reach();
    await stopped.opened;
  }
}
