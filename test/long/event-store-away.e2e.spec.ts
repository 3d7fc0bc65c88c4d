import { randomUUID } from 'node:crypto';
import { EventStoreDbEventStore } from '#event-store/eventstoredb/eventstoredb-event-store.js';
import { eventually } from '../contract/event-store.support.js';
import { newKey, newOrganisation, servicesOf } from '../support/api/test-api.js';
import { ChildServer } from '../support/eventstoredb/child-server.js';
import { EventStoreDbTestServer } from '../support/eventstoredb/test-server.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { freePorts } from '../support/free-ports.js';
import { type RunningProcess, runWorkforce, startUntilReady } from '../support/processes.js';
import { certificateFor } from '../support/webhooks/certificate.js';

const PASSWORD = 'hunter2-of-the-event-store';

let database: TestDatabase;
let server: ChildServer;
let environment: Record<string, string>;
let api: RunningProcess;
let address: string;
let operations: string;
let apiKey: string;
let personId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  server = await ChildServer.start();
  const store = new EventStoreDbEventStore({ connectionString: server.connectionString });
  const services = { ...(await servicesOf(database)), store };
  apiKey = (await newKey(services, await newOrganisation(services))).apiKey;
  await store.close();
  const [port, operationsPort] = await freePorts(2);
  environment = {
    DATABASE_URL: database.url,
    EVENTSTORE_URL: server.connectionString.replace('://', `://workforce:${PASSWORD}@`),
    PORT: String(port),
    SANDBOX_PORT: '0',
    OPS_PORT: String(operationsPort),
    LOG_LEVEL: 'trace',
  };
  [address, operations] = [`http://127.0.0.1:${port}/api/v1`, `http://127.0.0.1:${operationsPort}/health`];
  api = await startUntilReady(['api'], environment);
  await api.untilAnswers(`${address}/me`);
  personId = ((await (await create(randomUUID())).json()) as { data: { id: string } }).data.id;
});

afterAll(async () => {
  await api.end('SIGKILL');
  await server.stop();
  await database.drop();
});

const authorization = (): { authorization: string } => ({ authorization: `Bearer ${apiKey}` });

function create(key: string): Promise<Response> {
  const headers = { ...authorization(), 'content-type': 'application/json', 'idempotency-key': key };
  return fetch(`${address}/people`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ work_email: `${key}@example.com` }),
  });
}

const ready = async (): Promise<{ status: number; body: unknown }> => {
  const answer = await fetch(`${operations}/ready`);
  return { status: answer.status, body: await answer.json() };
};

describe.each([
  ['killed', () => server.kill(), () => server.restart(), 'no process listens at the address of EventStoreDB'],
  [
    'hung',
    () => server.tell({ hanging: true }),
    () => server.tell({ hanging: false }),
    'EventStoreDB accepts calls and does not answer',
  ],
] as const)('while EventStoreDB is %s', (_, strike, mend, words) => {
  const key = randomUUID();

  beforeAll(() => strike());

  it('people are read, and writes get 503 with Retry-After in the usual envelope', async () => {
    await create(key);
    const refused = await create(key);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    expect(((await refused.json()) as { error: object }).error).toMatchObject({
      code: 'internal_error',
      message: 'The service is temporarily unavailable.',
    });
    const read = await fetch(`${address}/people/${personId}`, { headers: authorization() });
    expect([read.status, ((await read.json()) as { data: { id: string } }).data.id]).toEqual([200, personId]);
    expect((await fetch(`${address}/people?limit=1`, { headers: authorization() })).status).toBe(200);
  });

  it('the process is degraded, still worth sending requests to, and says so', async () => {
    expect(await ready()).toEqual({
      status: 200,
      body: { status: 'degraded', reasons: [expect.stringContaining('event store')] },
    });
    const health = await fetch(operations);
    expect([health.status, await health.json()]).toEqual([
      200,
      expect.objectContaining({
        status: 'degraded',
        parts: expect.objectContaining({ event_store: expect.objectContaining({ status: 'degraded' }) }),
      }),
    ]);
  });

  it('doctor says what is wrong and what to do, without the password', async () => {
    const { code, stdout, stderr } = await runWorkforce(['doctor', '--json'], environment);
    expect(code).toBe(1);
    const { checks } = JSON.parse(stdout) as {
      checks: readonly { name: string; status: string; message: string; advice: string | null }[];
    };
    const found = checks.find(({ name, status }) => name === 'event store' && status === 'failed')!;
    expect(found.message.toLowerCase()).toContain(words.toLowerCase());
    expect(found.advice).toMatch(/\w.*\.$/);
    // Beside the process whose ports these are.
    expect(checks.find(({ name }) => name === 'ports')).toMatchObject({
      status: 'ok',
      message: expect.stringContaining('A server is running here'),
    });
    expect(`${stdout}${stderr}`).not.toContain(PASSWORD);
  });

  it('all is well again without a restart once it is back: the write is made, once', async () => {
    await mend();
    const created = await eventually(async () => {
      const answer = await create(key);
      return answer.status === 201 ? answer : null;
    });
    expect(created.headers.get('content-type')).toContain('application/json');
    await eventually(async () => JSON.stringify((await ready()).body) === '{"status":"ready"}');
    const { rowCount } = await database.pool.query(
      'select from people where work_email = $1 and identity_revision is not null',
      [`${key}@example.com`],
    );
    expect(rowCount).toBe(1);
    expect(`${api.stdout()}${api.stderr()}`).not.toContain(PASSWORD);
  });
});

describe('where EVENTSTORE_URL and the server differ about TLS, doctor says which is which, without the password,', () => {
  it.each([
    [
      'a server with TLS is spoken to without',
      true,
      '?tls=false',
      'speaks TLS, and EVENTSTORE_URL has tls=false',
      'Take tls=false out of EVENTSTORE_URL',
    ],
    [
      'a server without TLS is asked for it',
      false,
      '',
      'speaks without TLS, and EVENTSTORE_URL asks for TLS',
      'Let the server speak TLS, or add tls=false',
    ],
  ])('where %s', async (_, hasTls, query, words, advice) => {
    const other = await EventStoreDbTestServer.start(hasTls ? { tls: certificateFor(['127.0.0.1']) } : {});
    try {
      const url = `esdb://workforce:${PASSWORD}@127.0.0.1:${other.port}${query}`;
      const { code, stdout, stderr } = await runWorkforce(['doctor', '--json'], {
        ...environment,
        EVENTSTORE_URL: url,
      });
      const { checks } = JSON.parse(stdout) as { checks: readonly object[] };
      expect(code).toBe(1);
      expect(checks).toContainEqual({
        name: 'event store',
        status: 'failed',
        message: `EventStoreDB at 127.0.0.1:${other.port} ${words}.`,
        advice: expect.stringContaining(advice),
      });
      expect(`${stdout}${stderr}`).not.toContain(PASSWORD);
    } finally {
      await other.stop();
    }
  });
});
