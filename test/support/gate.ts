import type { EventStore } from '#event-store/event-store.js';

/** A call of the store that is or will be stopped. */
export interface StoppedCall {
  /** Resolves when the call has arrived and waits. */
  readonly reached: Promise<void>;
  /** Lets the call continue. */
  open(): void;
}

/**
 * Before a stream is read; after that, before anything is decided on it and any lock taken to append; or in
 * the unit of work, with all its locks, before the append.
 */
type Kind = 'read' | 'decision' | 'append';

/**
 * A gate at the streams of stores. A test closes it to hold a writer before it loads a stream, before it
 * decides, or before it appends.
 */
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
      await this.pass('append', stream);
      return store.append(stream, ...rest);
    };
    gated.readStream = async (stream, ...rest) => {
      await this.pass('read', stream);
      const events = await store.readStream(stream, ...rest);
      await this.pass('decision', stream);
      return events;
    };
    return gated;
  }

  /** Stops the next call of this kind for a matching stream until it is opened. */
  stop(matches: (stream: string) => boolean, kind: Kind = 'append'): StoppedCall {
    let [reach, open] = [() => undefined as void, () => undefined as void];
    const reached = new Promise<void>((resolve) => (reach = resolve));
    const opened = new Promise<void>((resolve) => (open = resolve));
    this.stopped = { kind, matches, reach, opened };
    return { reached, open };
  }

  private async pass(kind: Kind, stream: string): Promise<void> {
    const { stopped } = this;
    if (stopped?.kind !== kind || !stopped.matches(stream)) return;
    this.stopped = null;
    stopped.reach();
    await stopped.opened;
  }
}
