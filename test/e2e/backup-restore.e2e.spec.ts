import { randomBytes, randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { createPool } from '#database/pool.js';
import { AnswerCheck, type OpenApiDocument } from '../support/api/answer-check.js';
import { ApiClient, dataOf } from '../support/api/http-client.js';
import { newEmail, PeopleActions } from '../support/api/people.js';
import type { Person } from '../support/api/shapes.js';
import { eventually } from '../contract/event-store.support.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import { WebhookActions } from '../support/api/webhooks.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { type RunningProcess, runWorkforce, startWorkforce } from '../support/processes.js';
import { programOver } from '../support/program.js';
import { temporaryDirectory } from '../support/test-server.js';
import { testSize } from '../support/test-size.js';

/**
 * Writers at once, and how many people each of them has made when the backup begins: more by environment for
 * a run by hand.
 */
const WRITERS = 4;
const PEOPLE = testSize('BACKUP_PEOPLE', { usual: 8, long: 40 });
/**
 * Transactions of the first cluster, so that the ids of its events lie ahead of what the second one has come
 * to.
 */
const TRANSACTIONS_AHEAD = 30_000;
const FIRST_NAME = 'Marguerite-Restored';

interface Written {
  readonly person: Person;
  readonly at: number;
}

let api: TestApi;
let organisation: TestOrganisation;
let people: PeopleActions;
let worker: RunningProcess;
let directory: string;
let file: string;
let list: string;
let taken: { readonly taken_at: string; readonly events: number; readonly rows: number };
/** Acknowledged before the backup began; and all. */
let before: readonly Written[];
let erased: { readonly before: Person; readonly after: Person };
const written: Written[] = [];
const { workforce, json } = programOver(() => api.database);

beforeAll(async () => {
  directory = await temporaryDirectory();
  file = join(directory, 'one.backup');
  list = join(directory, 'erasures.ndjson');
  api = await TestApi.start();
  organisation = await api.organisation();
  people = new PeopleActions(organisation);
  await new WebhookActions(organisation).create();
  await burn(api.database, TRANSACTIONS_AHEAD);
  worker = startWorkforce(['worker'], { DATABASE_URL: api.database.url, OPS_PORT: '0', LOG_LEVEL: 'error' });
  erased = { before: await newPerson(), after: await newPerson() };
  const own = ['--organisation', organisation.row.id, '--yes', '--end-on', '2030-06-30'];
  await json('people', 'erase', erased.before.id, ...own);
  const stop = new AbortController();
  const writers = Array.from({ length: WRITERS }, () => write(stop.signal));
  await eventually(() => written.length >= WRITERS * PEOPLE);
  before = [...written];
  taken = await json('backup', file);
  const soFar = written.length;
  await eventually(() => written.length >= soFar + WRITERS);
  stop.abort();
  await Promise.all(writers);
  await json('people', 'erase', erased.after.id, ...own, '--reason', 'Asked for it');
  await json('people', 'erasures', '--export', list);
});

afterAll(async () => {
  await worker.end('SIGKILL');
  await api.stop();
  await rm(directory, { recursive: true, force: true });
});

function newPerson(): Promise<Person> {
  return people.create({ first_name: FIRST_NAME, work_email: newEmail(), start_date: '2025-01-01' });
}

/** Makes people and changes them, one after another, and notes what was acknowledged. */
async function write(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { id } = await people.create({
      first_name: 'Written',
      start_date: '2025-01-01',
      department_id: organisation.references.department_id,
    });
    await people.change(id, { start_date: '2025-06-01', job_title: randomUUID() });
    written.push({ person: await people.identity(id, { last_name: randomUUID() }), at: Date.now() });
  }
}

async function burn({ url }: TestDatabase, count: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`do $$ begin for i in 1..${count} loop perform pg_current_xact_id(); commit; end loop; end $$`);
  await client.end();
}

describe('a backup taken while four write', () => {
  const place: { url?: string; data?: string; server?: RunningProcess; client?: ApiClient } = {};

  afterAll(async () => {
    place.client?.close();
    await place.server?.end('SIGKILL');
  });

  it('is restored into another cluster, verified, with the people erased since erased again', async () => {
    place.data = join(directory, 'data');
    const restored = await runWorkforce(['restore', file, '--erasures', list, '--json'], {
      WORKFORCE_DATA_DIR: place.data,
    });
    expect({ code: restored.code, stderr: restored.stderr }).toEqual({ code: 0, stderr: '' });
    // The one who was erased after it; and events of its own: the erasure's.
    expect(JSON.parse(restored.stdout)).toMatchObject({
      taken_at: taken.taken_at,
      rows: taken.rows,
      differences: 0,
      erased: 1,
      events: taken.events + 1,
    });
  });

  it('has every write that was acknowledged before it began', async () => {
    place.server = startWorkforce(['start', '--no-demo', '--json'], {
      WORKFORCE_DATA_DIR: place.data!,
      PORT: '0',
      SANDBOX_PORT: '0',
      OPS_PORT: '0',
      LOG_LEVEL: 'error',
    });
    const [line] = await place.server.untilPrinted(/^\{"api":.*\}$/m);
    const url = (JSON.parse(line) as { api: string }).api.replace('/api/v1', '');
    const document = (await (await fetch(`${url}/api/v1/openapi.json`)).json()) as OpenApiDocument;
    place.client = new ApiClient(url, organisation.apiKey, new AnswerCheck(document));
    const there = new Map(
      (await new PeopleActions({ client: place.client! }).all<Person>('/people', { limit: 200 })).map((person) => [
        person.id,
        person,
      ]),
    );
    expect(before.length).toBeGreaterThanOrEqual(WRITERS * PEOPLE);
    for (const { person } of before) expect(there.get(person.id)).toEqual(person);
    // Those who were made after it are not.
    expect(written.filter(({ person }) => !there.has(person.id)).length).toBeGreaterThan(0);
    for (const { id } of [erased.before, erased.after])
      expect(there.get(id)).toMatchObject({ display_name: '[erased]' });
  });

  it('leaves nothing of those who are erased in any table, and no key', async () => {
    const { databaseUrl } = JSON.parse(await readFile(join(place.data!, 'runtime.json'), 'utf8')) as {
      databaseUrl: string;
    };
    const pool = createPool(databaseUrl, { applicationName: 'test', maximum: 2 });
    try {
      const { rows: tables } = await pool.query<{ name: string }>(
        "select tablename as name from pg_tables where schemaname = 'public'",
      );
      for (const { name } of tables) {
        const { rows } = await pool.query<{ text: string | null }>(
          `select string_agg(t::text, chr(10)) as text from ${name} t`,
        );
        expect([name, rows[0]!.text?.includes(FIRST_NAME) ?? false, name === 'restore_under_way']).toEqual([
          name,
          false,
          false,
        ]);
      }
      const { rows } = await pool.query<{ person_id: string }>(
        'select person_id from person_keys where key is null order by 1',
      );
      expect(rows.map(({ person_id: id }) => id)).toEqual([erased.before.id, erased.after.id].sort());
      const beside = (await readFile(join(place.data!, 'erasures.ndjson'), 'utf8')).trim().split('\n');
      expect(beside.map((line) => (JSON.parse(line) as { person_id: string }).person_id).sort()).toEqual(
        [erased.before.id, erased.after.id].sort(),
      );
    } finally {
      await pool.end();
    }
  });

  it('goes on where it was: what is written next is read, projected and told after what was restored', async () => {
    const { databaseUrl } = JSON.parse(await readFile(join(place.data!, 'runtime.json'), 'utf8')) as {
      databaseUrl: string;
    };
    const pool = createPool(databaseUrl, { applicationName: 'test', maximum: 2 });
    try {
      const { rows: told } = await pool.query<{ count: number }>('select count(*)::int as count from webhook_events');
      expect(told[0]!.count).toBeGreaterThan(0);
      const { id } = dataOf<Person>(
        201,
        await place.client!.post('/people', { work_email: newEmail(), start_date: '2025-01-01' }),
      );
      const deliveries = async () =>
        (
          await pool.query<{ event_type: string }>('select event_type from webhook_deliveries where resource_id = $1', [
            id,
          ])
        ).rows;
      await eventually(async () => (await deliveries()).length > 0);
      expect(await deliveries()).toEqual([{ event_type: 'person.created' }]);
      const { rows } = await pool.query<{ is_last: boolean; ahead: number }>(
        `select (select stream from events order by transaction_id desc, position desc limit 1) like 'person-%' || $1 as is_last,
                (select count(*)::int from events where transaction_id >= pg_snapshot_xmin(pg_current_snapshot())) as ahead`,
        [id],
      );
      expect(rows).toEqual([{ is_last: true, ahead: 0 }]);
      // Each event is told once: those that were told before the backup are not told again.
      const { rows: twice } = await pool.query(
        'select webhook_id, event_id from webhook_deliveries group by 1, 2 having count(*) > 1',
      );
      expect(twice).toEqual([]);
    } finally {
      await pool.end();
    }
  });
});

describe('a restore', () => {
  let target: TestDatabase;
  let watching: pg.Pool;
  beforeAll(async () => {
    target = await createTestDatabase({ migrated: false });
    // A restore asks whether others use the database: this counts as its own, where the test's pool, which is
    // not used, would not.
    watching = createPool(target.url, { applicationName: 'workforce restore', maximum: 1 });
  });
  afterAll(async () => {
    await watching.end();
    await target.drop();
  });

  it('that was killed half way is told by every other command, and done by giving it again', async () => {
    const settings = { DATABASE_URL: target.url };
    const killed = startWorkforce(['restore', file], settings);
    const begun = async () =>
      (await watching.query<{ found: boolean }>("select to_regclass('restore_under_way') is not null as found"))
        .rows[0]!.found;
    await eventually(begun);
    await killed.end('SIGKILL');
    const half = programOver(() => target);
    for (const command of [['projections', 'status'], ['migrate']]) {
      const { code, stderr } = await half.workforce(...command);
      expect([command, code, stderr]).toEqual([
        command,
        3,
        expect.stringContaining('A restore into this database was begun and is not finished'),
      ]);
    }
    expect((await half.workforce('doctor')).stdout).toContain(
      'failed   A restore into this database was begun and is not finished.',
    );
    const again = await runWorkforce(['restore', file, '--json'], settings);
    expect({ code: again.code, stderr: again.stderr }).toEqual({ code: 0, stderr: '' });
    // Without the list of erasures only the backup's own is known.
    expect(JSON.parse(again.stdout)).toMatchObject({ differences: 0, erased: 0, events: taken.events });
  });

  it('does not touch a database that holds data, or is in use', async () => {
    const full = await programOver(() => target).workforce('restore', file);
    expect([full.code, full.stderr.trim()]).toEqual([
      3,
      expect.stringMatching(/^A backup is restored into an empty database only, and it holds data \(events\)/),
    ]);
    const used = await workforce('restore', file);
    expect([used.code, used.stderr.trim()]).toEqual([
      3,
      expect.stringMatching(/^\d+ other connections use this database: stop the programs that use it first\.$/),
    ]);
  });

  it('takes no file that was cut or altered, and none that is no backup', async () => {
    const bytes = await readFile(file);
    const altered = Buffer.from(bytes);
    altered[Math.floor(altered.length / 2)]! ^= 1;
    const wrong: readonly (readonly [name: string, bytes: Buffer])[] = [
      ['cut', bytes.subarray(0, bytes.length - 100)],
      ['shorter', bytes.subarray(0, Math.floor(bytes.length / 3))],
      ['altered', altered],
      ['text', Buffer.from('not a backup')],
      ['empty', Buffer.alloc(0)],
    ];
    for (const [name, content] of wrong) {
      const path = join(directory, `${name}.backup`);
      await writeFile(path, content);
      const { code, stderr } = await workforce('restore', path);
      expect([name, code, stderr]).toEqual([name, 3, expect.stringContaining('is not a complete backup')]);
    }
    expect((await workforce('restore', join(directory, 'none'))).stderr).toContain('There is no file');
    expect((await workforce('backup', file)).stderr).toContain('exists already');
    const cutList = join(directory, 'cut.ndjson');
    await writeFile(cutList, (await readFile(list, 'utf8')).split('\n').slice(1).join('\n'));
    expect((await workforce('restore', file, '--erasures', cutList)).stderr).toContain(
      'is incomplete: it declares 2 erasures and contains 1',
    );
  });

  it('and a backup say what they do not do with events in EventStoreDB', async () => {
    const database = await createTestDatabase();
    await database.pool.query("insert into event_log (kind) values ('eventstoredb')");
    const elsewhere = programOver(() => database, { EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false' });
    for (const command of ['backup', 'restore'])
      expect((await elsewhere.workforce(command, join(directory, 'x'))).stderr).toContain('Events are in EventStoreDB');
    await database.drop();
  });

  it('of keys that are wrapped needs the master key', async () => {
    const masterKey = { MASTER_KEY: randomBytes(32).toString('base64') };
    const source = programOver(() => api.database, masterKey);
    await source.json('secrets', 'wrap');
    const wrapped = join(directory, 'wrapped.backup');
    await source.json('backup', wrapped);
    const other = await createTestDatabase({ migrated: false });
    try {
      const without = await runWorkforce(['restore', wrapped], { DATABASE_URL: other.url });
      expect([without.code, without.stderr]).toEqual([3, expect.stringContaining('set MASTER_KEY or MASTER_KEY_FILE')]);
      const restored = await runWorkforce(['restore', wrapped, '--json'], { DATABASE_URL: other.url, ...masterKey });
      expect({ code: restored.code, stderr: restored.stderr }).toEqual({ code: 0, stderr: '' });
      expect(JSON.parse(restored.stdout)).toMatchObject({ differences: 0 });
    } finally {
      await other.drop();
    }
  });
});
