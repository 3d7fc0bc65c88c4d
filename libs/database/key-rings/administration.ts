import { randomBytes } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { countInWords } from '#kernel/count-in-words.js';
import { codeOf } from '../error-code.js';
import { SECRET_BYTES } from '../installation-keys.js';
import { inTransaction } from '../transaction.js';
import { boundTo, lockOf, RING_NAMES, type RingName } from './key-ring.js';
import type { MasterKeys } from './master-keys.js';

/** A version of a ring, without its secret. */
export interface RingVersion {
  readonly ring: RingName;
  readonly version: number;
  readonly createdAt: Date;
  /** By the database's clock. */
  readonly ageDays: number;
  readonly retiredAt: Date | null;
  /** Whether new data is encrypted with it. */
  readonly isCurrent: boolean;
  /**
   * The fingerprint of the master key that wraps it; null if it is stored unencrypted, and for a retired
   * version.
   */
  readonly wrappedBy: string | null;
}

/** A refused change of a ring; the message has the reason and the remedy. */
export class KeyRingError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'KeyRingError';
  }
}

/** Ids never change, so the key that authenticates them cannot change either. */
const FIXED: RingName = 'ids';
/**
 * Before a version is retired: the maximum wait for work that still encrypts with the ring, and for the
 * count.
 */
const LOCK_WAIT = '15s';
const COUNT_WAIT = '10min';
const MAX_VERSION = 9_999;
const LOCK_NOT_AVAILABLE = '55P03';

/** Returns every version of every ring, in order; a ring without a version is absent. */
export async function listVersions(pool: Pool): Promise<readonly RingVersion[]> {
  const { rows } = await pool.query<Omit<RingVersion, 'ring'> & { ring: RingName }>(
    `select ring, version, created_at as "createdAt", extract(epoch
      from clock_timestamp() - created_at)::float8 / 86400 as "ageDays",
            retired_at as "retiredAt", wrapped_by as "wrappedBy",
            version = max(version) filter (where retired_at is null) over (partition by ring) as "isCurrent"
       from key_rings order by array_position($1::text[], ring::text), version`,
    [RING_NAMES],
  );
  return rows.map((row) => ({ ...row, isCurrent: row.isCurrent && row.retiredAt === null }));
}

/**
 * Creates a new version, which encrypts from now on; older versions still decrypt. Throws {@link
 * KeyRingError} for the ring of ids, and beyond {@link MAX_VERSION}.
 */
export async function rotateRing(pool: Pool, ring: RingName, masterKeys: MasterKeys): Promise<number> {
  if (ring === FIXED) throw new KeyRingError('The key of ids is never rotated: all existing ids would become invalid.');
  return inTransaction(pool, async (connection) => {
    await lockRings(connection);
    const { rows } = await connection.query<{ last: number }>(
      'select coalesce(max(version), 0) as last from key_rings where ring = $1',
      [ring],
    );
    const version = rows[0]!.last + 1;
    if (version > MAX_VERSION) throw new KeyRingError(`A ring has at most ${MAX_VERSION} versions.`);
    const { secret, wrappedBy } = masterKeys.wrap(randomBytes(SECRET_BYTES), boundTo(ring, version));
    await connection.query('insert into key_rings (ring, version, secret, wrapped_by) values ($1, $2, $3, $4)', [
      ring,
      version,
      secret,
      wrappedBy,
    ]);
    return version;
  });
}

/**
 * Deletes the secret of an older version; data that it encrypted cannot be decrypted afterwards. The version
 * must no longer protect any data. This is counted while no process can encrypt with the ring. Throws {@link
 * KeyRingError} if the version does not exist, is the current one or still protects data, or if work in
 * progress does not end.
 *
 * @param countSealed - returns the number of values that the version still protects
 */
export async function retireVersion(
  pool: Pool,
  ring: RingName,
  version: number,
  countSealed: (executor: PoolClient) => Promise<number>,
): Promise<void> {
  await inTransaction(pool, async (connection) => {
    await lockExclusively(connection, ring);
    const { rows } = await connection.query<{ version: number; retired_at: Date | null }>(
      'select version, retired_at from key_rings where ring = $1 order by version',
      [ring],
    );
    const found = rows.find((row) => row.version === version);
    if (found === undefined)
      throw new KeyRingError(`The ring has no version ${version}: workforce secrets list shows those that it has.`);
    if (found.retired_at !== null) throw new KeyRingError(`Version ${version} is already retired.`);
    if (version === rows.at(-1)!.version)
      throw new KeyRingError(`Version ${version} is the current one: rotate the ring first.`);
    const sealed = await countSealed(connection);
    if (sealed > 0)
      throw new KeyRingError(`Version ${version} still seals ${countInWords(sealed, 'value')}: reseal the ring first.`);
    await connection.query(
      `update key_rings set secret = null, wrapped_by = null, retired_at = clock_timestamp()
        where ring = $1 and version = $2`,
      [ring, version],
    );
  });
}

/**
 * Wraps every secret with the current master key. Returns the number of secrets that had another wrapping.
 * Throws {@link KeyRingError} without a master key, and `MasterKeyMissingError`.
 */
export async function wrapSecrets(pool: Pool, masterKeys: MasterKeys): Promise<number> {
  const { fingerprint } = masterKeys;
  if (fingerprint === null)
    throw new KeyRingError('There is no master key to wrap with: set MASTER_KEY or MASTER_KEY_FILE.');
  return inTransaction(pool, async (connection) => {
    await lockRings(connection);
    const { rows } = await connection.query<{
      ring: RingName;
      version: number;
      secret: Buffer;
      wrapped_by: string | null;
    }>(
      `select ring, version, secret, wrapped_by from key_rings where retired_at is null and wrapped_by is distinct
        from $1 order by ring, version for update`,
      [fingerprint],
    );
    for (const { ring, version, secret, wrapped_by: by } of rows) {
      const { secret: wrapped, wrappedBy } = masterKeys.wrap(
        masterKeys.unwrap({ secret, wrappedBy: by }, boundTo(ring, version)),
        boundTo(ring, version),
      );
      await connection.query('update key_rings set secret = $3, wrapped_by = $4 where ring = $1 and version = $2', [
        ring,
        version,
        wrapped,
        wrappedBy,
      ]);
    }
    return rows.length;
  });
}

async function lockRings(connection: PoolClient): Promise<void> {
  await connection.query(`select pg_advisory_xact_lock(hashtextextended('key rings', 0))`);
}

async function lockExclusively(connection: PoolClient, ring: RingName): Promise<void> {
  // Nothing is written before the count is complete, so that readers of events do not wait for this
  // transaction.
  await connection.query(
    `set local lock_timeout = '${LOCK_WAIT}'; set local idle_in_transaction_session_timeout = '${COUNT_WAIT}'`,
  );
  try {
    await connection.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [lockOf(ring)]);
  } catch (error) {
    if (codeOf(error) !== LOCK_NOT_AVAILABLE) throw error;
    throw new KeyRingError(
      'A transaction that seals with this ring does not end: try again, and check the sessions with "workforce ' +
        'doctor".',
    );
  }
}
