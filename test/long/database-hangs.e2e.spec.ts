import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '../contract/event-store.support.js';
import { AnswerCheck, type OpenApiDocument } from '../support/api/answer-check.js';
import { type ApiAnswer, ApiClient, dataOf, type SendOptions, tagOf } from '../support/api/http-client.js';
import { newEmail } from '../support/api/people.js';
import type { Person } from '../support/api/shapes.js';
import { newKey, newOrganisation, servicesOf } from '../support/api/test-api.js';
import { Installation } from '../support/faults/installation.js';
import { expectKept, expectTablesAsRebuilt } from '../support/faults/oracle.js';
import { Writers } from '../support/faults/writers.js';
import { testSize } from '../support/test-size.js';

/** More than the connections of both APIs together, so that some wait for one. */
const AT_ONCE = 60;
const WRITERS = 8;
const ROUNDS = testSize('HANGS_ROUNDS', { usual: 1 });
/**
 * Well below the 35 s that a statement would wait for a server that hangs, and well above the 5 s that an
 * answer may take.
 */
const SOON_MILLISECONDS = 20_000;

interface Write {
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
  readonly options: SendOptions & { readonly idempotencyKey: string };
}

let installation: Installation;
let writers: Writers;
let clients: readonly [ApiClient, ApiClient];
let processes: readonly number[];

beforeAll(async () => {
  installation = await Installation.start();
  const services = await servicesOf({ url: installation.url, pool: installation.pool, drop: () => Promise.resolve() });
  const organisation = await newOrganisation(services);
  const { apiKey } = await newKey(services, organisation);
  const names = ['api 1', 'api 2', 'worker 1'];
  await Promise.all(names.map((name) => installation.launch(name)));
  await Promise.all(names.map((name) => installation.untilReady(name)));
  const addresses = installation.apis.map((name) => installation.addressOf(name));
  const check = new AnswerCheck((await (await fetch(`${addresses[0]}/api/v1/openapi.json`)).json()) as OpenApiDocument);
  writers = new Writers({ addresses: () => addresses, apiKey, check, count: WRITERS });
  clients = addresses.map((address) => new ApiClient(address, apiKey, check)) as unknown as readonly [
    ApiClient,
    ApiClient,
  ];
  processes = names.map((name) => installation.processOf(name).pid);
});

afterAll(async () => {
  for (const client of clients ?? []) client.close();
  writers?.close();
  await installation?.stop();
});

afterEach(() => {
  // By themselves: nobody was started again.
  expect(['api 1', 'api 2', 'worker 1'].map((name) => installation.processOf(name).pid)).toEqual(processes);
});

/** What all of them come to, while PostgreSQL hangs. */
async function soon<T>(works: readonly Promise<T>[]): Promise<readonly T[]> {
  const late = new AbortController();
  const patience = wait(SOON_MILLISECONDS, null, { signal: late.signal }).catch(() => null);
  const all = await Promise.race([Promise.all(works), patience]);
  late.abort();
  if (all === null) throw new Error(`not everybody was answered within ${SOON_MILLISECONDS} ms`);
  return all;
}

function expectUnavailable(answer: ApiAnswer): void {
  expect([answer.status, answer.json.error.code]).toEqual([503, 'internal_error']);
  expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
}

it('acknowledges nothing that is lost or done twice while PostgreSQL hangs, and goes on by itself', async () => {
  writers.begin();
  for (let round = 1; round <= ROUNDS; round += 1) {
    await writers.untilAcknowledged(WRITERS * 2);
    const { unavailable } = writers.told;
    const goOn = await installation.freezePostgres();
    try {
      await soon([eventually(() => writers.told.unavailable >= unavailable + WRITERS, SOON_MILLISECONDS)]);
    } finally {
      goOn();
    }
    const goesOn = performance.now();
    await writers.untilAcknowledged(WRITERS * 2);
    process.stdout.write(
      `${WRITERS * 2} writes were acknowledged ${Math.round(performance.now() - goesOn)} ms after PostgreSQL went on\n`,
    );
  }
  await writers.finish();
  await expectKept(installation.pool, writers);
  await expectTablesAsRebuilt(installation.pool);
});

it('answers every request 503 while PostgreSQL hangs: those under way, those that wait for a connection, and new ones', async () => {
  const person = dataOf<Person>(201, await clients[0].post<Person>('/people', { work_email: newEmail() }));
  const tag = tagOf(await clients[0].get(`/people/${person.id}`));
  const create = (): Write => ({
    method: 'POST',
    path: '/people',
    options: { body: { work_email: newEmail(), start_date: '2024-01-01' }, idempotencyKey: randomUUID() },
  });
  const change: Write = {
    method: 'PATCH',
    path: `/people/${person.id}`,
    options: { body: { first_name: 'Ada' }, idempotencyKey: randomUUID(), ifMatch: tag },
  };
  const creates = Array.from({ length: AT_ONCE }, create);
  const inFlight = [...creates.slice(0, AT_ONCE / 2), change];
  const late = creates.slice(AT_ONCE / 2);
  const send = (write: Write, index: number): Promise<ApiAnswer> =>
    clients[index % 2]!.send(write.method, write.path, write.options);
  const read = (_: unknown, index: number): Promise<ApiAnswer> =>
    clients[index % 2]!.get(index % 3 === 0 ? '/people' : `/people/${person.id}`);

  const before = inFlight.map(send);
  const goOn = await installation.freezePostgres();
  const answers: ApiAnswer[] = [];
  try {
    const answersBefore = await soon([...before, ...late.map(send), ...Array.from({ length: AT_ONCE }, read)]);
    answers.push(...answersBefore.slice(0, inFlight.length + late.length));
    for (const answer of answersBefore.slice(inFlight.length)) expectUnavailable(answer);
    // Whatever was finished before the server hung is a success; everybody else is told to come again.
    for (const answer of answersBefore.slice(0, inFlight.length)) if (answer.status >= 300) expectUnavailable(answer);
    for (const answer of await soon(Array.from({ length: AT_ONCE }, read))) expectUnavailable(answer);
    for (const name of installation.apis) {
      const [ready] = await soon([fetch(`${installation.operationsOf(name)}/health/ready`)]);
      expect([ready!.status, await ready!.text()]).toEqual([503, expect.stringContaining('PostgreSQL')]);
    }
  } finally {
    goOn();
  }

  // Every write is sent again, to the process that did not answer it, and what it had done before is found.
  const until = async (write: Write, index: number): Promise<ApiAnswer> => {
    let answer = await send(write, index + 1);
    await eventually(async () => {
      const isUnclear = answer.status === 503 || answer.json.error?.details?.[0]?.issue === 'in_progress';
      if (isUnclear) answer = await send(write, index + 1);
      return !isUnclear;
    }, 60_000);
    return answer;
  };
  const writes = [...inFlight, ...late];
  const again = await Promise.all(writes.map(until));
  for (const [index, answer] of again.entries()) {
    expect([writes[index]!.path, answer.status < 300 ? 'success' : answer.text]).toEqual([
      writes[index]!.path,
      'success',
    ]);
    if (answers[index]!.status < 300) expect(answer.text).toBe(answers[index]!.text);
  }
  const { rows } = await installation.pool.query<{ key: string; streams: string }>(
    `select metadata ->> 'idempotency_key' as key, string_agg(split_part(stream, '-', 1) || ' ' || revision, ', ' order by stream) as streams
       from events where metadata ->> 'idempotency_key' = any($1::text[]) group by 1`,
    [writes.map(({ options }) => options.idempotencyKey)],
  );
  const recorded = new Map(rows.map(({ key, streams }) => [key, streams]));
  for (const write of writes)
    expect(recorded.get(write.options.idempotencyKey)).toBe(write === change ? 'person 1' : 'employment 0, person 0');
  const ids = again
    .filter((_, index) => writes[index] !== change)
    .map((answer) => (answer as ApiAnswer<Person>).json.data.id);
  expect(new Set(ids).size).toBe(creates.length);
  await expectTablesAsRebuilt(installation.pool);
});
