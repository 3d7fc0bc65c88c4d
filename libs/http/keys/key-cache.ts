import { LRUCache } from 'lru-cache';
import type { AuthenticatedKey } from './authenticated-key.js';
import type { KeyDirectory } from './key-directory.js';

const REMEMBERED_KEYS = 20_000;
const RECHECK_MILLISECONDS = 400;
/** A revocation holds everywhere within a second, so nothing older than this is trusted without asking. */
const TRUSTED_MILLISECONDS = 900;

interface Remembered {
  readonly key: AuthenticatedKey | null;
  readonly version: string;
}

/**
 * Keys kept in the process. What is remembered counts only for the version of all authorisations it was read at, and only
 * while that version was confirmed less than a second ago; else the request waits for the database.
 */
export class KeyCache {
  private readonly remembered = new LRUCache<string, Remembered>({ max: REMEMBERED_KEYS });
  private version: string | null = null;
  /** `performance.now()` when the latest successful look at the version began. */
  private confirmedAt = -Infinity;
  private checking: Promise<void> | null = null;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly directory: KeyDirectory) {
    this.timer = setInterval(() => void this.check().catch(() => undefined), RECHECK_MILLISECONDS);
    this.timer.unref();
  }

  /** What is known of the key with this hash; undefined where the database must be asked. */
  peek(hash: string): AuthenticatedKey | null | undefined {
    if (performance.now() - this.confirmedAt > TRUSTED_MILLISECONDS) return undefined;
    const found = this.remembered.get(hash);
    return found !== undefined && found.version === this.version ? found.key : undefined;
  }

  /** The key with this hash (hex), null where there is none. Throws what the database throws. */
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

  /** Forgets everything at once: for the process that changed a key, and for a notification that somebody did. */
  drop(): void {
    this.version = null;
    this.confirmedAt = -Infinity;
    this.remembered.clear();
  }

  /** Ends the checks in the background. */
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

  /** Answers may overtake each other: only the one that was asked for last counts. */
  private learn(version: string, askedAt: number): void {
    if (askedAt < this.confirmedAt) return;
    this.version = version;
    this.confirmedAt = askedAt;
  }
}
