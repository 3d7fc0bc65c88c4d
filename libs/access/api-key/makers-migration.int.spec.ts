import { migrate } from '#database/migrations.js';
import { databaseForSpec } from '../../../test/support/postgres.js';
import { MIGRATIONS } from '#composition/migrations.js';
import { MAKERS_MIGRATION } from './api-key.js';

const ORGANISATION = 'org_AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA';

const database = databaseForSpec({ migrated: false });

async function addKey(id: string): Promise<void> {
  await database.pool.query(
    `insert into api_keys (key_id, organisation_id, revision, environment, name, scopes, secret_hash, prefix, last_four, created_at, updated_at)
     values ($1::text, $2, 0, 'live', $1::text, '{people:read}', sha256(convert_to($1::text, 'UTF8')), 'svc_live_', 'abcd', now(), now())`,
    [id, ORGANISATION],
  );
}

it('existing keys and users get their creator from their first event, or from its row of activity if the log is elsewhere', async () => {
  const { pool } = database;
  await migrate(
    pool,
    MIGRATIONS.filter(({ version }) => version < MAKERS_MIGRATION.version),
  );
  for (const id of ['key_logged', 'key_placed', 'key_unknown']) await addKey(id);
  await pool.query(
    `insert into users (organisation_id, id, revision, email, role, status, created_at, updated_at)
     values ($1, 'usr_1', 1, 'ada@example.com', 'hr', 'active', now(), now())`,
    [ORGANISATION],
  );
  const actors = [
    [`api-key-${ORGANISATION}.key_logged`, 0, 'user', 'usr_1'],
    [`user-${ORGANISATION}.usr_1`, 0, 'api_key', 'key_logged'],
    [`user-${ORGANISATION}.usr_1`, 1, 'operator', 'later'],
  ] as const;
  for (const [stream, revision, type, id] of actors)
    await pool.query(
      `insert into events (stream, revision, event_id, type, data, metadata, recorded_at) values ($1, $2, gen_random_uuid(), 'T', '{}', $3, now())`,
      [stream, revision, JSON.stringify({ actor: { type, id } })],
    );
  await pool.query("insert into activity values ($1, $2, 0, now(), 'ApiKeyCreated', 'operator', 'ops')", [
    ORGANISATION,
    `api-key-${ORGANISATION}.key_placed`,
  ]);
  await migrate(pool, MIGRATIONS);
  const made = 'made_by_type as type, made_by_id as maker';
  expect((await pool.query(`select key_id as id, ${made} from api_keys order by key_id`)).rows).toEqual([
    { id: 'key_logged', type: 'user', maker: 'usr_1' },
    { id: 'key_placed', type: 'operator', maker: 'ops' },
    { id: 'key_unknown', type: null, maker: null },
  ]);
  expect((await pool.query(`select id, ${made} from users`)).rows).toEqual([
    { id: 'usr_1', type: 'api_key', maker: 'key_logged' },
  ]);
});
