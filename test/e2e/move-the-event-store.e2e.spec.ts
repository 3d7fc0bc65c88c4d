import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EventStoreDbEventStore } from '#event-store/eventstoredb/eventstoredb-event-store.js';
import { categoryOf, type EventStore, type RecordedEvent } from '#event-store/event-store.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { eventsOfHistory } from '#event-store/transfer/read-history.js';
import { projectEvents } from '#projections/catch-up.js';
import { rebuild } from '#projections/rebuild/rebuild.js';
import { POSITION_COLUMNS } from '#composition/event-positions.js';
import { publicEventsOf } from '#webhooks/publish/public-events.js';
import { AGGREGATES, PROJECTIONS } from '#composition/registry.js';
import { FanOut } from '#webhooks/publish/fan-out.js';
import { eventually } from '../contract/event-store.support.js';
import { recordEverything } from '../support/api/everything.js';
import { PeopleActions } from '../support/api/people.js';
import { TestApi, type TestOrganisation } from '../support/api/test-api.js';
import { WebhookActions } from '../support/api/webhooks.js';
import { PATIENCE } from '../support/eventstoredb/patience.js';
import { EventStoreDbTestServer } from '../support/eventstoredb/test-server.js';
import { allReadable, type TestDatabase } from '../support/postgres.js';
import { programOver } from '../support/program.js';
import { temporaryDirectory } from '../support/test-server.js';

interface ImportAnswer {
  readonly events: number;
  readonly imported: number;
  readonly present: number;
  readonly positions_moved: boolean;
}

let api: TestApi;
let organisation: TestOrganisation;
let people: PeopleActions;
let server: EventStoreDbTestServer;
let directory: string;
let elsewhere: EventStore;
let here: EventStore;
const ids: string[] = [];

beforeAll(async () => {
  [api, server, directory] = await Promise.all([TestApi.start(), EventStoreDbTestServer.start(), temporaryDirectory()]);
  here = new PostgresEventStore(api.database.pool);
  elsewhere = new EventStoreDbEventStore({
    connectionString: server.connectionString,
    ...PATIENCE,
  });
  organisation = await api.organisation();
  people = new PeopleActions(organisation);
  await recordEverything(api, organisation);
  await new WebhookActions(organisation).create({ subscribed_events: ['person.created', 'person.updated'] });
  for (let count = 0; count < 4; count += 1) await createPerson();
});

afterAll(async () => {
  await Promise.all([here.close(), elsewhere.close()]);
  await server.stop();
  await api.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Somebody whose history was corrected, so that what was known changed. */
async function createPerson(): Promise<void> {
  const { id } = await people.create({ start_date: '2025-01-01', job_title: 'Engineer' });
  await people.change(id, { start_date: '2025-06-01', job_title: 'Senior Engineer' });
  await people.correct(id, {
    start_date: '2025-05-01',
    job_title: 'Senior Engineer',
    corrects: (await people.facts(id)).at(-1)!.fact_id,
  });
  ids.push(id);
}

const inPostgres = programOver(() => api.database);
const inEventStoreDb = (...parameters: readonly string[]): ReturnType<typeof inPostgres.workforce> =>
  programOver(() => api.database, { EVENTSTORE_URL: server.connectionString }).workforce(...parameters);

async function answer<T>(ran: ReturnType<typeof inPostgres.workforce>): Promise<T> {
  const { code, stdout, stderr } = await ran;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as T;
}

const file = (name: string): string => join(directory, name);

/** Everything that callers see of people, with entity tags, page by page, at every moment of knowledge. */
async function seen(): Promise<unknown> {
  const { client } = organisation;
  const all: unknown[] = [
    await people.all('/people', { limit: 2 }),
    await people.all('/people', { limit: 3, updated_since: '2020-01-01T00:00:00Z' }),
  ];
  for (const id of ids) {
    for (const path of ['', '/employment', '/employment-history', '/timeline']) {
      const { status, headers, json } = await client.get(`/people/${id}${path}`);
      all.push([status, headers.etag, json.data]);
    }
    for (const { recorded_at: instant } of await people.facts(id))
      all.push(await people.timeline(id, { known_at: instant }));
  }
  return all;
}

/** Follows the log in this store for as long as it takes; nothing is sent. */
async function tellIntegrators(store: EventStore): Promise<void> {
  const { pool } = api.database;
  const stopping = new AbortController();
  const failures: unknown[] = [];
  const running = new FanOut({
    pool,
    eventStore: store,
    mint: api.services.mint,
    publicEventsOf: (events) => publicEventsOf(api.services.mint, AGGREGATES, events),
    noticesOf: () => [],
    projectEndpoints: async (events) =>
      void (await projectEvents(
        { eventStore: store, projector: api.services.projector },
        pool,
        events.filter(({ stream }) => categoryOf(stream) === 'webhook'),
      )),
    onLeading: async () => undefined,
    onQueued: async () => undefined,
    onStopped: () => undefined,
    onError: (error) => failures.push(error),
  }).run(stopping.signal);
  const head = await store.head();
  await eventually(
    async () =>
      (await pool.query('select from webhook_fan_out where position = $1', [head])).rowCount === 1 &&
      (await behind()) === 0,
  );
  stopping.abort();
  await running;
  expect(failures).toEqual([]);
}

async function behind(): Promise<number> {
  const { rows } = await api.database.pool.query<{ count: number }>(
    `select count(*)::integer as count from webhooks w left join webhook_cursors c on c.webhook_id = w.id
      where w.status = 'active' and exists (select from webhook_events e where e.organisation_id = w.organisation_id and e.position > greatest(c.position, w.activated_position))`,
  );
  return rows[0]!.count;
}

async function deliveries(): Promise<readonly string[]> {
  const { rows } = await api.database.pool.query<{ delivery: string }>(
    `select webhook_id || ' ' || event_id as delivery from webhook_deliveries where event_type <> 'webhook.test' order by 1`,
  );
  return rows.map((row) => row.delivery);
}

async function completeLog(store: EventStore): Promise<readonly Omit<RecordedEvent, 'position'>[]> {
  return (await store.readAll(null, 100_000)).map(({ position: _, ...event }) => event);
}

async function rebuiltDifferences(store: EventStore): Promise<number> {
  let differences = 0;
  for (const projection of PROJECTIONS)
    differences += (
      await rebuild({ pool: api.database.pool, eventStore: store, clock: { now: () => new Date() } }, projection)
    ).differences;
  return differences;
}

it('knows every column outside the event store that holds positions', async () => {
  const { rows } = await api.database.pool.query<{ place: string }>(
    `select table_name || '.' || column_name as place from information_schema.columns
      where table_schema = 'public' and (column_name like '%position%' or column_name like 'up_to%') and table_name not in ('events', 'event_store_moves', 'projection_rebuilds')`,
  );
  expect(POSITION_COLUMNS.map(({ table, column }) => `${table}.${column}`).sort()).toEqual(
    rows.map(({ place }) => place).sort(),
  );
});

it('moves a history to EventStoreDB and back: all that is seen, every time, tag, id and order stays', async () => {
  const { pool } = api.database;
  await allReadable(pool);
  await tellIntegrators(here);
  await createPerson();
  await allReadable(pool);
  const [before, log, told] = [await seen(), await completeLog(here), await deliveries()];
  await answer(inPostgres.workforce('audit', 'anchor', '--json'));

  // There: a part first, as a kill leaves it.
  expect(
    await answer<{ events: number }>(inPostgres.workforce('events', 'export', file('first'), '--json')),
  ).toMatchObject({
    events: log.length,
  });
  for await (const batch of eventsOfHistory(file('first'), 37)) {
    await elsewhere.importEvents(batch);
    break;
  }
  expect(await answer<ImportAnswer>(inEventStoreDb('events', 'import', file('first'), '--json'))).toMatchObject({
    imported: log.length - 37,
    present: 37,
    positions_moved: true,
  });
  expect(await answer<ImportAnswer>(inEventStoreDb('events', 'import', file('first'), '--json'))).toMatchObject({
    imported: 0,
    present: log.length,
    positions_moved: false,
  });
  expect(await completeLog(elsewhere)).toEqual(log);
  expect(await seen()).toEqual(before);
  expect(await rebuiltDifferences(elsewhere)).toBe(0);
  expect(
    await answer<{ ok: boolean; anchored_events: number }>(inEventStoreDb('audit', 'verify', '--json')),
  ).toMatchObject({
    ok: true,
    anchored_events: log.length,
  });

  // What was not told before is told now, and nothing twice; something is recorded there.
  await tellIntegrators(elsewhere);
  const afterwards = await deliveries();
  expect(new Set(afterwards).size).toBe(afterwards.length);
  expect(afterwards).toEqual(expect.arrayContaining([...told]));
  expect(afterwards.length).toBeGreaterThan(told.length);
  const { code } = await inEventStoreDb('organisations', 'set', organisation.row.subdomain, '--name', 'Moved');
  expect(code).toBe(0);
  await answer(inEventStoreDb('audit', 'anchor', '--json'));

  // Back: PostgreSQL still has the beginning.
  await answer(inEventStoreDb('events', 'export', file('second'), '--json'));
  expect(await answer<ImportAnswer>(inPostgres.workforce('events', 'import', file('second'), '--json'))).toMatchObject({
    imported: 1,
    present: log.length,
    positions_moved: true,
  });
  await allReadable(pool);
  expect(await completeLog(here)).toEqual(await completeLog(elsewhere));
  expect(await seen()).toEqual(before);
  expect(await rebuiltDifferences(here)).toBe(0);
  expect(
    await answer<{ ok: boolean; anchored_events: number }>(inPostgres.workforce('audit', 'verify', '--json')),
  ).toMatchObject({
    ok: true,
    anchored_events: log.length + 1,
  });
  await tellIntegrators(here);
  expect(await deliveries()).toEqual(afterwards);
});

describe('an import refuses', () => {
  const exported = async (): Promise<Buffer> => readFile(await exportOnce());
  let exporting: Promise<string> | null = null;
  const exportOnce = (): Promise<string> => {
    exporting ??= answer(inPostgres.workforce('events', 'export', file('refused'), '--json')).then(() =>
      file('refused'),
    );
    return exporting;
  };

  it.each<[string, (bytes: Buffer) => Buffer, string]>([
    [
      'a file without its last line',
      (bytes) => bytes.subarray(0, bytes.lastIndexOf(10, bytes.length - 2) + 1),
      'The file was cut off',
    ],
    ['a file that ends within a line', (bytes) => bytes.subarray(0, bytes.length / 2), 'The file was cut off'],
    [
      'a file in which a time was changed',
      (bytes) => Buffer.from(bytes.toString().replace(/"recorded_at":"20\d/, '"recorded_at":"209')),
      'The file was changed',
    ],
    [
      'a file in which something that was said was changed',
      (bytes) => Buffer.from(bytes.toString().replace('"data":{', '"data":{"forged":1,')),
      'The hash chain of',
    ],
    [
      'a file from which a line was taken',
      (bytes) =>
        Buffer.from(
          bytes
            .toString()
            .split('\n')
            .filter((_, index) => index !== 3)
            .join('\n'),
        ),
      'The',
    ],
    ['two files in one', (bytes) => Buffer.concat([bytes, bytes]), 'is after the end of the file'],
    ['something else', () => Buffer.from('work_email,first_name\n'), 'Line 1 of the file is not a JSON object'],
    ['nothing', () => Buffer.from(''), 'The file was cut off'],
  ])('%s', async (_, change, message) => {
    await writeFile(file('changed'), change(await exported()));
    const { code, stderr } = await inEventStoreDb('events', 'import', file('changed'));
    expect([code, stderr]).toEqual([3, expect.stringContaining(message)]);
  });

  it('an event store that holds something else, and leaves it as it is', async () => {
    const other = await TestApi.start();
    try {
      await other.organisation();
      await allReadable(other.database.pool);
      const { code, stderr } = await programOver((): TestDatabase => other.database).workforce(
        'events',
        'import',
        await exportOnce(),
      );
      expect([code, stderr]).toEqual([3, expect.stringContaining('The event store is not empty')]);
    } finally {
      await other.stop();
    }
  });

  it('to work beside a process that writes, and a file that is not there', async () => {
    const { createPool } = await import('#database/pool.js');
    const writer = createPool(api.database.url, { applicationName: 'workforce api', maximum: 1 });
    await writer.query('select 1');
    const { code, stderr } = await inPostgres.workforce('events', 'import', await exportOnce());
    await writer.end();
    expect([code, stderr]).toEqual([3, expect.stringContaining('workforce api is running: stop every process first')]);
    expect((await inPostgres.workforce('events', 'import', file('missing'))).stderr).toContain('cannot be read');
  });

  it('a file that does not go with what the database knows of its log', async () => {
    const { pool } = api.database;
    await pool.query(
      `update projection_checkpoints set position = '99999999999999999999.99999999999999999999' where name = 'people'`,
    );
    await pool.query(
      `insert into projection_checkpoints (name, position) values ('people', '99999999999999999999.99999999999999999999') on conflict do nothing`,
    );
    await pool.query('delete from event_store_moves');
    const { code, stderr } = await inPostgres.workforce('events', 'import', await exportOnce());
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining('The table projection_checkpoints names an event that the file does not hold'),
    ]);
  });
});
