import { connect } from 'node:net';
import type { RunningApi } from '#api/listener.js';
import { addKey, pipelineDatabase, startWidgetApi } from '../support/http/widget-api.js';
import type { TestDatabase } from '../support/postgres.js';

let database: TestDatabase;
let api: RunningApi;
let key: string;

beforeAll(async () => {
  database = await pipelineDatabase();
  api = await startWidgetApi(database.pool);
  key = (await addKey(database.pool)).apiKey;
});

afterAll(async () => {
  await api.stop();
  await database.drop();
});

interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Sends bytes as they are and reads until the server closes, or has answered as long as it said. */
function exchange(...chunks: readonly (string | Buffer)[]): Promise<RawAnswer> {
  const { hostname, port } = new URL(api.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let received = '';
    const finish = (): void => {
      const [head = '', body = ''] = received.split(/\r\n\r\n(.*)/s);
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), head: head.toLowerCase(), body });
      socket.destroy();
    };
    socket.on('data', (data) => {
      received += data.toString();
      const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1];
      const start = received.indexOf('\r\n\r\n');
      if (start !== -1 && length !== undefined && Buffer.byteLength(received.slice(start + 4)) >= Number(length))
        finish();
    });
    socket.on('end', finish);
    socket.on('error', (error) => (received === '' ? reject(error) : finish()));
    socket.on('connect', () => chunks.forEach((chunk) => socket.write(chunk)));
  });
}

function request(line: string, headers: readonly string[] = [], body = ''): string {
  return `${line} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${key}\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n${body}`;
}

const WRITE = ['Idempotency-Key: k', 'Content-Type: application/json'];
const BODY = '{"name":"Cart"}';

function expectEnvelope({ head, body }: RawAnswer): void {
  const { error } = JSON.parse(body) as { error: Record<string, unknown> };
  expect(Object.keys(error).filter((name) => name !== 'details')).toEqual(['code', 'message', 'request_id']);
  expect(error.request_id).toMatch(/^[a-zA-Z0-9._:-]{8,64}$/);
  expect(head).toContain(`service-request-id: ${String(error.request_id).toLowerCase()}`);
  expect(head).toContain('cache-control: no-store');
  expect(head).toContain('content-type: application/json');
}

const cases: readonly (readonly [string, number, () => string | readonly string[]])[] = [
  ['a bad escape in the path', 400, () => request('GET /%zz')],
  ['a bad escape below a route', 400, () => request('GET /api/v1/widgets/%zz')],
  ['an escape that is no UTF-8', 400, () => request('GET /api/v1/widgets/%ff')],
  ['what is no HTTP', 400, () => 'hello\r\n\r\n'],
  ['an unknown method', 400, () => request('BREW /api/v1/me')],
  ['a header that is no header', 400, () => request('GET /api/v1/me', ['no colon'])],
  ['no Host', 400, () => `GET /api/v1/me HTTP/1.1\r\nAuthorization: Bearer ${key}\r\n\r\n`],
  ['two Hosts', 400, () => request('GET /api/v1/me', ['Host: other'])],
  ['oversized headers', 431, () => request('GET /api/v1/me', [`X-Large: ${'x'.repeat(20_000)}`])],
  ['two keys', 401, () => request('GET /api/v1/me', [`Authorization: Bearer ${key}`])],
  [
    'two Idempotency-Keys',
    400,
    () =>
      request(
        'POST /api/v1/widgets',
        [
          'Idempotency-Key: a',
          'Idempotency-Key: b',
          'Content-Type: application/json',
          `Content-Length: ${BODY.length}`,
        ],
        BODY,
      ),
  ],
  [
    'two If-Match that differ',
    404,
    () =>
      request(
        'PATCH /api/v1/widgets/org_unit_AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA',
        [...WRITE, 'If-Match: "1"', 'If-Match: "2"', 'Content-Length: 2'],
        '{}',
      ),
  ],
  [
    'an absurd Content-Length',
    400,
    () => request('POST /api/v1/widgets', [...WRITE, 'Content-Length: 99999999999999999999999']),
  ],
  ['a negative Content-Length', 400, () => request('POST /api/v1/widgets', [...WRITE, 'Content-Length: -1'])],
  [
    'two Content-Lengths',
    400,
    () => request('POST /api/v1/widgets', [...WRITE, 'Content-Length: 2', 'Content-Length: 3'], '{}'),
  ],
  [
    'Content-Length beside chunks',
    400,
    () => request('POST /api/v1/widgets', [...WRITE, 'Content-Length: 2', 'Transfer-Encoding: chunked'], '0\r\n\r\n'),
  ],
  [
    'a body that is announced too large',
    413,
    () => request('POST /api/v1/widgets', [...WRITE, 'Content-Length: 262145']),
  ],
  [
    'chunks that grow too large',
    413,
    () =>
      request(
        'POST /api/v1/widgets',
        [...WRITE, 'Transfer-Encoding: chunked'],
        `40001\r\n${'x'.repeat(0x40001)}\r\n0\r\n\r\n`,
      ),
  ],
  [
    'no content type',
    415,
    () => request('POST /api/v1/widgets', ['Idempotency-Key: k', `Content-Length: ${BODY.length}`], BODY),
  ],
  [
    'a form',
    415,
    () =>
      request(
        'POST /api/v1/widgets',
        ['Idempotency-Key: k', 'Content-Type: application/x-www-form-urlencoded', 'Content-Length: 3'],
        'a=b',
      ),
  ],
  [
    'plain text',
    415,
    () =>
      request('POST /api/v1/widgets', ['Idempotency-Key: k', 'Content-Type: text/plain', 'Content-Length: 3'], 'a=b'),
  ],
  [
    'another charset',
    415,
    () =>
      request(
        'POST /api/v1/widgets',
        ['Idempotency-Key: k', 'Content-Type: application/json; charset=utf-16', 'Content-Length: 2'],
        '{}',
      ),
  ],
  [
    'a compressed body',
    415,
    () => request('POST /api/v1/widgets', [...WRITE, 'Content-Encoding: gzip', 'Content-Length: 2'], '{}'),
  ],
  [
    'a body with two members of one name',
    400,
    () => request('POST /api/v1/widgets', [...WRITE, 'Content-Length: 23'], '{"name":"a","name":"b"}'),
  ],
  ['a method of nothing', 405, () => request('CONNECT test:80')],
  ['OPTIONS of the whole server', 404, () => request('OPTIONS *')],
  [
    'an upgrade, as an ordinary request',
    200,
    () => request('GET /api/v1/me', ['Connection: Upgrade', 'Upgrade: websocket']),
  ],
  ['an Expect nobody knows, as an ordinary request', 200, () => request('GET /api/v1/me', ['Expect: miracles'])],
  ['a body with GET, without reading it', 200, () => request('GET /api/v1/me', ['Content-Length: 2'], '{}')],
];

it.each(cases)('answers %s with %i, in the envelope', async (_, status, make) => {
  const answer = await exchange(...[make()].flat());
  expect([answer.status, answer.body.length > 0]).toEqual([status, true]);
  if (status >= 400) expectEnvelope(answer);
});

it('answers a second request on a connection after a refused one', async () => {
  const { status } = await exchange(request('GET /api/v1/nowhere'));
  expect(status).toBe(404);
  const bytes = await exchange(
    Buffer.from(request('POST /api/v1/widgets', [...WRITE, 'Content-Length: 4'])),
    Buffer.from([0x22, 0xff, 0xfe, 0x22]),
  );
  expect(bytes.status).toBe(400);
  expect(bytes.body).toContain('is not UTF-8');
});

it('takes no request id from the caller', async () => {
  const answer = await exchange(
    request('GET /api/v1/me', ['Service-Request-Id: mine-mine-mine', 'X-Request-Id: mine-mine-mine']),
  );
  expect(answer.head).not.toContain('mine-mine-mine');
});
