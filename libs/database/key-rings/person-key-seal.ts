import { codeOf } from '../error-code.js';
import { openBytes, sealBytes } from '../seal.js';
import { type Executor, KeyRing, type Ring } from './key-ring.js';

/** Whose key it is. */
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

/** Two bytes of the version, then what `sealBytes` makes of 32 bytes. Storage format. */
const WRAPPED_BYTES = 63;
/** SQLSTATE of the trigger of `person_keys`. */
const VERSION_RETIRED = 'WK001';
const ATTEMPTS = 5;

const rings = new WeakMap<Executor, Ring>();

/** The ring that keys of persons are wrapped with, as the database behind this executor has it. Without a version until an operator rotates it. */
export function personDataRing(executor: Executor): Ring {
  const known = rings.get(executor);
  if (known !== undefined) return known;
  const ring = new KeyRing(executor, 'personal_data');
  rings.set(executor, ring);
  return ring;
}

/** The version that a stored key is wrapped with; null where it rests as it is. */
export function personKeyVersion(stored: Buffer): number | null {
  return stored.length === WRAPPED_BYTES ? stored.readUInt16BE(0) : null;
}

/**
 * A person's key from a stored one, of which both forms are read: as it is, and wrapped. Null stays null: erased. Throws where its
 * version is not in the ring, and for another person's.
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
  if (secret === null) throw new Error(`the key of ${personId} is wrapped with version ${version} of personal_data, which is not here`);
  return openBytes(stored.subarray(2), secret, `person key ${organisationId}.${personId}`);
}

/** The same of many rows, in their order. */
export function openPersonKeys<Row extends StoredPersonKey>(executor: Executor, rows: readonly Row[]): Promise<readonly Row[]> {
  return Promise.all(
    rows.map(async (row) => ({
      ...row,
      key: await openPersonKey(executor, { organisationId: row.organisation_id, personId: row.person_id }, row.key),
    })),
  );
}

/** Makes of a person's key what is stored. */
export type WrapPersonKey = (place: PersonPlace, key: Buffer) => Buffer;

/**
 * Does work that stores keys of persons, with the form in which they rest now. The work must store them in statements of their own:
 * it is done again where the version was retired between the two.
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
