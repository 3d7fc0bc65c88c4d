import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { KeyEnvironment } from '#kernel/tenancy.js';
import { IDLE_MINUTES } from '../sessions/sessions.js';
import type { AuthenticatedKey, AuthenticatedSession } from './authenticated-key.js';
import type { KeyDirectory } from './key-directory.js';

/** A new key, and the parts of it that may be stored. */
export interface GeneratedApiKey {
  /** The whole key: shown once to its creator, never stored. */
  readonly apiKey: string;
  readonly secretHash: Buffer;
  readonly prefix: string;
  readonly lastFour: string;
}

const PREFIXES: Readonly<Record<KeyEnvironment, string>> = { live: 'svc_live_', sandbox: 'svc_test_' };
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_CHARACTERS = 30;
const CHECKSUM_CHARACTERS = 6;
const FORM = /^svc_(live|test)_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;

/** Returns a new key: prefix, 30 random base62 characters (178 bits), and a checksum over both. */
export function generateApiKey(environment: KeyEnvironment): GeneratedApiKey {
  let unsealed = PREFIXES[environment];
  for (let index = 0; index < SECRET_CHARACTERS; index += 1) unsealed += BASE62[randomInt(BASE62.length)];
  const apiKey = unsealed + checksumOf(unsealed);
  return { apiKey, secretHash: hashApiKey(apiKey), prefix: PREFIXES[environment], lastFour: apiKey.slice(-4) };
}

/**
 * Returns the environment of a well-formed key; null where form or checksum is wrong, so that a typing error
 * needs no look-up.
 */
export function parseApiKey(text: string): KeyEnvironment | null {
  const match = FORM.exec(text);
  if (match === null || checksumOf(text.slice(0, -CHECKSUM_CHARACTERS)) !== match[3]) return null;
  return match[1] === 'live' ? 'live' : 'sandbox';
}

/**
 * Returns the SHA-256 of a key, which suffices for a random secret of this size. Only this hash is stored.
 */
export function hashApiKey(apiKey: string): Buffer {
  return createHash('sha256').update(apiKey).digest();
}

function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let index = 0; index < CHECKSUM_CHARACTERS; index += 1) {
    digits = BASE62[rest % BASE62.length] + digits;
    rest = Math.floor(rest / BASE62.length);
  }
  return digits;
}

const REMEMBERED_KEYS = 20_000;
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

interface Remembered {
  readonly key: AuthenticatedKey | null;
  readonly version: string;
}

/**
 * Caches keys and sessions in the process. An entry is valid only for the authorisation version at which it
 * was read, and only if that version was confirmed less than a second ago. Otherwise the request waits for
 * the database. Only requests start checks: an idle process sends no queries.
 */
export class KeyCache {
  private readonly remembered = new LRUCache<string, Remembered>({ max: REMEMBERED_KEYS });
  private version: string | null = null;
  /** `performance.now()` at the start of the latest successful query for the version. */
  private confirmedAt = -Infinity;
  private checking: Promise<void> | null = null;

  constructor(private readonly directory: KeyDirectory) {}

  /**
   * Returns the cached result for this hash: the key, or null where none exists; undefined where the database
   * must be queried.
   */
  peek(hash: string): AuthenticatedKey | null | undefined {
    const age = performance.now() - this.confirmedAt;
    if (age > TRUSTED_MILLISECONDS) return undefined;
    // A failed check does not renew the version: soon a request waits for a check and reports its failure.
    if (age > RECHECK_MILLISECONDS && this.checking === null) this.check().catch(() => undefined);
    const found = this.remembered.get(hash);
    return found !== undefined && found.version === this.version ? found.key : undefined;
  }

  /**
   * Returns the key or the session with this hash (hex), or null where there is none. Throws the database's
   * errors.
   */
  async find(hash: string, kind: 'key' | 'session' = 'key'): Promise<AuthenticatedKey | null> {
    const known = this.peek(hash);
    if (known !== undefined) return known;
    const isStale = performance.now() - this.confirmedAt > TRUSTED_MILLISECONDS;
    if (isStale && this.remembered.get(hash)?.version === this.version) {
      await this.check();
      const confirmed = this.peek(hash);
      if (confirmed !== undefined) return confirmed;
    }
    const queriedAt = performance.now();
    const bytes = Buffer.from(hash, 'hex');
    const found = await (kind === 'key' ? this.directory.findByHash(bytes) : this.directory.findSession(bytes));
    this.learn(found.version, queriedAt);
    this.remembered.set(hash, found);
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
    this.remembered.clear();
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
