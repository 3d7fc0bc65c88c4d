import { migrate } from '#database/migrations.js';
import { inTransaction } from '#database/transaction.js';
import { MIGRATIONS } from '#composition/migrations.js';
import { databaseForSpec } from '../../../test/support/postgres.js';
import { beginWrite, findAnswer, type PendingReceipt } from './receipts.js';
import { BEGINNING_OF_WRITES_MIGRATION } from './receipts.sql.js';

const ORGANISATION = 'org_AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA';

const database = databaseForSpec({ migrated: false });

function receiptOf(idempotencyKey: string): PendingReceipt {
  const key = { organisationId: ORGANISATION, environment: 'live', keyId: 'key_1', idempotencyKey };
  return {
    key,
    fingerprint: 'print',
    requestId: 'req_2',
    erasures: 0,
    answerOf: () => ({ status: 200, body: '', entityTag: null }),
  };
}

it('receipts of earlier releases are still found, and their unfinished claims are removed', async () => {
  const { pool } = database;
  await migrate(
    pool,
    MIGRATIONS.filter(({ version }) => version < BEGINNING_OF_WRITES_MIGRATION.version),
  );
  const claim = (key: string) =>
    pool.query("select claim_idempotency_receipt($1, 'live', 'key_1', $2, 'print', 'req_1', 7)", [ORGANISATION, key]);
  await claim('answered');
  await claim('open');
  await pool.query(
    "select complete_idempotency_receipt($1, 'live', 'key_1', 'answered', 7, 201::smallint, '{}', 'tag', true)",
    [ORGANISATION],
  );
  await pool.query("insert into retirements_under_way (stream) values ('org-unit-one')");
  for (const person of ['taken', 'reserved'])
    await pool.query("select reserve_person($1, $2::text, $2::text, '\\x00', interval '5 minutes')", [
      ORGANISATION,
      person,
    ]);
  await pool.query("update work_email_reservations set is_confirmed = true where person_id = 'taken'");

  await migrate(pool, MIGRATIONS);

  const find = (key: string) => findAnswer(pool, receiptOf(key).key, 'print');
  expect(await find('answered')).toEqual({ stored: { status: 201, body: '{}', entityTag: 'tag', requestId: 'req_1' } });
  expect(await find('open')).toEqual({ stored: null, erasures: 0 });
  const begin = (key: string) => inTransaction(pool, (connection) => beginWrite(connection, receiptOf(key), []));
  await expect(begin('answered')).rejects.toMatchObject({ stored: { requestId: 'req_1' } });
  expect(await begin('open')).toBe(0);
  expect((await pool.query('select person_id from work_email_reservations')).rows).toEqual([{ person_id: 'taken' }]);
});

it('no part of the schema for claims, reservations or notes before a write is left', async () => {
  const { rows } = await database.pool.query(
    `select proname as name from pg_proc where proname ~ '_idempotency_receipt$|^settle_reference_locks$|^reserve_person$'
     union all select relname from pg_class where relname = 'retirements_under_way'
     union all select attname from pg_attribute where attrelid = 'idempotency_receipts'::regclass and attname = 'holder'`,
  );
  expect(rows).toEqual([]);
});
