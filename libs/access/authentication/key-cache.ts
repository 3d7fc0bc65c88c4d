import { LRUCache } from 'lru-cache';
import type { AuthenticatedKey, AuthenticatedSession, KeyStore } from '#http/keys/authenticated-key.js';
import type { KeyDirectory } from './key-directory.js';
import { IDLE_MINUTES } from './sessions.js';

const MAX_KEYS = 20_000;
/** The minimum remaining time of a session that was extended within the last minute. */
const UNWRITTEN_USE_MILLISECONDS = (IDLE_MINUTES - 1) * 60_000;
/**
 * In milliseconds. A request that finds the version older than this starts a check for later requests and
 * does not wait for it.
 */
const RECHECK_MILLISECONDS = 400;
/**
 * In milliseconds. A revocation takes effect in every process within a second, so older entries must be
 * confirmed first.
 */
const TRUSTED_MILLISECONDS = 900;

interface Entry {
  readonly key: AuthenticatedKey | null;
  readonly version: string;
}

/**
 * Caches keys and sessions in the process. An entry is valid only for the authorisation version at which it
 * was read, and only if that version was confirmed less than a second ago. Otherwise the request waits for
 * the database. Only requests start checks: an idle process sends no queries.
 */
export class KeyCache implements KeyStore {
  private readonly entries = new LRUCache<string, Entry>({ max: MAX_KEYS });
  private version: string | null = null;
  /** `performance.now()` at the start of the latest successful query for the version. */
  private confirmedAt = -Infinity;
  private checking: Promise<void> | null = null;

  constructor(private readonly directory: KeyDirectory) {}

  /**
   * Returns the cached result for this hash: the key, or null if none exists; undefined if the database
   * must be queried.
   */
  peek(hash: string): AuthenticatedKey | null | undefined {
    const age = performance.now() - this.confirmedAt;
    if (age > TRUSTED_MILLISECONDS) return undefined;
    // A failed check does not renew the version: soon a request waits for a check and reports its failure.
    if (age > RECHECK_MILLISECONDS && this.checking === null) this.check().catch(() => undefined);
    const found = this.entries.get(hash);
    return found !== undefined && found.version === this.version ? found.key : undefined;
  }

  /**
   * Returns the key or the session with this hash (hex), or null if there is none. Throws the database's
   * errors.
   */
  async find(hash: string, kind: 'key' | 'session' = 'key'): Promise<AuthenticatedKey | null> {
    const known = this.peek(hash);
    if (known !== undefined) return known;
    const isStale = performance.now() - this.confirmedAt > TRUSTED_MILLISECONDS;
    if (isStale && this.entries.get(hash)?.version === this.version) {
      await this.check();
      const confirmed = this.peek(hash);
      if (confirmed !== undefined) return confirmed;
    }
    const queriedAt = performance.now();
    const bytes = Buffer.from(hash, 'hex');
    const found = await (kind === 'key' ? this.directory.findByHash(bytes) : this.directory.findSession(bytes));
    this.learn(found.version, queriedAt);
    this.entries.set(hash, found);
    return found.key;
  }

  /**
   * Returns whether a session is valid now, and extends it: in the database at most once a minute. Another
   * process may have extended it further than this process knows.
   */
  async useSession(hash: string, session: AuthenticatedSession, now: Date): Promise<boolean> {
    if (session.idleUntil - now.getTime() > UNWRITTEN_USE_MILLISECONDS) return true;
    const extended = await this.directory.extendSession(Buffer.from(hash, 'hex'), now);
    if (extended !== null) session.idleUntil = extended;
    return extended !== null;
  }

  /**
   * Drops every entry after a change of a key by this process, or on a notification of a change by another
   * process.
   */
  drop(): void {
    this.version = null;
    this.confirmedAt = -Infinity;
    this.entries.clear();
  }

  private check(): Promise<void> {
    this.checking ??= this.readVersion().finally(() => {
      this.checking = null;
    });
    return this.checking;
  }

  private async readVersion(): Promise<void> {
    const queriedAt = performance.now();
    this.learn(await this.directory.currentVersion(), queriedAt);
  }

  /** Responses may overtake each other: only the response to the latest query counts. */
  private learn(version: string, queriedAt: number): void {
    if (queriedAt < this.confirmedAt) return;
    this.version = version;
    this.confirmedAt = queriedAt;
  }
}
