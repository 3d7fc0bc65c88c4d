import { readConfiguration } from '#configuration/configuration.js';
import { createLogger } from '#configuration/logger.js';
import { createPool } from '#database/pool.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import {
  listOpenRebuilds,
  type RequestedRebuildParts,
  runRequestedRebuild,
} from '#projections/rebuild/requested-rebuilds.js';
import { PROJECTIONS } from '#composition/registry.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.js';
import { startTestRedis, type TestRedis } from '../../../test/support/redis.js';
import { testContext, testServices } from '../../../test/support/command-services.js';
import { createLocation } from '#organisation/location/location.api.js';
import { eventually } from '../../../test/contract/event-store.support.js';
import { newOrganisation } from '../../../test/support/api/test-api.js';
import { startTestWorker } from '../../../test/support/worker.js';
import { startOperations } from './operations.js';

const TOKEN = 'a-token-of-an-operator';
const BEARER = { authorization: `Bearer ${TOKEN}` };
const MARKER = 'marker-of-a-street';
const logger = createLogger('silent');

let database: TestDatabase;
let redis: TestRedis;
let operations: Awaited<ReturnType<typeof startOperations>>;
let organisationId: string;

beforeAll(async () => {
  database = await createTestDatabase({ migrated: true });
  redis = await startTestRedis();
  operations = await start({ OPS_TOKEN: TOKEN, REDIS_URL: redis.url });
  const services = testServices(database);
  organisationId = (await newOrganisation(services)).id;
  for (const label of ['Harbour', 'Hill', 'Lake'])
    await createLocation(services, testContext(organisationId), {
      label,
      address_line_1: MARKER,
      address_line_2: null,
      address_line_3: null,
      city: 'Leeds',
      region_state: '',
      postal_code: '',
      country_code: 'GB',
      capacity: null,
    });
});
afterAll(async () => {
  await operations.stop();
  await redis.stop();
  await database.drop();
});

const start = (environment: NodeJS.ProcessEnv): ReturnType<typeof startOperations> =>
  startOperations({
    pool: database.pool,
    eventStore: new PostgresEventStore(database.pool),
    configuration: readConfiguration(environment),
    port: 0,
    logger,
    readiness: () => [],
  });

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly json: never;
}

async function send(path: string, options: RequestInit = {}, { url } = operations): Promise<Answered> {
  const response = await fetch(`${url}${path}`, { headers: BEARER, ...options });
  const text = await response.text();
  return { status: response.status, text, json: JSON.parse(text) as never };
}

interface DisplayedEvent {
  readonly position: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly fields: readonly string[];
  readonly metadata: { readonly actor: object };
}

interface DisplayedEvents {
  readonly head: string;
  readonly events: readonly DisplayedEvent[];
  readonly before: string | null;
  readonly after: string | null;
}

interface DisplayedProjections {
  readonly projections: readonly {
    readonly name: string;
    readonly lag_seconds: number;
    readonly tables: readonly string[];
  }[];
  readonly requests: readonly {
    readonly id: string;
    readonly projection: string;
    readonly state: string;
    readonly events: number | null;
    readonly rows: number | null;
    readonly differences: number | null;
  }[];
}

const log = async (query: string): Promise<DisplayedEvents> => (await send(`/events?${query}`)).json;
const projections = async (): Promise<DisplayedProjections> => (await send('/projections')).json;

describe('the routes for operators', () => {
  it.each(['/projections', '/engines', '/events', '/events/search', '/last-hour'])(
    '%s asks for the token',
    async (path) => {
      expect((await send(path, { headers: {} })).status).toBe(401);
      expect((await send(path)).status).toBe(200);
    },
  );

  it('search the log by type, time, stream and person, newest first and page by page, without values', async () => {
    const worker = await startTestWorker(database);
    const search = async (query: Record<string, string>): Promise<DisplayedEvents> =>
      (await send(`/events/search?${new URLSearchParams(query).toString()}`)).json;
    const labels = ({ events }: DisplayedEvents) => events.map(({ stream, revision }) => `${stream} ${revision}`);
    try {
      await eventually(async () => (await search({ type: 'LocationCreated' })).events.length === 3);
    } finally {
      await worker.stop();
    }
    const found = await search({ stream: `location-${organisationId}.` });
    expect(found).toMatchObject({ before: null });
    expect(found.events.map(({ type }) => type)).toEqual(Array(3).fill('LocationCreated'));
    expect(JSON.stringify(found)).not.toContain(MARKER);
    const newest = await log('limit=3');
    expect(labels(found)).toEqual(labels(newest).toReversed());
    const first = await search({ type: 'LocationCreated', limit: '2' });
    const second = await search({ type: 'LocationCreated', limit: '2', before: first.before! });
    expect([...labels(first), ...labels(second), second.before]).toEqual([...labels(found), null]);
    const now = new Date(Date.now() + 60_000).toISOString();
    expect((await search({ stream: 'location-', from: now })).events).toEqual([]);
    expect((await search({ stream: 'location-', to: now })).events).toHaveLength(3);
    expect((await search({ person: 'nobody' })).events).toEqual([]);
    for (const query of ['limit=0', 'from=today', 'before=x', 'person=', 'nothing=1'])
      expect((await send(`/events/search?${query}`)).status).toBe(400);
  });

  it('show throughput and lag of the last hour, also of the time before the start of the process', async () => {
    const since = Date.now();
    await eventually(async () => {
      const { minutes } = (await send('/last-hour')).json as {
        minutes: readonly { at: string; events: number; lag_seconds: number | null }[];
      };
      expect(minutes).toHaveLength(60);
      expect(Date.parse(minutes.at(-1)!.at)).toBeGreaterThanOrEqual(since - 60_000);
      return minutes.at(-1)!.lag_seconds !== null;
    });
    const restarted = await start({ OPS_TOKEN: TOKEN });
    try {
      await eventually(async () => {
        const { minutes } = (await send('/last-hour', {}, restarted)).json as {
          minutes: readonly { events: number }[];
        };
        return minutes.reduce((sum, { events }) => sum + events, 0) >= 3;
      });
    } finally {
      await restarted.stop();
    }
  });

  it('show engines with version and latency, and one that does not answer', async () => {
    const { engines } = (await send('/engines')).json as { engines: readonly Record<string, unknown>[] };
    const up = { is_up: true, latency_ms: expect.any(Number), message: null };
    expect(engines).toEqual([
      { ...up, name: 'postgresql', does: expect.stringContaining('events'), version: expect.stringMatching(/^18\./) },
      { ...up, name: 'redis', does: 'jobs', version: expect.stringMatching(/^\d+\./) },
    ]);
    const away = await start({ REDIS_URL: 'redis://127.0.0.1:1' });
    try {
      const answer = (await send('/engines', {}, away)).json as { engines: readonly Record<string, unknown>[] };
      expect(answer.engines[1]).toMatchObject({
        name: 'redis',
        is_up: false,
        version: null,
        latency_ms: null,
        message: expect.any(String),
      });
    } finally {
      await away.stop();
    }
  });
});

describe('the event log for operators', () => {
  // Readers stay behind open transactions, also those of other databases of the server.
  beforeAll(() =>
    eventually(
      async () => (await log('limit=200')).events.filter(({ stream }) => stream.startsWith('location-')).length === 3,
    ),
  );

  it('shows the actors and types of events, but no value', async () => {
    const { status, text } = await send('/events?limit=200');
    expect(status).toBe(200);
    const { events } = JSON.parse(text) as DisplayedEvents;
    const created = events.filter(({ stream }) => stream.startsWith(`location-${organisationId}`));
    expect(created).toHaveLength(3);
    expect(created[0]).toMatchObject({
      revision: 0,
      fields: expect.arrayContaining(['label', 'city']),
      metadata: { actor: { id: 'tester' } },
    });
    for (const value of [MARKER, 'Harbour', 'idempotency', 'fingerprint']) expect(text).not.toContain(value);
  });

  it('is read from the end backwards, and from a position forwards, a page at a time', async () => {
    const whole = (await log('limit=200')).events.map(({ position }) => position);
    expect(whole).toEqual(whole.toSorted());
    const last = await log('limit=2');
    expect(last.events.map(({ position }) => position)).toEqual(whole.slice(-2));
    expect(last).toMatchObject({ head: whole.at(-1), after: null, before: whole.at(-2) });
    const earlier = await log(`limit=2&before=${last.before!}`);
    expect(earlier.events.map(({ position }) => position)).toEqual(whole.slice(-4, -2));
    const forwards = await log(`limit=3&after=${whole[0]!}`);
    expect(forwards.events.map(({ position }) => position)).toEqual(whole.slice(1, 4));
    expect(forwards.after).toBe(whole[3]);
    const first = await log(`limit=200&before=${whole[1]!}`);
    expect(first).toMatchObject({ before: null, events: [{ position: whole[0] }] });
  });

  it('is read by stream, the newest event first', async () => {
    const stream = (await log('limit=200')).events.find((event) => event.stream.startsWith('organisation-'))!.stream;
    const { events, next_from: from } = (await send(`/events?stream=${stream}&limit=1`)).json as {
      events: readonly DisplayedEvent[];
      next_from: number | null;
    };
    expect(events[0]).toMatchObject({ stream });
    expect(from).toBe(events[0]!.revision === 0 ? null : events[0]!.revision - 1);
    expect(((await send('/events?stream=nothing-there')).json as { events: readonly [] }).events).toEqual([]);
  });

  it.each([
    ...['limit=0', 'limit=201', 'limit=x', 'after=1', 'before=x', 'colour=red', 'limit=1&limit=2'],
    ...['from=1', 'stream=a&from=-1', 'stream='],
  ])('refuses ?%s', async (query) => expect((await send(`/events?${query}`)).status).toBe(400));
});

describe('a rebuild that an operator requests', () => {
  const openRebuild = async () => {
    const pool = createPool(database.url, { applicationName: 'test rebuild', maximum: 10, statementTimeout: 0 });
    const parts = { pool, eventStore: new PostgresEventStore(pool), clock: { now: () => new Date() } };
    return { parts, close: () => pool.end() };
  };
  const run = async (
    projections: RequestedRebuildParts['projections'] = PROJECTIONS,
    signal = new AbortController().signal,
  ) => {
    const [id] = await listOpenRebuilds(database.pool);
    return runRequestedRebuild({ pool: database.pool, projections, open: openRebuild }, id!, signal);
  };
  const ask = (name: string): Promise<Answered> => send(`/projections/${name}/rebuild`, { method: 'POST' });

  it('is refused for an unknown projection, and while one waits', async () => {
    expect((await ask('nothing')).status).toBe(404);
    const asked = await ask('locations');
    expect([asked.status, asked.json]).toMatchObject([202, { projection: 'locations', state: 'queued' }]);
    expect((await ask('locations')).status).toBe(409);
  });

  it('is run by one process at a time, and its result stays', async () => {
    await database.pool.query(`update locations set label = 'wrong' where organisation_id = $1 and label = 'Lake'`, [
      organisationId,
    ]);
    expect((await Promise.all([run(), run()])).sort()).toEqual(['ended', 'later']);
    const { requests } = await projections();
    expect(requests).toMatchObject([{ projection: 'locations', state: 'done', rows: 3, differences: 1 }]);
    const { rows } = await database.pool.query('select label from locations where organisation_id = $1 order by 1', [
      organisationId,
    ]);
    expect(rows.map((row: { label: string }) => row.label)).toEqual(['Harbour', 'Hill', 'Lake']);
  });

  it('that a process left is taken up by the worker that comes next', async () => {
    await ask('organisations');
    await database.pool.query(
      `update requested_rebuilds set state = 'running', started_at = now() where state = 'queued'`,
    );
    const worker = await startTestWorker(database);
    try {
      await eventually(async () => (await projections()).requests[0]!.state === 'done');
    } finally {
      await worker.stop();
    }
    expect((await projections()).projections.find(({ name }) => name === 'organisations')).toMatchObject({
      lag_seconds: 0,
      rebuild: null,
    });
  });

  it('stays open when the process stops, and ends as failed where this program has no such projection', async () => {
    await ask('locations');
    expect(await run(PROJECTIONS, AbortSignal.abort())).toBe('later');
    expect((await projections()).requests[0]).toMatchObject({ projection: 'locations', state: 'queued' });
    await expect(run([])).rejects.toThrow('no projection locations');
    expect((await projections()).requests[0]).toMatchObject({ state: 'failed', rows: null });
  });
});
