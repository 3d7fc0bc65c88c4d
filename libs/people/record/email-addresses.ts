import { randomBytes } from 'node:crypto';
import type { PoolClient } from 'pg';
import { raw, sql } from '#database/sql.js';
import { openPersonKey, type PersonPlace, storingPersonKeys } from '#database/key-rings/person-key-seal.js';
import { emailKey } from '#http/fields/email-address.js';
import type { LocalDate } from '#kernel/dates.js';
import { ERASED_ISSUE } from '#kernel/erasure.js';
import { conflict, RejectedError } from '#kernel/rejection.js';
import type { Executor } from '#projections/projection.js';
import { PERSON_KEY_BYTES } from '../person/person-seal.js';
import { employedOn } from '../sight/reporting.js';

/**
 * Reserves an e-mail address for a person within an organisation, across streams: a row under a unique index,
 * in the transaction that records the address. A concurrent claim waits for the end of this transaction.
 * Throws {@link RejectedError} if another person has it.
 */
export async function claimEmailAddress(
  connection: PoolClient,
  { organisationId, personId }: PersonPlace,
  email: string,
): Promise<void> {
  const values = [organisationId, emailKey(email), personId];
  await connection.query({
    name: 'claim-email-address',
    text: `insert into work_email_reservations (organisation_id, email_key, person_id) values ($1, $2, $3)
      on conflict do nothing`,
    values,
  });
  const { rowCount } = await connection.query({
    name: 'own-email-address',
    text: 'select from work_email_reservations where organisation_id = $1 and email_key = $2 and person_id = $3',
    values,
  });
  if (rowCount === 0)
    throw new RejectedError(conflict('work_email', 'another person of the organisation has this e-mail address'));
}

/**
 * The person who has this e-mail address and is employed on this day; null if there is none. Addresses are
 * unique, and those of erased people are released.
 */
export async function findEmployedByEmail(
  executor: Executor,
  organisationId: string,
  email: string,
  day: LocalDate,
): Promise<string | null> {
  const { rows } = await executor.query<{ person_id: string }>(
    sql`select r.person_id from work_email_reservations r where r.organisation_id = ${organisationId}
      and r.email_key = ${emailKey(email)} and r.is_confirmed and ${employedOn(organisationId, raw('r.person_id'), day)}`,
  );
  return rows[0]?.person_id ?? null;
}

/**
 * Returns the key of a new person's personal data, the same for every attempt. It is stored before the events
 * that it encrypts, which may be in another database. Throws {@link RejectedError} for a person whose data
 * was erased.
 *
 * @param isDryRun - whether nothing may be stored
 */
export async function newPersonKey(executor: Executor, place: PersonPlace, isDryRun: boolean): Promise<Buffer> {
  const fresh = randomBytes(PERSON_KEY_BYTES);
  if (isDryRun) return fresh;
  const { rows } = await storingPersonKeys(executor, (wrap) =>
    executor.query<{ key: Buffer | null }>({
      name: 'new-person-key',
      text: `with made as (
               insert into person_keys (organisation_id, person_id, key) values ($1, $2, $3) on conflict do nothing
                 returning key)
             select key from made union all select key from person_keys
               where organisation_id = $1 and person_id = $2 limit 1`,
      values: [place.organisationId, place.personId, wrap(place, fresh)],
    }),
  );
  // Another attempt inserted it during this statement, whose snapshot contains neither row.
  if (rows.length === 0) return newPersonKey(executor, place, isDryRun);
  const key = await openPersonKey(executor, place, rows[0]!.key);
  if (key === null) throw new RejectedError(conflict('person_id', ERASED_ISSUE));
  return key;
}
