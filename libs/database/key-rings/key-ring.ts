import type { Pool } from 'pg';
import { masterKeys } from './master-keys.js';

/** Any connection that can run a query. */
export type Executor = Pick<Pool, 'query'>;

/** The rings of an installation, by their names in the database. */
export const RING_NAMES = ['ids', 'cursors', 'avatar_links', 'webhook_secrets', 'personal_data'] as const;
export type RingName = (typeof RING_NAMES)[number];

/** One version of a key. */
export interface RingKey {
  /** 1 for the first. */
  readonly version: number;
  /** 32 bytes or more. */
  readonly secret: Buffer;
}

/** The versions of a key: the current one encrypts, and the others still decrypt. */
export interface Ring {
  /**
   * Returns the current version; with `fresh`, as in the database now. Null if the ring has no version yet.
   */
  current(fresh?: 'fresh'): Promise<RingKey | null>;
  /** Returns the secret of a version; null if it was retired or never existed. */
  find(version: number): Promise<Buffer | null>;
}

/**
 * How long a process may still encrypt with the former version after another process has rotated the ring.
 */
const MAX_AGE_MILLISECONDS = 2_000;

/**
 * A ring in the database, cached in memory. It is read again when it is old, and when a caller needs an
 * unknown version.
 */
export class KeyRing implements Ring {
  private versions: ReadonlyMap<number, Buffer> | null = null;
  private newest: RingKey | null = null;
  private readAt = 0;
  private running: Promise<unknown> = Promise.resolve();
  private waiting: Promise<void> | null = null;

  constructor(
    private readonly executor: Executor,
    readonly name: RingName,
  ) {}

  async current(fresh?: 'fresh'): Promise<RingKey | null> {
    if (fresh === 'fresh' || this.versions === null) await this.reread();
    // The cached versions stay in use while the database is unavailable.
    else if (performance.now() - this.readAt > MAX_AGE_MILLISECONDS) await this.reread().catch(() => undefined);
    return this.newest;
  }

  async find(version: number): Promise<Buffer | null> {
    if (performance.now() - this.readAt > MAX_AGE_MILLISECONDS) await this.current();
    if (this.versions?.has(version) !== true) await this.reread();
    return this.versions?.get(version) ?? null;
  }

  /**
   * Reads the ring with a query that begins after the call, because an earlier query may have missed the
   * version that the caller needs. Only one query runs at a time, for any number of callers.
   */
  private reread(): Promise<void> {
    this.waiting ??= this.running.then(() => {
      this.waiting = null;
      const reading = this.read();
      this.running = reading.catch(() => undefined);
      return reading;
    });
    return this.waiting;
  }

  private async read(): Promise<void> {
    const { rows } = await this.executor.query<{ version: number; secret: Buffer; wrapped_by: string | null }>({
      name: 'read-key-ring',
      text: 'select version, secret, wrapped_by from key_rings where ring = $1 and retired_at is null order by version',
      values: [this.name],
    });
    const keys = rows.map(({ version, secret, wrapped_by: wrappedBy }) => ({
      version,
      secret: masterKeys().unwrap({ secret, wrappedBy }, boundTo(this.name, version)),
    }));
    this.versions = new Map(keys.map(({ version, secret }) => [version, secret]));
    this.newest = keys.at(-1) ?? null;
    this.readAt = performance.now();
  }
}

/** Returns the name to which a version's wrapped secret is bound. */
export function boundTo(ring: RingName, version: number): string {
  return `key ring ${ring} ${version}`;
}

/** Returns the name of the advisory lock that encrypting shares and retiring a version holds exclusively. */
export function lockOf(ring: RingName): string {
  return `key ring ${ring}`;
}

/** Returns the current version of a ring that always has one. */
export async function currentOf(ring: Ring, fresh?: 'fresh'): Promise<RingKey> {
  const key = await ring.current(fresh);
  if (key === null) throw new Error('a key ring of the installation has no version');
  return key;
}
