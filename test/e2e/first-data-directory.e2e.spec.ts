import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { migrate, schemaState } from '#database/migrations.js';
import { firstBrokenLink } from '../support/hash-chain.js';
import { CatchUp } from '#projections/catch-up.js';
import { Projector } from '#projections/projector.js';
import { rebuild } from '#projections/rebuild/rebuild.js';
import { MIGRATIONS } from '#composition/migrations.js';
import { PROJECTIONS } from '#composition/registry.js';
import { eventually } from '../contract/event-store.support.js';
import type { ApiAnswer, ApiClient } from '../support/api/http-client.js';
import { TestApi } from '../support/api/test-api.js';
import { allReadable, createTestDatabase, type TestDatabase } from '../support/postgres.js';

/** The data of the program that first had the baseline, as it recorded and answered them. */
const FOLDER = join(__dirname, '..', 'fixtures', 'first-data-directory');
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

interface RecordedRequest {
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
  readonly idempotencyKey: string;
  readonly ifMatch: string | null;
  readonly body: unknown;
  readonly status: number;
  readonly answer: { readonly data: object };
}
interface RecordedInstallation {
  readonly organisationId: string;
  readonly apiKey: string;
  readonly revokedKey: string;
  readonly requests: readonly RecordedRequest[];
  readonly answers: Readonly<
    Record<string, { readonly status: number; readonly entityTag: string | null; readonly body: object }>
  >;
}

const kept = JSON.parse(read('answers.json')) as RecordedInstallation;
const clock = { now: () => new Date() };

describe('a data directory of the first schema, upgraded', () => {
  let database: TestDatabase;
  let api: TestApi;
  let client: ApiClient;

  beforeAll(async () => {
    database = await createTestDatabase({ migrated: false });
    await restore(database);
    await migrate(database.pool, MIGRATIONS);
    api = await TestApi.start({ database });
    client = api.client(kept.apiKey);
    await caughtUp(api);
  });

  afterAll(() => api.stop());

  it('is at the schema of today', async () => {
    expect(await schemaState(database.pool, MIGRATIONS)).toEqual({
      current: MIGRATIONS.at(-1)!.version,
      pending: [],
      isNewer: false,
    });
    const fresh = await createTestDatabase();
    expect(await describeSchema(database)).toEqual(await describeSchema(fresh));
    await fresh.drop();
  });

  it.each(Object.keys(kept.answers))('answers GET %s as it did', async (path) => {
    const before = kept.answers[path]!;
    const now = await client.get(path);
    const tag = (now.headers['service-resource-etag'] as string | undefined) ?? null;
    // Fields and tags that came since are welcome; what was said then is said now.
    expect([now.status, before.entityTag === null ? null : tag]).toEqual([before.status, before.entityTag]);
    expect(now.json).toMatchObject(withoutPlaces(before.body));
  });

  it('knows its keys: the one that worked works, the one that was revoked does not', async () => {
    expect((await client.get('/me')).status).toBe(200);
    expect((await api.client(kept.revokedKey).get('/me')).status).toBe(401);
  });

  it.each(
    kept.requests.map((request, index) => ({ ...request, name: `${index + 1}. ${request.method} ${request.path}` })),
  )(
    'repeats the answer of $name under its key',
    async ({ method, path, idempotencyKey, ifMatch, body, status, answer }) => {
      const repeated: ApiAnswer = await client.send(method, path, {
        body,
        idempotencyKey,
        ...(ifMatch === null ? {} : { ifMatch }),
      });
      expect(repeated.status).toBe(status);
      expect(repeated.json.data).toEqual(answer.data);
    },
  );

  it('has tables that a rebuild makes the same', async () => {
    for (const projection of PROJECTIONS) {
      const { differences } = await rebuild({ pool: database.pool, eventStore: api.services.store, clock }, projection);
      expect([projection.name, differences]).toEqual([projection.name, 0]);
    }
  });

  it('has a whole chain of hashes in every stream', async () => {
    await allReadable(api.database.pool);
    const events = await api.services.store.readAll(null, 1_000);
    const streams = [...new Set(events.map(({ stream }) => stream))];
    expect(streams.length).toBeGreaterThan(5);
    for (const stream of streams)
      expect([stream, firstBrokenLink(events.filter((event) => event.stream === stream))]).toEqual([stream, null]);
  });

  it('takes new writes on what it has', async () => {
    const [ada] = Object.values(kept.answers['/people?limit=100']!.body as { data: { id: string }[] }).flat();
    const before = await client.get(`/people/${ada!.id}/employment`);
    const path = `/people/${ada!.id}/employment`;
    const changed = await client.send('PATCH', path, {
      body: { start_date: '2025-01-06', job_title: 'Principal' },
      ifMatch: before.headers['service-resource-etag'] as string,
    });
    expect(changed.status).toBe(200);
    expect((await client.get(`/people/${ada!.id}`)).json.data).toMatchObject({ job_title: 'Principal' });
  });
});

/**
 * The database as it was, its transactions included: those of this server have to be later, as they are where
 * a directory is upgraded.
 */
async function restore({ pool }: TestDatabase): Promise<void> {
  await migrate(pool, MIGRATIONS.slice(0, 1));
  const connection = await pool.connect();
  try {
    // As pg_restore has it: rows come as they were, and triggers have run once.
    await connection.query('set session_replication_role = replica');
    for (const [, table, columns, rows] of read('data.copy').matchAll(
      /^copy (\w+) \((.*)\) from stdin;\n([\s\S]*?)^\\\.$/gm,
    )) {
      await connection.query(`delete from ${table!}`);
      await pipeline(Readable.from([rows!]), connection.query(copyFrom(`copy ${table!} (${columns!}) from stdin`)));
    }
    await connection.query('set session_replication_role = origin');
    await connection.query("select setval(pg_get_serial_sequence('events', 'position'), max(position)) from events");
    // Receipts are kept for seven days, and these files for good.
    await connection.query("update idempotency_receipts set expires_at = now() + interval '1 day'");
    const {
      rows: [{ last } = { last: '0' }],
    } = await connection.query<{ last: string }>('select max(transaction_id)::text as last from events');
    for (let current = 0n; current <= BigInt(last);) {
      const { rows } = await connection.query<{ current: string }>('select pg_current_xact_id()::text as current');
      current = BigInt(rows[0]!.current);
    }
  } finally {
    connection.release();
  }
}

/** Lets the worker's catch-up bring in what newer tables hold of older events. */
async function caughtUp({ database: { pool }, services: { store } }: TestApi): Promise<void> {
  const stopping = new AbortController();
  const running = new CatchUp({
    pool,
    eventStore: store,
    projector: new Projector(PROJECTIONS, clock),
    onError: () => undefined,
  }).run(stopping.signal);
  await eventually(async () => {
    const { rows } = await pool.query<{ behind: number }>(
      `select count(*)::int as behind from unnest($1::text[]) as wanted (name) left join projection_checkpoints c using (name)
        where c.position is distinct from (select max(position) from projection_checkpoints)`,
      [PROJECTIONS.map(({ name }) => name)],
    );
    return rows[0]!.behind === 0;
  });
  stopping.abort();
  await running;
}

/** Columns, indexes, constraints, functions and triggers, as PostgreSQL words them. */
async function describeSchema({ pool }: TestDatabase): Promise<readonly string[]> {
  const { rows } = await pool.query<{ item: string }>(`
    select format('%s.%s %s %s %s', table_name, column_name, data_type, is_nullable, column_default) as item from information_schema.columns where table_schema = 'public'
    union all select indexdef from pg_indexes where schemaname = 'public'
    union all select conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint where connamespace = 'public'::regnamespace
    union all select pg_get_functiondef(p.oid) from pg_proc p left join pg_depend d on d.objid = p.oid and d.deptype = 'e' where pronamespace = 'public'::regnamespace and d.objid is null and prokind = 'f'
    union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    order by 1`);
  return rows.map(({ item }) => item);
}

/** Where a page goes on is encrypted again each time. */
function withoutPlaces(body: object): object {
  const { pagination: _, ...rest } = body as { pagination?: unknown };
  return rest;
}
