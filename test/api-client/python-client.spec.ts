import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { newEmail } from '../support/api/people.js';
import { TestApi } from '../support/api/test-api.js';
import { readVector } from '../support/webhooks/vector.js';

const CLIENT = resolve(__dirname, '../../libs/client-python');
const CHECK = 'import httpx, sys; sys.exit(sys.version_info < (3, 11))';
/** Debian's Python has Debian's httpx, and may be the second on the path. */
const PYTHON = ['python3', '/usr/bin/python3'].find((python) => spawnSync(python, ['-c', CHECK]).status === 0);

it('the generated module has a method for every operation of the document', () => {
  const document = JSON.parse(readFileSync(resolve(__dirname, '../../dist/openapi.json'), 'utf8')) as {
    paths: Record<string, Record<string, { summary: string }>>;
  };
  const generated = readFileSync(join(CLIENT, 'workforce_hr/generated/resources.py'), 'utf8');
  const summaries = Object.values(document.paths).flatMap((path) => Object.values(path).map(({ summary }) => summary));
  expect(summaries.filter((summary) => !generated.includes(`"""${summary}."""`))).toEqual([]);
  expect(generated.match(/^ {4}def (?!__init__)/gm)).toHaveLength(summaries.length);
});

if (PYTHON === undefined)
  it('is written, and not run: Python 3.11 with httpx is not on this machine', () => {
    expect(readFileSync(join(CLIENT, 'pyproject.toml'), 'utf8')).toContain('httpx');
  });
else describe('the Python client', () => withPython(PYTHON));

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly key: unknown;
  readonly userAgent: string | undefined;
}

function withPython(python: string): void {
  const api = TestApi.forSpec();
  const organisation = api.organisationForSpec();
  const received: Received[] = [];
  let busy: Server;
  beforeAll(async () => {
    busy = createServer((request, response) => {
      const { method, url, headers } = request;
      received.push({ method, url, key: headers['idempotency-key'], userAgent: headers['user-agent'] });
      answer(received.length, request, response);
    }).listen(0, '127.0.0.1');
    await once(busy, 'listening');
  });
  afterAll(async () => {
    const closed = once(busy, 'close');
    busy.close();
    busy.closeAllConnections();
    await closed;
  });

  /** Runs a program with this input, and returns its output. */
  async function run(parameters: readonly string[], input: unknown): Promise<string> {
    const child = spawn(python, ['-B', ...parameters], {
      env: {
        ...process.env,
        PYTHONPATH: CLIENT,
        WORKFORCE_URL: organisation.client.url,
        WORKFORCE_API_KEY: organisation.apiKey,
        WEBHOOK_SECRET: readVector().secrets[0],
      },
    });
    child.stdin.end(JSON.stringify(input));
    const [output, problems] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(problems).toBe('');
    return output;
  }

  it('creates once under a key, reads pages, keeps entity tags, retries and verifies webhooks', async () => {
    const emails = [newEmail(), newEmail(), newEmail()];
    const vector = readVector();
    const output = await run([join(__dirname, 'python-client.py')], {
      url: organisation.client.url,
      apiKey: organisation.apiKey,
      busyUrl: `http://127.0.0.1:${(busy.address() as AddressInfo).port}/`,
      emails,
      vector,
    });
    expect(JSON.parse(output)).toEqual({
      same: true,
      emails,
      byPath: 3,
      stale: [412, 'precondition_failed', true],
      wrong: [400, true],
      afterRetries: 'abc',
      refused: 3_600,
      proxy: 'unknown',
      event: vector.headers['Service-Webhook-Id'],
      notGenuine: [
        'no signature matches',
        'no signature matches',
        'the timestamp is too old or too new',
        'the header service-webhook-id is missing',
        'the header service-webhook-id differs from the id in the body',
      ],
    });
    expect(received.map(({ method, url }) => `${method} ${url}`)).toEqual([
      ...Array.from({ length: 4 }, () => 'POST /api/v1/people'),
      'GET /api/v1/people/a%2Fb',
      'GET /api/v1/people/c',
    ]);
    const keys = received.map(({ key }) => key);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect([new Set(keys.slice(0, 4)).size, keys[4]]).toEqual([1, undefined]);
    expect(received[0]!.userAgent).toMatch(/^payroll\/1 workforce-hr-python\/\d/);
  });

  it('runs the blocks of its README, and the types of its models resolve', async () => {
    const blocks = [...readFileSync(join(CLIENT, 'README.md'), 'utf8').matchAll(/^```python\n([\s\S]*?)^```$/gm)];
    expect(blocks).toHaveLength(2);
    await organisation.client.post('/people', { work_email: newEmail() });
    for (const [, block] of blocks) expect(await run(['-c', block!], null)).toBe('');
    expect(Number(await run(['-c', RESOLVE_TYPES], null))).toBeGreaterThan(200);
  });
}

/** Busy in four ways, then a person; later an hour's pause, and the answer of a proxy. */
function answer(count: number, request: IncomingMessage, response: ServerResponse): void {
  const json = (status: number, body: object, headers: Record<string, string> = {}): void =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  const error = { error: { code: 'busy', message: 'No.', request_id: 'req_1' } };
  if (count === 1) request.socket.destroy();
  else if (count === 2) json(429, error, { 'retry-after': '0' });
  else if (count === 3) json(503, error);
  else if (count === 4) json(201, { data: { id: 'abc' } });
  else if (count === 5) json(429, error, { 'retry-after': '3600' });
  else response.writeHead(418).end('<html>');
}

const RESOLVE_TYPES = `
import typing
from workforce_hr.generated import models, resources

found = [v for v in vars(models).values() if typing.is_typeddict(v)]
for value in vars(resources).values():
    if isinstance(value, type) and value.__module__ == resources.__name__:
        found += [m for m in vars(value).values() if callable(m)]
for item in found:
    typing.get_type_hints(item)
print(len(found))
`;
