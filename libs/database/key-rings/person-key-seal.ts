import { codeOf } from '../error-code.js';
import { openBytes, sealBytes } from '../seal.js';
import { type Executor, KeyRing, type Ring } from './key-ring.js';

/** The owner of a key. */
export interface PersonPlace {
  readonly organisationId: string;
  readonly personId: string;
}

/** A row of `person_keys`. */
export interface StoredPersonKey {
  readonly organisation_id: string;
  readonly person_id: string;
  readonly key: Buffer;
}

/** Two bytes of the version, then the result of `sealBytes` for 32 bytes. Storage format. */
const WRAPPED_BYTES = 63;
/** SQLSTATE of the trigger of `person_keys`: a key was wrapped with a version that has since been retired. */
const VERSION_RETIRED = 'WK001';
const ATTEMPTS = 5;

const rings = new WeakMap<Executor, Ring>();

/**
 * Returns the ring that wraps keys of persons, from the executor's database. It has no version until an
 * operator rotates it.
 */
export function personDataRing(executor: Executor): Ring {
  const known = rings.get(executor);
  if (known !== undefined) return known;
  const ring = new KeyRing(executor, 'personal_data');
  rings.set(executor, ring);
  return ring;
}

/** Returns the version with which a stored key is wrapped; null if it is stored unencrypted. */
export function personKeyVersion(stored: Buffer): number | null {
  return stored.length === WRAPPED_BYTES ? stored.readUInt16BE(0) : null;
}

/**
 * Returns a person's key from its stored form, wrapped or not. Null stays null: the key was erased. Throws if
 * the ring lacks its version, and for the key of another person.
 */
export async function openPersonKey<Stored extends Buffer | null>(
  executor: Executor,
  { organisationId, personId }: PersonPlace,
  stored: Stored,
): Promise<Stored | Buffer> {
  if (stored === null) return stored;
  const version = personKeyVersion(stored);
  if (version === null) return stored;
  const secret = await personDataRing(executor).find(version);
  if (secret === null)
    throw new Error(`the key of ${personId} is wrapped with version ${version} of personal_data, which does not exist`);
  return openBytes(stored.subarray(2), secret, `person key ${organisationId}.${personId}`);
}

/** Decrypts the keys of many rows, in their order. */
export function openPersonKeys<Row extends StoredPersonKey>(
  executor: Executor,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  return Promise.all(
    rows.map(async (row) => ({
      ...row,
      key: await openPersonKey(executor, { organisationId: row.organisation_id, personId: row.person_id }, row.key),
    })),
  );
}

/** Converts a person's key to its stored form. */
export type WrapPersonKey = (place: PersonPlace, key: Buffer) => Buffer;

/**
 * Runs work that stores keys of persons, and passes it the current stored form. The work must store them in
 * its own statements: it runs again if the version was retired in between.
 */
export async function storingPersonKeys<T>(executor: Executor, work: (wrap: WrapPersonKey) => Promise<T>): Promise<T> {
  const ring = personDataRing(executor);
  for (let attempt = 1; ; attempt += 1) {
    const current = await ring.current(attempt === 1 ? undefined : 'fresh');
    const wrap: WrapPersonKey = ({ organisationId, personId }, key) => {
      if (current === null) return key;
      const version = Buffer.alloc(2);
      version.writeUInt16BE(current.version);
      return Buffer.concat([version, sealBytes(key, current.secret, `person key ${organisationId}.${personId}`)]);
    };
    try {
      return await work(wrap);
    } catch (error) {
      if (codeOf(error) !== VERSION_RETIRED || attempt === ATTEMPTS) throw error;
    }
  }
}
