import { lookup } from 'node:dns/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';

/** All addresses of a name. Rejects if it has none or is unknown. */
export type Resolve = (hostname: string) => Promise<readonly { readonly address: string; readonly family: 4 | 6 }[]>;

/** Resolves names as other programs of the machine do, so that `/etc/hosts` applies. */
export const resolveWithSystem: Resolve = async (hostname) => {
  const found = await lookup(hostname, { all: true, verbatim: true });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
};

const REMEMBERED_NAMES = 1_000;

/**
 * Resolves names, and caches answers and failures for some milliseconds. Concurrent requests for a name share
 * one query, however long it takes: the system handles few queries at once, and one name must not use them
 * up.
 */
export class Resolution {
  private readonly remembered: LRUCache<string, ReturnType<Resolve>>;
  private readonly pending = new Map<string, ReturnType<Resolve>>();

  constructor(
    private readonly settings: { readonly resolve: Resolve; readonly limitMs: number; readonly rememberedMs: number },
  ) {
    this.remembered = new LRUCache({ max: REMEMBERED_NAMES, ttl: Math.max(1, settings.rememberedMs) });
  }

  /** All addresses; empty if the name does not resolve in time. */
  async addressesOf(hostname: string): ReturnType<Resolve> {
    const known = this.remembered.get(hostname);
    if (known !== undefined) return known;
    const limit = new AbortController();
    const tooLate = delay(this.settings.limitMs, [], { signal: limit.signal, ref: false }).catch(() => []);
    try {
      return await Promise.race([this.ask(hostname), tooLate]);
    } finally {
      limit.abort();
    }
  }

  private ask(hostname: string): ReturnType<Resolve> {
    const running = this.pending.get(hostname);
    if (running !== undefined) return running;
    // Any resolver error means that there is no address.
    const answer = this.settings.resolve(hostname).catch(() => []);
    this.pending.set(hostname, answer);
    void answer.then(() => {
      this.pending.delete(hostname);
      if (this.settings.rememberedMs > 0) this.remembered.set(hostname, answer);
    });
    return answer;
  }
}
