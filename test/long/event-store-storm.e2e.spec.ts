import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { EventStoreDbEventStore } from '#event-store/eventstoredb/eventstoredb-event-store.js';
import type { RecordedEvent } from '#event-store/event-store.js';
import { firstBrokenLink } from '../support/hash-chain.js';
import { rebuild } from '#projections/rebuild/rebuild.js';
import { PROJECTIONS } from '#composition/registry.js';
import { newKey, newOrganisation, servicesOf, UNLIMITED } from '../support/api/test-api.js';
import { ChildServer } from '../support/eventstoredb/child-server.js';
import { befall, type Trouble, TROUBLES } from '../support/eventstoredb/troubles.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { freePorts } from '../support/free-ports.js';
import { type RunningProcess, startUntilReady } from '../support/processes.js';
import { testSize } from '../support/test-size.js';
import { Receiver } from '../support/webhooks/receiver.js';

jest.setTimeout(3_600_000);

/** How often each trouble comes; `docs/reference/tests.md` has the whole storm, every run a smaller one. */
const TIMES = testSize('EVENT_STORE_STORM_TIMES', { usual: 1, long: 2 });
const WRITERS = 16;
const FACTS_OF_A_PERSON = 8;
/** The first strike and every tenth after it last for longer than the adapter waits. */
const LONG_ONE_IN = 10;
const TIMEOUT_MILLISECONDS = 60_000;

/** A write that was acknowledged, by the key it was sent with. */
interface Acknowledged {
  readonly key: string;
  readonly kind: 'person' | 'fact';
  readonly id: string;
  readonly writer: number;
  /** `performance.now()` of the answer. */
  readonly at: number;
}

let database: TestDatabase;
let server: ChildServer;
let store: EventStoreDbEventStore;
const processes: RunningProcess[] = [];
let apis: string[];
let apiKey: string;
const receiver = new Receiver();
const acknowledged: Acknowledged[] = [];
const answers = new Map<number | 'none', number>();
let isOver = false;

beforeAll(async () => {
  database = await createTestDatabase();
  server = await ChildServer.start();
  store = new EventStoreDbEventStore({ connectionString: server.connectionString });
  const services = { ...(await servicesOf(database)), store };
  apiKey = (await newKey(services, await newOrganisation(services))).apiKey;
  const ports = await freePorts(2);
  apis = ports.map((port) => `http://127.0.0.1:${port}/api/v1`);
  for (const port of [...ports, 0]) processes.push(await launch(port === 0 ? 'worker' : 'api', port));
  for (const [index, api] of apis.entries()) await processes[index]!.untilAnswers(`${api}/me`);
});

afterAll(async () => {
  isOver = true;
  await Promise.all(processes.map((running) => running.end('SIGKILL')));
  await receiver.stop();
  await store.close();
  await server.stop();
  await database.drop();
});

function launch(command: 'api' | 'worker', port: number): Promise<RunningProcess> {
  const limits = Object.fromEntries(
    ['KEY', 'KEY_WRITES', 'ORGANISATION'].map((limit) => [`RATE_LIMIT_${limit}`, String(UNLIMITED)]),
  );
  const environment = {
    DATABASE_URL: database.url,
    EVENTSTORE_URL: server.connectionString,
    WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    LOG_LEVEL: 'fatal',
  };
  return startUntilReady([command], { ...environment, ...limits, PORT: String(port), SANDBOX_PORT: '0' });
}

const headers = (key?: string): Record<string, string> => ({
  authorization: `Bearer ${apiKey}`,
  ...(key === undefined ? {} : { 'content-type': 'application/json', 'idempotency-key': key }),
});

/**
 * What is not success, as callers are promised it: a 503 that says when to come again, or that the first
 * attempt is still in progress.
 */
function expectPromisedRefusal(status: number, text: string, retryAfter: string | null): void {
  const { error } = JSON.parse(text) as {
    error: { code: string; request_id?: string; details?: readonly { issue: string }[] };
  };
  if (status === 409) expect([error.code, error.details?.[0]?.issue]).toEqual(['idempotency_conflict', 'in_progress']);
  else expect([status, error.code]).toEqual([503, 'internal_error']);
  expect(retryAfter).toMatch(/^\d+$/);
}

/** Sends until it is acknowledged, to whichever API, with the same key however often. */
async function send(path: string, body: object, key: string): Promise<string> {
  for (;;) {
    const asked = await fetch(`${apis[randomInt(apis.length)]}${path}`, {
      method: 'POST',
      headers: headers(key),
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
    }).catch(() => null);
    const text = (await asked?.text().catch(() => null)) ?? null;
    answers.set(text === null ? 'none' : asked!.status, (answers.get(text === null ? 'none' : asked!.status) ?? 0) + 1);
    if (asked !== null && text !== null) {
      if (asked.ok) return (JSON.parse(text) as { data: { id: string } }).data.id;
      expectPromisedRefusal(asked.status, text, asked.headers.get('retry-after'));
    }
    await wait(100);
  }
}

async function write(writer: number): Promise<void> {
  const record = async (kind: Acknowledged['kind'], path: string, body: object): Promise<string> => {
    const key = randomUUID();
    const id = await send(path, body, key);
    acknowledged.push({ key, kind, id, writer, at: performance.now() });
    await wait(randomInt(60));
    return id;
  };
  while (!isOver) {
    const person = await record('person', '/people', {
      work_email: `p-${randomUUID()}@example.com`,
      start_date: '2020-01-01',
    });
    for (let fact = 0; fact < FACTS_OF_A_PERSON && !isOver; fact += 1) {
      await record('fact', `/people/${person}/employment-history`, {
        start_date: `2021-01-0${fact + 1}`,
        job_title: `T${fact}`,
        correction_reason: 'storm',
      });
    }
  }
}

/**
 * Reads people that were acknowledged, all the time: nothing that happens to the event store may be seen in
 * it.
 */
async function readAllAlong(): Promise<number> {
  let reads = 0;
  while (!isOver) {
    const people = acknowledged.filter(({ kind }) => kind === 'person');
    if (people.length > 0) {
      const { id } = people[randomInt(people.length)]!;
      const answer = await fetch(`${apis[randomInt(apis.length)]}/people/${id}`, {
        headers: headers(),
        signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
      });
      expect([answer.status, ((await answer.json()) as { data: { id: string } }).data.id]).toEqual([200, id]);
      reads += 1;
    }
    await wait(20);
  }
  return reads;
}

interface Recovery {
  readonly trouble: Trouble;
  /**
   * Milliseconds from the end of the trouble to the next write that was acknowledged, and until every writer
   * had one.
   */
  readonly first: number;
  readonly all: number;
}

async function recover(trouble: Trouble): Promise<Recovery> {
  const mended = performance.now();
  const since = (): readonly Acknowledged[] => acknowledged.filter(({ at }) => at > mended);
  while (new Set(since().map(({ writer }) => writer)).size < WRITERS) await wait(20);
  const writers = [...Array(WRITERS).keys()].map((writer) => since().find((one) => one.writer === writer)!.at);
  return { trouble, first: Math.min(...writers) - mended, all: Math.max(...writers) - mended };
}

/** Figures for whoever runs the whole storm. */
function told(recoveries: readonly Recovery[], reads: number): string {
  const lines = TROUBLES.map((trouble) => {
    const own = recoveries.filter((one) => one.trouble === trouble);
    const line = (values: readonly number[]): string => {
      const sorted = [...values].sort((one, other) => one - other).map(Math.round);
      return `median ${sorted[Math.floor(sorted.length / 2)]} ms, longest ${sorted.at(-1)} ms`;
    };
    return `${trouble} ${own.length} times: a write again after ${line(own.map(({ first }) => first))}; all ${WRITERS} writers after ${line(own.map(({ all }) => all))}`;
  });
  const answered = [...answers].map(([status, count]) => `${count} x ${status}`).join(', ');
  return [...lines, `${acknowledged.length} writes acknowledged, ${reads} reads meanwhile; answers: ${answered}`].join(
    '\n',
  );
}

function grouped(
  events: readonly RecordedEvent[],
  by: (event: RecordedEvent) => string,
): ReadonlyMap<string, readonly RecordedEvent[]> {
  const groups = new Map<string, RecordedEvent[]>();
  for (const event of events) {
    const group = groups.get(by(event)) ?? [];
    group.push(event);
    groups.set(by(event), group);
  }
  return groups;
}

async function completeLog(): Promise<readonly RecordedEvent[]> {
  return store.readAll(null, 10_000_000);
}

async function undelivered(expected: number): Promise<boolean> {
  const { rows } = await database.pool.query<{ delivered: number }>(
    `select count(*)::integer as delivered from webhook_deliveries where status = 'delivered'`,
  );
  return rows[0]!.delivered < expected;
}

it(`loses, doubles and invents nothing while EventStoreDB is killed, hung and late ${TIMES} times each, and every reader is answered`, async () => {
  const url = await receiver.start();
  await send(
    '/webhooks',
    { name: 'Oracle', url: `${url}/in`, subscribed_events: ['person.created', 'person.updated'] },
    randomUUID(),
  );
  const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  const reading = readAllAlong();
  const troubling = (async () => {
    const recoveries: Recovery[] = [];
    const order = TROUBLES.flatMap((trouble) =>
      Array.from({ length: TIMES }, () => ({ trouble, place: Math.random() })),
    ).sort((one, other) => one.place - other.place);
    for (const [strike, { trouble }] of order.entries()) {
      await wait(200 + randomInt(600));
      await befall(server, trouble, strike % LONG_ONE_IN === 0);
      recoveries.push(await recover(trouble));
    }
    isOver = true;
    return recoveries;
  })();
  const [recoveries, reads] = await Promise.all([troubling, reading, writing]);
  for (const running of processes) expect(await Promise.race([running.exited, wait(0, 'running')])).toBe('running');
  process.stdout.write(`${told(recoveries, reads)}\n`);
  // Or the storm would say nothing of retries.
  expect(answers.get(503)).toBeGreaterThan(0);

  const events = await completeLog();
  const byKey = grouped(
    events.filter(({ metadata }) => metadata.idempotency_key !== null),
    ({ metadata }) => metadata.idempotency_key!,
  );
  // The oracle: each acknowledged write is there once, with the events that it is made of, and nothing else
  // is.
  const typesOf = { person: ['EmploymentStarted', 'PersonCreated'], fact: ['EmploymentCorrected'] };
  for (const { key, kind } of acknowledged)
    expect([
      key,
      byKey
        .get(key)
        ?.map(({ type }) => type)
        .sort(),
    ]).toEqual([key, typesOf[kind]]);
  expect(byKey.size).toBe(acknowledged.length + 1);
  for (const stream of grouped(events, ({ stream: name }) => name).values())
    expect([stream[0]!.stream, firstBrokenLink(stream)]).toEqual([stream[0]!.stream, null]);

  while (await undelivered(acknowledged.length)) await wait(200);
  const { rows } = await database.pool.query<{
    id: string;
    event_id: string;
    event_type: string;
    resource_id: string;
    status: string;
  }>('select id, event_id, event_type, resource_id, status from webhook_deliveries');
  expect([rows.length, new Set(rows.map(({ event_id }) => event_id)).size]).toEqual([
    acknowledged.length,
    acknowledged.length,
  ]);
  const came = new Set(receiver.requests.map((request) => String(request.headers['service-webhook-delivery-id'])));
  expect(rows.filter(({ id, status }) => status !== 'delivered' || !came.has(id))).toEqual([]);
  const created = rows
    .filter(({ event_type }) => event_type === 'person.created')
    .map(({ resource_id }) => resource_id);
  expect(created.sort()).toEqual(
    acknowledged
      .filter(({ kind }) => kind === 'person')
      .map(({ id }) => id)
      .sort(),
  );

  for (const projection of PROJECTIONS) {
    const { differences } = await rebuild(
      { pool: database.pool, eventStore: store, clock: { now: () => new Date() } },
      projection,
    );
    expect([projection.name, differences]).toEqual([projection.name, 0]);
  }
});
