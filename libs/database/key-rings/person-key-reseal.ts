import type { Pool } from 'pg';
import { queryThroughSwaps } from '../transaction.js';
import type { Executor } from './key-ring.js';
import {
  openPersonKeys,
  personDataRing,
  personKeyVersion,
  type StoredPersonKey,
  storingPersonKeys,
} from './person-key-seal.js';

/**
 * Counts the keys of persons by the version that wraps them; null counts those that are stored unencrypted.
 */
export async function countPersonKeys(executor: Executor): Promise<ReadonlyMap<number | null, number>> {
  const { rows } = await executor.query<{ version: number | null; count: number }>(
    `select person_key_version(key) as version, count(*)::integer as count from person_keys where key is not null
      group by 1`,
  );
  return new Map(rows.map(({ version, count }) => [version, count]));
}

const BATCH = 500;

/**
 * Wraps the keys of persons with the current version: those that are stored unencrypted, and those that older
 * versions wrapped. Each batch commits separately, so that the work can be interrupted and started again.
 * Keys that are written or erased in the meantime stay unchanged. Returns how many keys it wrapped.
 *
 * @param onProgress - called with the number of keys wrapped so far
 */
export async function resealPersonKeys(pool: Pool, onProgress: (done: number) => void): Promise<number> {
  let done = 0;
  let after: readonly [string, string] = ['', ''];
  for (;;) {
    const current = await personDataRing(pool).current('fresh');
    if (current === null) return 0;
    const batch = await nextBatch(pool, after);
    const last = batch.at(-1);
    if (last === undefined) return done;
    const outdated = batch.filter(({ key }) => personKeyVersion(key) !== current.version);
    done += await rewrap(pool, outdated);
    onProgress(done);
    after = [last.organisation_id, last.person_id];
  }
}

async function nextBatch(
  pool: Pool,
  [organisationId, personId]: readonly [string, string],
): Promise<readonly StoredPersonKey[]> {
  const { rows } = await pool.query<StoredPersonKey>({
    name: 'person-keys-after',
    text: `select organisation_id, person_id, key from person_keys
            where (organisation_id, person_id) > ($1, $2) and key is not null
              order by organisation_id, person_id limit ${BATCH}`,
    values: [organisationId, personId],
  });
  return rows;
}

/**
 * Updates a row only if it is unchanged since it was read, so that neither an erasure nor another reseal is
 * undone.
 */
async function rewrap(pool: Pool, rows: readonly StoredPersonKey[]): Promise<number> {
  if (rows.length === 0) return 0;
  const opened = await openPersonKeys(pool, rows);
  return storingPersonKeys(pool, async (wrap) => {
    const wrapped = opened.map(({ organisation_id: organisationId, person_id: personId, key }) =>
      wrap({ organisationId, personId }, key),
    );
    const statement = {
      name: 'reseal-person-keys',
      text: `update person_keys k set key = w.wrapped
               from unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[]) as w(organisation_id, person_id, stored,
                 wrapped)
              where k.organisation_id = w.organisation_id and k.person_id = w.person_id and k.key = w.stored`,
      values: [
        rows.map((row) => row.organisation_id),
        rows.map((row) => row.person_id),
        rows.map((row) => row.key),
        wrapped,
      ],
    };
    const { rowCount } = await queryThroughSwaps(pool, statement);
    return rowCount ?? 0;
  });
}
