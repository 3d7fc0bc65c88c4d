import { LRUCache } from 'lru-cache';
import type { AuthenticatedKey } from './authenticated-key.js';
import type { KeyDirectory } from './key-directory.js';

const REMEMBERED_KEYS = 20_000;
const RECHECK_MILLISECONDS = 400;
/** In milliseconds. A revocation takes effect in every process within a second, so older entries must be confirmed first. */
const TRUSTED_MILLISECONDS = 900;

interface Remembered {
  readonly key: AuthenticatedKey | null;
  readonly version: string;
}

/**
 * Caches keys in the process. An entry is valid only for the authorisation version at which it was read, and only if that version
 * was confirmed less than a second ago. Otherwise the request waits for the database.
 */
export class KeyCache {
  private readonly remembered = new LRUCache<string, Remembered>({ max: REMEMBERED_KEYS });
  private version: string | null = null;
  /** `performance.now()` at the start of the latest successful query for the version. */
  private confirmedAt = -Infinity;
  private checking: Promise<void> | null = null;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly directory: KeyDirectory) {
    this.timer = setInterval(() => void this.check().catch(() => undefined), RECHECK_MILLISECONDS);
    this.timer.unref();
  }

  /** Returns the cached result for this hash: the key, or null where none exists; undefined where the database must be queried. */
  peek(hash: string): AuthenticatedKey | null | undefined {
    if (performance.now() - this.confirmedAt > TRUSTED_MILLISECONDS) return undefined;
    const found = this.remembered.get(hash);
    return found !== undefined && found.version === this.version ? found.key : undefined;
  }

  /** Returns the key with this hash (hex), or null where there is none. Throws what the database throws. */
  async find(hash: string): Promise<AuthenticatedKey | null> {
    const isStale = performance.now() - this.confirmedAt > TRUSTED_MILLISECONDS;
    if (isStale && this.remembered.get(hash)?.version === this.version) {
      await this.check();
      const confirmed = this.peek(hash);
      if (confirmed !== undefined) return confirmed;
    }
    const askedAt = performance.now();
    const found = await this.directory.findByHash(Buffer.from(hash, 'hex'));
    this.learn(found.version, askedAt);
    this.remembered.set(hash, found);
    return found.key;
  }

  /** Drops every entry: after this process changed a key, or on a notification that another process did. */
  drop(): void {
    this.version = null;
    this.confirmedAt = -Infinity;
    this.remembered.clear();
  }

  /** Stops the checks in the background. */
  stop(): void {
    clearInterval(this.timer);
  }

  private check(): Promise<void> {
    this.checking ??= this.readVersion().finally(() => {
      this.checking = null;
    });
    return this.checking;
  }

  private async readVersion(): Promise<void> {
    const askedAt = performance.now();
    this.learn(await this.directory.currentVersion(), askedAt);
  }

  /** Answers may overtake each other: only the answer to the latest query counts. */
  private learn(version: string, askedAt: number): void {
    if (askedAt < this.confirmedAt) return;
    this.version = version;
    this.confirmedAt = askedAt;
  }
}
