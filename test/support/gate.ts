import type { EventStore } from '#event-store/event-store.js';

/** A call of the store that is or will be stopped. */
export interface StoppedCall {
  /** Resolves when the call has arrived and waits. */
  readonly reached: Promise<void>;
  /** Lets the call continue. */
  open(): void;
}

type Kind = 'append' | 'read';

/** A gate in front of the streams of stores. A test closes it to hold a writer before it loads, or between its decision and its append. */
export class Gate {
  private stopped: {
    readonly kind: Kind;
    readonly matches: (stream: string) => boolean;
    readonly reach: () => void;
    readonly opened: Promise<void>;
  } | null = null;

  /** Returns the store with appends and reads of single streams that pass this gate. */
  wrap(store: EventStore): EventStore {
    const gated = Object.create(store) as EventStore;
    gated.append = async (stream, ...rest) => {
      await this.pass('append', [stream]);
      return store.append(stream, ...rest);
    };
    gated.appendMany = async (appends) => {
      await this.pass(
        'append',
        appends.map(({ stream }) => stream),
      );
      return store.appendMany(appends);
    };
    gated.readStream = async (stream, ...rest) => {
      await this.pass('read', [stream]);
      return store.readStream(stream, ...rest);
    };
    return gated;
  }

  /** Stops the next append to a matching stream, or the next read of one, until it is opened. */
  stop(matches: (stream: string) => boolean, kind: Kind = 'append'): StoppedCall {
    let [reach, open] = [() => undefined as void, () => undefined as void];
    const reached = new Promise<void>((resolve) => (reach = resolve));
    const opened = new Promise<void>((resolve) => (open = resolve));
    this.stopped = { kind, matches, reach, opened };
    return { reached, open };
  }

  private async pass(kind: Kind, streams: readonly string[]): Promise<void> {
    const { stopped } = this;
    if (stopped?.kind !== kind || !streams.some(stopped.matches)) return;
    this.stopped = null;
    stopped.reach();
    await stopped.opened;
  }
}
