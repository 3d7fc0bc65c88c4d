import type { Expected, LoggedEvent, ProposedEvent } from './events.js';
import type { Log } from './log.js';

/** The decision of the server about an append. */
export type Verdict =
  | { readonly kind: 'write' }
  | { readonly kind: 'repeat'; readonly last: LoggedEvent }
  | { readonly kind: 'wrong'; readonly actual: bigint }
  | { readonly kind: 'deleted' };

/**
 * The server's rules for expected versions and repeats. With an explicit revision, repeats are found in the
 * index, also after a restart. With `any` and `stream_exists`, they are found only among the ids written
 * since the start.
 */
export class ExpectedVersions {
  private readonly seen = new Map<string, { readonly stream: string; readonly revision: bigint }>();

  constructor(private readonly log: Log) {}

  /** Remembers written events, to find repeats with `any`. */
  remember(events: readonly LoggedEvent[]): void {
    for (const { id, stream, revision } of events) this.seen.set(id, { stream, revision });
  }

  judge(stream: string, expected: Expected, events: readonly ProposedEvent[]): Verdict {
    const { log } = this;
    if (log.isTombstoned(stream)) return { kind: 'deleted' };
    const actual = log.lastRevision(stream);
    const isHidden = actual >= 0n && log.visible(stream) === null;
    if (expected === 'stream_exists' && isHidden) return { kind: 'deleted' };
    if (expected === 'stream_exists' && actual < 0n) return { kind: 'wrong', actual };
    if (expected === 'any' || expected === 'stream_exists') return this.judgeUnchecked(stream, actual, events);
    const place = expected === 'no_stream' ? -1n : expected;
    if (place === actual || (expected === 'no_stream' && isHidden)) return { kind: 'write' };
    return place > actual ? { kind: 'wrong', actual } : this.judgeRepeat(stream, place, actual, events);
  }

  private judgeRepeat(stream: string, place: bigint, actual: bigint, events: readonly ProposedEvent[]): Verdict {
    const known = events.map((event, index) => {
      const logged = this.log.eventAt(stream, place + 1n + BigInt(index));
      return logged?.id === event.id ? logged : undefined;
    });
    const last = known.at(-1);
    return known.every((event) => event !== undefined) && last !== undefined
      ? { kind: 'repeat', last }
      : { kind: 'wrong', actual };
  }

  private judgeUnchecked(stream: string, actual: bigint, events: readonly ProposedEvent[]): Verdict {
    const first = events[0] === undefined ? undefined : this.seen.get(events[0].id);
    if (first === undefined || first.stream !== stream) return { kind: 'write' };
    return this.judgeRepeat(stream, first.revision - 1n, actual, events);
  }
}
