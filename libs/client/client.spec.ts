import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerOf, createClient, pages, verifyWebhook, WebhookVerificationError, WorkforceError } from './index.js';

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly key: string | null;
  readonly ifMatch: string | null;
  readonly userAgent: string | null;
}

/** A client whose requests get these answers, one after the other; an error is a failure of the network. */
function clientThatGets(...answers: readonly (Response | Error)[]) {
  const sent: Sent[] = [];
  const pauses: number[] = [];
  const remaining = [...answers];
  const client = createClient({
    baseUrl: 'http://hr.example/',
    apiKey: 'svc_live_x',
    userAgent: 'payroll/1',
    timeout: 60_000,
    retry: { random: () => 0, wait: async (milliseconds) => void pauses.push(milliseconds) },
    fetch: async (request) => {
      const { headers } = request;
      sent.push({
        method: request.method,
        url: request.url,
        key: headers.get('idempotency-key'),
        ifMatch: headers.get('if-match'),
        userAgent: headers.get('user-agent'),
      });
      expect(request.headers.get('authorization')).toBe('Bearer svc_live_x');
      const answer = remaining.shift();
      if (answer === undefined) throw new Error('no answer is remaining');
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  return { client, sent, pauses };
}

const json = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });
const failure = (status: number, code: string, headers: Record<string, string> = {}): Response =>
  json(
    status,
    { error: { code, message: 'No.', request_id: 'req_1', details: [{ field: 'q', issue: 'must not' }] } },
    headers,
  );
const person = { data: { id: 'abc' } };
const PATH = { params: { path: { personId: 'abc' } } };

it('returns the body with the entity tag', async () => {
  const { client, sent } = clientThatGets(json(200, person, { 'service-resource-etag': '"p0"' }));
  const { data, entityTag } = await answerOf(client.GET('/people/{personId}', PATH));
  expect([data.id, entityTag]).toEqual(['abc', '"p0"']);
  expect(sent).toMatchObject([{ method: 'GET', url: 'http://hr.example/api/v1/people/abc', key: null }]);
  expect(sent[0]!.userAgent).toMatch(/^payroll\/1 workforce-hr-client\/\d/);
});

it('throws the error of the service for a response other than a success, and that of a proxy', async () => {
  const { client } = clientThatGets(failure(404, 'not_found'), new Response('<html>', { status: 418 }));
  const error = await client.GET('/people/{personId}', PATH).catch((caught: unknown) => caught as WorkforceError);
  expect(error).toBeInstanceOf(WorkforceError);
  expect(error).toMatchObject({ status: 404, code: 'not_found', message: 'No.', requestId: 'req_1' });
  expect((error as WorkforceError).issueOf('q')).toBe('must not');
  expect([(error as WorkforceError).headers.get('content-type'), (error as WorkforceError).retryAfter]).toEqual([
    'application/json',
    null,
  ]);
  await expect(client.GET('/people/{personId}', PATH)).rejects.toMatchObject({
    status: 418,
    code: 'unknown',
    requestId: null,
  });
});

describe('a request that fails', () => {
  const hire = (client: ReturnType<typeof createClient>) =>
    client.POST('/people', { body: { work_email: 'a@example.com' } });

  it('is repeated under the same key, with growing pauses or those that the service requests', async () => {
    const { client, sent, pauses } = clientThatGets(
      new TypeError('fetch failed'),
      failure(500, 'internal_error'),
      failure(429, 'rate_limited', { 'retry-after': '60' }),
      json(201, person),
    );
    await hire(client);
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
    expect(sent[0]!.key).toMatch(/^[0-9a-f-]{36}$/);
    expect(pauses).toEqual([125, 250, 60_000]);
  });

  it('is not repeated if that would not help, and at most three times', async () => {
    const refused = clientThatGets(failure(409, 'conflict'));
    await expect(hire(refused.client)).rejects.toMatchObject({ code: 'conflict' });
    expect(refused.sent).toHaveLength(1);
    const running = clientThatGets(failure(409, 'idempotency_conflict', { 'retry-after': '1' }), json(201, person));
    await hire(running.client);
    expect(running.pauses).toEqual([1_000]);
    const unavailable = clientThatGets(...Array.from({ length: 5 }, () => failure(503, 'internal_error')));
    await expect(hire(unavailable.client)).rejects.toMatchObject({ status: 503 });
    expect(unavailable.sent).toHaveLength(4);
    const long = clientThatGets(failure(429, 'rate_limited', { 'retry-after': '3600' }));
    await expect(hire(long.client)).rejects.toMatchObject({ status: 429, retryAfter: 3_600 });
    expect(long.pauses).toEqual([]);
  });
});

it('ends an attempt that takes too long, and counts it as a network failure', async () => {
  let attempts = 0;
  const client = createClient({
    baseUrl: 'http://hr.example',
    timeout: 1,
    retry: { attempts: 2, wait: () => Promise.resolve() },
    fetch: ({ signal }) => {
      attempts += 1;
      return new Promise((_, reject) => {
        const end = (): void => reject(signal.reason as Error);
        if (signal.aborted) end();
        else signal.addEventListener('abort', end);
      });
    },
  });
  await expect(client.people.get('abc')).rejects.toMatchObject({ name: 'TimeoutError' });
  expect(attempts).toBe(2);
});

describe('the methods by resource', () => {
  it('send ids in the path, the query, the body and the headers of options, and answer with the entity tag', async () => {
    const { client, sent } = clientThatGets(
      json(200, person, { 'service-resource-etag': '"p0"' }),
      json(200, person, { 'service-resource-etag': '"p1"' }),
      json(201, person),
      new Response(null, { status: 204 }),
      json(200, { data: [{ id: 'unit' }] }),
    );
    const { data, entityTag } = await client.people.get('abc');
    expect([data.id, entityTag]).toEqual(['abc', '"p0"']);
    const updated = await client.people.update(
      'abc',
      { last_name: 'King' },
      { ifMatch: entityTag!, idempotencyKey: 'k1' },
    );
    expect(updated.entityTag).toBe('"p1"');
    await client.people.create({ work_email: 'a@example.com' });
    expect(await client.webhooks.delete('wh_1')).toBeUndefined();
    const units: string[] = [];
    for await (const { id } of client.orgUnits.list()) units.push(id);
    expect(units).toEqual(['unit']);
    expect(sent).toMatchObject([
      { method: 'GET', url: 'http://hr.example/api/v1/people/abc', key: null },
      { method: 'PATCH', url: 'http://hr.example/api/v1/people/abc', key: 'k1', ifMatch: '"p0"' },
      {
        method: 'POST',
        url: 'http://hr.example/api/v1/people',
        key: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      },
      { method: 'DELETE', url: 'http://hr.example/api/v1/webhooks/wh_1' },
      { method: 'GET', url: 'http://hr.example/api/v1/org-units' },
    ]);
  });

  it('read pages as they are needed, each with the filters of the first', async () => {
    const page = (id: string, next: object): Response => json(200, { data: [{ id }], pagination: next });
    const { client, sent } = clientThatGets(page('a', { next_cursor: 'c1' }), page('b', {}));
    const ids: string[] = [];
    for await (const { id } of client.people.list({ limit: 1, status: 'active' })) ids.push(id);
    expect([ids, sent.map(({ url }) => new URL(url).search)]).toEqual([
      ['a', 'b'],
      ['?limit=1&status=active', '?limit=1&status=active&cursor=c1'],
    ]);
  });
});

it('reads a list to its end, each page when it is needed', async () => {
  const page = (ids: readonly string[], next: string | null): Response =>
    json(200, { data: ids.map((id) => ({ id })), pagination: next === null ? {} : { next_cursor: next } });
  const { client, sent } = clientThatGets(page(['a', 'b'], 'c1'), page([], 'c2'), page(['c'], null));
  const ids: string[] = [];
  for await (const { id } of pages((cursor) =>
    client.GET('/people', { params: { query: cursor === undefined ? {} : { cursor } } }),
  )) {
    if (id === 'a') expect(sent).toHaveLength(1);
    ids.push(id);
  }
  expect(ids).toEqual(['a', 'b', 'c']);
  expect(sent.map(({ url }) => new URL(url).search)).toEqual(['', '?cursor=c1', '?cursor=c2']);
});

describe('the verification of webhooks', () => {
  const guide = readFileSync(join(__dirname, '../../docs/how-to/verify-webhooks.md'), 'utf8');
  const vector = JSON.parse(/## Test vector[\s\S]*?```json\n([\s\S]*?)```/.exec(guide)![1]!) as {
    readonly secrets: readonly string[];
    readonly body: string;
    readonly headers: Readonly<Record<string, string>>;
  };
  const now = Number(vector.headers['Service-Webhook-Timestamp']) * 1_000;
  const verify = (change: object = {}) => verifyWebhook({ ...vector, now, ...change });

  it('accepts the test vector of the documentation, with either secret', async () => {
    expect(await verify()).toEqual(JSON.parse(vector.body));
    for (const secret of vector.secrets)
      expect(await verify({ secrets: secret })).toMatchObject({ type: 'person.updated' });
    expect(
      await verify({ headers: new Headers(vector.headers), body: new TextEncoder().encode(vector.body) }),
    ).toBeTruthy();
  });

  it.each([
    ['another body', { body: vector.body.replace('updated', 'created') }],
    ['another secret', { secrets: 'whsec_AAAA' }],
    ['a timestamp that is too old', { now: now + 301_000 }],
    ['a timestamp that is too new', { now: now - 301_000 }],
    ['a missing header', { headers: {} }],
    ['the id of another event', { headers: { ...vector.headers, 'Service-Webhook-Id': 'evt_other' } }],
    ['an invalid signature', { headers: { ...vector.headers, 'Service-Webhook-Signature': 'v1=zz,v2=00' } }],
  ])('refuses %s', (_, change) => expect(verify(change)).rejects.toBeInstanceOf(WebhookVerificationError));
});
