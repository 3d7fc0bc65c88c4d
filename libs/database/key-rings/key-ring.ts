import type { Pool } from 'pg';
import { masterKeys } from './master-keys.js';

/** Anything that a query can be sent through. */
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

/** Versions of a key: one seals, the others still open what they sealed. */
export interface Ring {
  /** The version that seals; with `fresh`, as the database has it now. Null where the ring has none yet. */
  current(fresh?: 'fresh'): Promise<RingKey | null>;
  /** The secret of a version; null where it was retired or never was. */
  find(version: number): Promise<Buffer | null>;
}

/** How long another process's rotation may go unnoticed by one that seals. */
const MAXIMUM_AGE_MILLISECONDS = 2_000;

/** A ring in the database, kept in memory: read again when it is old, and when a version is asked for that is not known. */
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
    else if (performance.now() - this.readAt > MAXIMUM_AGE_MILLISECONDS) await this.reread().catch(() => undefined); // what is known goes on while the database is away
    return this.newest;
  }

  async find(version: number): Promise<Buffer | null> {
    if (performance.now() - this.readAt > MAXIMUM_AGE_MILLISECONDS) await this.current();
    if (this.versions?.has(version) !== true) await this.reread();
    return this.versions?.get(version) ?? null;
  }

  /** By a query that begins after the call: one under way may have missed what the caller looks for. However many call, one runs at a time. */
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

/** What a version's secret is wrapped as. */
export function boundTo(ring: RingName, version: number): string {
  return `key ring ${ring} ${version}`;
}

/** The name of the advisory lock that whoever seals with a ring shares, and whoever retires a version has alone. */
export function lockOf(ring: RingName): string {
  return `key ring ${ring}`;
}

/** A ring of one version that never changes: for whoever has no database. */
export function fixedRing(secret: Buffer): Ring {
  return { current: async () => ({ version: 1, secret }), find: async (version) => (version === 1 ? secret : null) };
}

/** The version that seals, of a ring that has one from the first start on. */
export async function currentOf(ring: Ring, fresh?: 'fresh'): Promise<RingKey> {
  const key = await ring.current(fresh);
  if (key === null) throw new Error('a key ring of the installation has no version');
  return key;
}
