import { randomUUID } from 'node:crypto';
import { firstBrokenLink } from '../support/hash-chain.js';
import { newKey, newOrganisation, servicesOf } from '../support/api/test-api.js';
import { recordedEvents } from '../support/event-store.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { freePort } from '../support/free-ports.js';
import { type RunningProcess, startWorkforce } from '../support/processes.js';
import { Receiver } from '../support/webhooks/receiver.js';

interface Exported {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

interface Document {
  readonly resourceSpans: readonly {
    readonly resource: {
      readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
    };
    readonly scopeSpans: readonly { readonly spans: readonly Omit<Exported, 'service'>[] }[];
  }[];
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const SECRET_PATH = 'path-of-the-receiver';
const PRIVATE_NAME = 'Nobody-may-trace-this';

let database: TestDatabase;
let collector: Receiver;
let receiver: Receiver;
let running: RunningProcess[];
let api: string;
let apiKey: string;

beforeAll(async () => {
  database = await createTestDatabase();
  collector = new Receiver();
  receiver = new Receiver();
  const [endpoint, hooks] = await Promise.all([collector.start(), receiver.start()]);
  const services = await servicesOf(database);
  const organisation = await newOrganisation(services);
  ({ apiKey } = await newKey(services, organisation));
  const port = await freePort();
  api = `http://127.0.0.1:${port}/api/v1`;
  const environment = {
    DATABASE_URL: database.url,
    PORT: String(port),
    SANDBOX_PORT: '0',
    OPS_PORT: '0',
    WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=a%20key',
  };
  const start = (name: 'api' | 'worker'): RunningProcess =>
    startWorkforce([name], { ...environment, OTEL_SERVICE_NAME: name });
  // One after the other: each loads the whole program.
  running = [start('api')];
  await running[0]!.untilAnswers(`${api}/me`);
  running.push(start('worker'));
  const { status } = await post('/webhooks', {
    name: 'Payroll',
    url: `${hooks}/${SECRET_PATH}`,
    subscribed_events: ['org_unit.created'],
  });
  expect(status).toBe(201);
});
afterAll(async () => {
  await Promise.all(running.map((one) => one.end('SIGTERM')));
  await Promise.all([collector.stop(), receiver.stop()]);
  await database.drop();
});

function post(path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${api}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
      ...headers,
    },
    body: JSON.stringify(body),
  });
}

function spans(): readonly Exported[] {
  return collector.requests.flatMap(({ body }) =>
    (JSON.parse(body) as Document).resourceSpans.flatMap(({ resource, scopeSpans }) => {
      const service = resource.attributes.find(({ key }) => key === 'service.name')!.value.stringValue!;
      return scopeSpans.flatMap(({ spans: own }) => own.map((span) => ({ ...span, service })));
    }),
  );
}

describe('a write that its caller traces', () => {
  it('is one trace from the request over the append and the fan-out to the delivery, across processes', async () => {
    const answer = await post('/org-units', { name: PRIVATE_NAME }, { traceparent: `00-${TRACE}-${CALLER}-01` });
    expect(answer.status).toBe(201);
    const trace = (): readonly Exported[] => spans().filter(({ traceId }) => traceId === TRACE);
    await collector.until(() => trace().some(({ name }) => name === 'delivery attempt'));
    const byName = new Map(trace().map((span) => [span.name, span]));
    const request = byName.get('createOrgUnit')!;
    expect([request.service, request.parentSpanId]).toEqual(['api', CALLER]);
    expect(byName.get('append')).toMatchObject({ service: 'api', parentSpanId: request.spanId });
    expect(byName.get('fan-out')).toMatchObject({ service: 'worker', parentSpanId: request.spanId });
    expect(byName.get('delivery attempt')).toMatchObject({
      service: 'worker',
      parentSpanId: byName.get('fan-out')!.spanId,
    });
  });

  it('leaves the span in the event, under its hash, and nothing of it with receivers', async () => {
    const created = (await recordedEvents(database.pool)).find(({ type }) => type === 'OrgUnitCreated')!;
    const events = await (await servicesOf(database)).store.readStream(created.stream);
    expect(events[0]!.metadata.traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
    expect(firstBrokenLink(events)).toBeNull();
    await receiver.until((requests) => requests.length > 0);
    expect(JSON.stringify(receiver.requests)).not.toContain(TRACE);
  });
});

describe('spans', () => {
  it('say nothing of who, what and where to', async () => {
    await fetch(`${api}/people?search=${PRIVATE_NAME}`, { headers: { authorization: `Bearer ${apiKey}` } });
    await fetch(`${api}/${PRIVATE_NAME}`, { headers: { authorization: `Bearer ${apiKey}` } });
    await collector.until(
      () => spans().some(({ name }) => name === 'request') && spans().some(({ name }) => name === 'listPeople'),
    );
    const exported = JSON.stringify(spans());
    for (const word of [PRIVATE_NAME, apiKey, SECRET_PATH, 'search=']) expect(exported).not.toContain(word);
  });

  it('are recorded or not as their caller says, and begin a trace where nobody did', async () => {
    const unsampled = 'a'.repeat(32);
    expect(
      (await post('/org-units', { name: 'Unsampled' }, { traceparent: `00-${unsampled}-${CALLER}-00` })).status,
    ).toBe(201);
    expect((await post('/org-units', { name: 'Own' }, { traceparent: 'nonsense' })).status).toBe(201);
    const own = (): Exported | undefined =>
      spans().find(({ name, traceId }) => name === 'createOrgUnit' && traceId !== TRACE);
    await collector.until(() => own() !== undefined);
    expect(own()!.parentSpanId ?? '').toBe('');
    expect(spans().filter(({ traceId }) => traceId === unsampled)).toEqual([]);
    const recorded = await recordedEvents(database.pool);
    expect(recorded.length).toBeGreaterThan(0);
    expect(recorded.filter(({ metadata }) => metadata.traceparent?.includes(unsampled))).toEqual([]);
  });

  it('are sent with the headers that the collector asks for', () => {
    expect(
      new Set(collector.requests.map(({ path, headers }) => `${path} ${String(headers['x-collector-key'])}`)),
    ).toEqual(new Set(['/v1/traces a key']));
  });
});
