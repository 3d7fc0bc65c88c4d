import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import tls from 'node:tls';
import { gzipSync } from 'node:zlib';
import { certificateFor } from '../../../test/support/webhooks/certificate.js';
import { type Receiver, startRawReceiver, startReceiver } from '../../../test/support/webhooks/receivers.js';
import { Sender, type SenderSettings, type Sent } from './sender.js';
import { UrlGuard } from '../url-guard/url-guard.js';

const NAMES: readonly string[] = ['hooks.example', 'other.example'];
const guard = new UrlGuard({
  allowedCidrs: ['127.0.0.0/8'],
  resolve: async (hostname) => (NAMES.includes(hostname) ? [{ address: '127.0.0.1', family: 4 }] : []),
});
const ATTEMPT_MS = 300;

let receiver: Receiver | undefined;
let sender: Sender;

afterEach(async () => {
  await sender.close();
  await receiver?.close();
  receiver = undefined;
});

async function receive(answer: RequestListener): Promise<void> {
  receiver = await startReceiver(answer);
}

async function receiveRaw(handle: (socket: Socket, served: number) => void): Promise<void> {
  receiver = await startRawReceiver(handle);
}

function send(
  settings: Partial<SenderSettings> = {},
  url = `http://hooks.example:${receiver!.port}/in?x=1`,
): Promise<Sent> {
  sender = new Sender({ guard, ...settings });
  return sender.send({ url, headers: { 'Service-Webhook-Id': 'evt_1' }, body: '{}' });
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

const network = (failureMessage: string): object => ({
  exchange: expect.objectContaining({ answer: null }) as object,
  outcome: 'failed',
  failureClass: 'network',
  httpStatus: null,
  failureMessage,
  retryAfterMs: null,
  durationMs: expect.any(Number),
});

describe('what is sent', () => {
  it('is a POST with the headers given, those of its body and who sends it', async () => {
    await receive((_, response) => response.writeHead(204).end());
    sender = new Sender({ guard });
    const body = '{"name":"Žofie"}';
    const sent = await sender.send({
      url: `http://hooks.example:${receiver!.port}/in?x=1`,
      headers: { 'Service-Webhook-Id': 'evt_1' },
      body,
    });
    expect(sent).toMatchObject({ outcome: 'delivered', httpStatus: 204, durationMs: expect.any(Number) });
    expect(Number.isInteger(sent.durationMs)).toBe(true);
    const [{ method, path, headers, rawHeaders, body: came }] = receiver!.received as [Receiver['received'][number]];
    expect([method, path, came]).toEqual(['POST', '/in?x=1', body]);
    expect(rawHeaders).toContain('Service-Webhook-Id');
    expect(headers).toEqual({
      'service-webhook-id': 'evt_1',
      host: `hooks.example:${receiver!.port}`,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': 'Workforce-HR-Webhooks/1',
      accept: '*/*',
      'accept-encoding': 'identity',
      connection: 'keep-alive',
    });
  });
  it('goes over one connection time after time, and over another to another name at the same address', async () => {
    await receive((_, response) => response.end('thanks'));
    const url = (name: string): string => `http://${name}:${receiver!.port}/`;
    sender = new Sender({ guard });
    for (let time = 0; time < 5; time += 1) await sender.send({ url: url('hooks.example'), headers: {}, body: '{}' });
    expect(receiver!.connections()).toBe(1);
    await sender.send({ url: url('other.example'), headers: {}, body: '{}' });
    await sender.send({ url: url('127.0.0.1'), headers: {}, body: '{}' });
    expect(receiver!.connections()).toBe(3);
  });
  it('goes over connections that are kept, as many as an organisation has requests in flight', async () => {
    const held: (() => void)[] = [];
    await receive((_, response) => {
      held.push(() => response.end());
      if (held.length % 100 === 0) for (const end of held.splice(0)) end();
    });
    sender = new Sender({ guard });
    const url = `http://hooks.example:${receiver!.port}/`;
    for (let time = 0; time < 3; time += 1)
      await Promise.all(Array.from({ length: 100 }, () => sender!.send({ url, headers: {}, body: '{}' })));
    expect(receiver!.connections()).toBe(100);
  });
  it('goes to an IPv6 address as well', async () => {
    receiver = await startReceiver((_, response) => response.end(), undefined, '::1');
    const settings = { guard: new UrlGuard({ allowedCidrs: ['::1/128'] }) };
    expect(await send(settings, `http://[0::0:1]:${receiver.port}/`)).toMatchObject({ outcome: 'delivered' });
    expect(receiver.received[0]!.headers.host).toBe(`[::1]:${receiver.port}`);
  });
  const resolvingTo = (...addresses: readonly string[]) =>
    new UrlGuard({
      allowedCidrs: ['127.0.0.0/8'],
      resolve: async () => addresses.map((address) => ({ address, family: 4 })),
    });
  it('goes to the next address if no receiver listens at the first', async () => {
    await receive((_, response) => response.end());
    expect(await send({ guard: resolvingTo('127.0.0.9', '127.0.0.1') })).toMatchObject({ outcome: 'delivered' });
  });
  it('is sent once where the first address takes it and fails', async () => {
    await receiveRaw((socket) => socket.resetAndDestroy());
    expect(await send({ guard: resolvingTo('127.0.0.1', '127.0.0.1') })).toMatchObject({ outcome: 'failed' });
    expect(receiver!.connections()).toBe(1);
  });
  it('is refused where HTTP cannot carry a header: that is a mistake of the program', async () => {
    await receive((_, response) => response.end());
    sender = new Sender({ guard });
    await expect(
      sender.send({ url: `http://hooks.example:${receiver!.port}/`, headers: { name: 'a\r\nb: c' }, body: '{}' }),
    ).rejects.toThrow('Invalid character in header content');
  });
});

describe('an answer', () => {
  it.each([200, 201, 202, 204, 299])('of %d is a delivery', async (status) => {
    await receive((_, response) => response.writeHead(status).end());
    expect(await send()).toMatchObject({ outcome: 'delivered', httpStatus: status });
  });
  it.each([
    ...[400, 401, 403, 404, 409, 410, 422, 499].map((status) => [status, 'http_non_retryable'] as const),
    ...[300, 301, 302, 303, 304, 307, 308, 408, 429, 500, 501, 502, 503, 504, 599, 600, 999].map(
      (status) => [status, 'http_retryable'] as const,
    ),
  ])('of %d fails as %s', async (httpStatus, failureClass) => {
    await receive((_, response) => response.writeHead(httpStatus, { location: '/elsewhere' }).end());
    expect(await send()).toMatchObject({
      outcome: 'failed',
      failureClass,
      httpStatus,
      failureMessage: `HTTP ${httpStatus}`,
      retryAfterMs: null,
      durationMs: expect.any(Number),
    });
    expect(receiver!.received).toHaveLength(1);
  });
  it.each([
    ...[301, 408, 429, 500, 503].map((status) => [status, 120_000] as const),
    ...[404, 410].map((status) => [status, null] as const),
  ])('of %d that asks for a pause is given %p ms', async (httpStatus, retryAfterMs) => {
    await receive((_, response) => response.writeHead(httpStatus, { 'retry-after': '120' }).end());
    expect(await send()).toMatchObject({ httpStatus, retryAfterMs });
  });
  it('that wants to speak something else is none, and ends the connection', async () => {
    await receiveRaw((socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
    );
    expect(await send()).toMatchObject({ outcome: 'failed', failureClass: 'http_retryable', httpStatus: 101 });
    await until(() => receiver!.open() === 0);
  });
  it('is noted with the request: headers as sent, the first KiB of the body, and the time of each step', async () => {
    await receive((_, response) => response.writeHead(500, { 'X-Trace': 'a1' }).end('é'.repeat(1_000)));
    const { exchange, durationMs } = await send();
    expect(exchange).toMatchObject({
      url: `http://hooks.example:${receiver!.port}/in?x=1`,
      answer: { status: 500, is_body_complete: false },
    });
    const { rawHeaders } = receiver!.received[0]!;
    expect(rawHeaders.slice(0, 2 * exchange.request_headers!.length)).toEqual(exchange.request_headers!.flat());
    expect(exchange.answer!.headers).toContainEqual(['X-Trace', 'a1']);
    expect(Buffer.from(exchange.answer!.body, 'base64').toString()).toBe('é'.repeat(512));
    const { resolved_ms: resolved, connected_ms: connected, answered_ms: answered } = exchange;
    expect([resolved, connected, answered]).toEqual([resolved, connected, answered].toSorted((a, b) => a! - b!));
    expect(answered).toBe(durationMs);
  });
  it('is noted whole where it is short, and not its headers beyond 4 KiB', async () => {
    await receive((_, response) =>
      response.writeHead(200, { a: 'x'.repeat(4_000), b: 'y'.repeat(200) }).end('{"ok":1}'),
    );
    const { answer } = (await send()).exchange;
    expect(answer).toMatchObject({ body: Buffer.from('{"ok":1}').toString('base64'), is_body_complete: true });
    expect(answer!.headers.map(([name]) => name)).toEqual(['a']);
  });
  it('says nothing of what the receiver wrote', async () => {
    await receiveRaw((socket) => socket.end('HTTP/1.1 500 my<script>\r\ncontent-length: 6\r\n\r\nsecret'));
    expect(await send()).toMatchObject({ httpStatus: 500, failureMessage: 'HTTP 500' });
  });
});

describe('the body of an answer', () => {
  const HEAD = 'HTTP/1.1 200 OK\r\n';
  // Enough time for the headers on a busy machine.
  const QUICK = { attemptMs: 2_000 };
  it('that claims to be endless, or comes a byte at a time, is not waited for', async () => {
    const timers: NodeJS.Timeout[] = [];
    await receiveRaw((socket) => {
      socket.write(`${HEAD}content-length: 1000000\r\n\r\n`);
      timers.push(setInterval(() => socket.write('x'), 20));
    });
    const sent = await send(QUICK);
    timers.forEach(clearInterval);
    expect(sent).toMatchObject({ outcome: 'delivered', httpStatus: 200 });
    await until(() => receiver!.open() === 0);
  });
  it.each<[string, (socket: Socket) => void]>([
    [
      'breaks off',
      (socket) => {
        socket.write(`${HEAD}content-length: 10\r\n\r\nabc`);
        setImmediate(() => socket.resetAndDestroy());
      },
    ],
    ['is no valid chunk', (socket) => void socket.end(`${HEAD}transfer-encoding: chunked\r\n\r\nzz\r\n`)],
  ])('that %s changes nothing', async (_, handle) => {
    await receiveRaw(handle);
    expect(await send()).toMatchObject({ outcome: 'delivered', httpStatus: 200 });
  });
  it('that is a compressed bomb is not opened', async () => {
    const bomb = gzipSync(Buffer.alloc(32 * 1_024 * 1_024));
    await receive((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
    const before = process.memoryUsage().arrayBuffers;
    expect(await send()).toMatchObject({ outcome: 'delivered', httpStatus: 200 });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1_024 * 1_024);
  });
});

describe('a receiver that does not answer', () => {
  const QUICK = { attemptMs: ATTEMPT_MS };
  const LATE = network('no answer within 0.3 s');

  /** Sends with a short time limit, again if a busy machine used it up for the connection. */
  async function sendInHaste(): ReturnType<typeof send> {
    for (;;) {
      const sent = await send(QUICK);
      if (sent.outcome === 'delivered' || sent.failureMessage !== 'no connection within 5 s') return sent;
    }
  }

  afterEach(() => timers.splice(0).forEach(clearInterval));
  const timers: NodeJS.Timeout[] = [];

  it('because it hangs, is given up in time, and its connection closed', async () => {
    await receiveRaw(() => undefined);
    const sent = await sendInHaste();
    expect(sent).toEqual(LATE);
    expect(sent.durationMs).toBeGreaterThanOrEqual(ATTEMPT_MS - 5);
    await until(() => receiver!.open() === 0);
  });
  it('because its headers come a byte at a time, is given up in time', async () => {
    await receiveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
      timers.push(setInterval(() => socket.write('x'), 20));
    });
    expect(await sendInHaste()).toEqual(LATE);
    await until(() => receiver!.open() === 0);
  });
  it('because it only ever informs, is given up in time', async () => {
    await receiveRaw((socket) => timers.push(setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 20)));
    expect(await sendInHaste()).toEqual(LATE);
  });
  it.each<[string, (socket: Socket) => void]>([
    ['closes its half of the connection', (socket) => void socket.end()],
    ['resets the connection', (socket) => void socket.resetAndDestroy()],
  ])('because it %s', async (_, handle) => {
    await receiveRaw(handle);
    expect(await send()).toEqual(network('the connection was closed without an answer'));
  });
  it('because no receiver listens', async () => {
    await receive(() => undefined);
    const { port } = receiver!;
    await receiver!.close();
    receiver = undefined;
    expect(await send({}, `http://127.0.0.1:${port}/`)).toEqual(network('the connection was refused'));
  });
  it('because its name does not resolve', async () => {
    expect(await send({}, 'https://missing.example/')).toEqual(network('the URL does not resolve'));
  });
  it('because its name takes longer than the attempt may', async () => {
    expect(
      await send(
        { ...QUICK, guard: new UrlGuard({ allowedCidrs: [], resolve: () => new Promise(() => undefined) }) },
        'https://slow.example/',
      ),
    ).toEqual(LATE);
  });
  it('because its address is not allowed', async () => {
    expect(await send({}, 'https://10.0.0.1/')).toEqual(network('the URL must lead to public addresses only'));
  });
  it.each([
    ['what is not HTTP', 'SSH-2.0-OpenSSH\r\n'],
    ['headers beyond 16 KiB', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(17_000)}\r\n\r\n`],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
  ])('but sends %s', async (_, text) => {
    await receiveRaw((socket) => socket.end(text));
    expect(await send()).toEqual(network('the answer was not HTTP/1.1, or its headers were too large'));
  });
  it('is not asked twice, except where a kept connection turns out to be dead', async () => {
    await receiveRaw((socket, served) =>
      served === 1 ? socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n') : socket.resetAndDestroy(),
    );
    expect(await send()).toMatchObject({ outcome: 'delivered' });
    const again = await sender.send({ url: `http://hooks.example:${receiver!.port}/`, headers: {}, body: '{}' });
    expect(again).toMatchObject({ outcome: 'delivered' });
    expect(receiver!.connections()).toBe(2);
  });
});

describe('a connection', () => {
  const certificate = certificateFor(['hooks.example']);
  const TRUSTED = { ca: [certificate.cert] };
  const url = (name: string): string => `https://${name}:${receiver!.port}/in`;

  it('by TLS is made with the name of the URL, to the vetted address, and used again', async () => {
    const asked: unknown[] = [];
    receiver = await startReceiver((request, response) => {
      asked.push((request.socket as unknown as { servername: unknown }).servername, request.headers.host);
      response.end('thanks');
    }, certificate);
    expect(await send(TRUSTED, url('hooks.example'))).toMatchObject({ outcome: 'delivered' });
    await sender.send({ url: url('hooks.example'), headers: {}, body: '{}' });
    expect(asked).toEqual(Array.from({ length: 2 }, () => ['hooks.example', `hooks.example:${receiver!.port}`]).flat());
    expect(receiver.connections()).toBe(1);
  });
  it.each([
    ['for another name', TRUSTED, 'other.example', 'the certificate is for another name'],
    ['for a name where the URL has an address', TRUSTED, '127.0.0.1', 'the certificate is for another name'],
    ['of an unknown authority', {}, 'hooks.example', 'the certificate authority is not trusted'],
  ])('is not trusted with a certificate %s', async (_, settings, name, message) => {
    receiver = await startReceiver((_, response) => response.end(), certificate);
    expect(await send(settings, url(name))).toEqual(network(message));
    expect(receiver.received).toEqual([]);
  });
  it('is not trusted with a certificate that has expired', async () => {
    const expired = certificateFor(['hooks.example'], new Date(Date.now() - 60_000));
    receiver = await startReceiver((_, response) => response.end(), expired);
    expect(await send({ ca: [expired.cert] }, url('hooks.example'))).toEqual(network('the certificate has expired'));
    expect(receiver.received).toEqual([]);
  });
  it('to an address by TLS is trusted with a certificate for the address, and asks for no name', async () => {
    const forAddress = certificateFor(['127.0.0.1']);
    const asked: unknown[] = [];
    receiver = await startReceiver((request, response) => {
      asked.push((request.socket as unknown as { servername: unknown }).servername);
      response.end();
    }, forAddress);
    expect(await send({ ca: [forAddress.cert] }, url('127.0.0.1'))).toMatchObject({ outcome: 'delivered' });
    expect(asked).toEqual([false]);
  });
  it('is checked even where the environment would have certificates go unchecked', async () => {
    const connect = jest.spyOn(tls, 'connect');
    receiver = await startReceiver((_, response) => response.end(), certificate);
    await send(TRUSTED, url('hooks.example'));
    expect(connect.mock.calls).toEqual([[expect.objectContaining({ rejectUnauthorized: true })]]);
    connect.mockRestore();
  });
  it('by TLS that is reset before the answer, and while it is kept, is a failure and an ended connection', async () => {
    const under = new Set<Socket>();
    let isAnswering = false;
    receiver = await startReceiver(
      (_, response) => (isAnswering ? response.end() : under.forEach((socket) => socket.resetAndDestroy())),
      certificate,
      '127.0.0.1',
      (socket) => under.add(socket),
    );
    expect(await send(TRUSTED, url('hooks.example'))).toEqual(network('the connection was closed without an answer'));
    isAnswering = true;
    const again = { url: url('hooks.example'), headers: {}, body: '{}' };
    expect(await sender.send(again)).toMatchObject({ outcome: 'delivered' });
    under.forEach((socket) => socket.resetAndDestroy());
    await until(() => receiver!.open() === 0);
    expect(await sender.send(again)).toMatchObject({ outcome: 'delivered' });
    expect(receiver.connections()).toBe(3);
  });
  it('to a port that speaks no TLS is none', async () => {
    await receiveTcp((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect(await send(TRUSTED, url('hooks.example'))).toEqual(network('no TLS connection could be established'));
  });
  it('whose TLS hangs is given up in time, and closed', async () => {
    await receiveTcp(() => undefined);
    expect(await send({ ...TRUSTED, connectMs: 200 }, url('hooks.example'))).toEqual(
      network('no connection within 0.2 s'),
    );
    await until(() => receiver!.open() === 0);
  });

  async function receiveTcp(handle: (socket: Socket) => void): Promise<void> {
    receiver = await startRawReceiver(() => undefined, handle);
  }
});

describe('closing', () => {
  it('waits for what is under way, and lets go of connections', async () => {
    const answers: (() => void)[] = [];
    await receive((_, response) => answers.push(() => response.end()));
    const sent = send();
    await until(() => answers.length === 1);
    const closed = sender.close();
    answers[0]!();
    expect(await sent).toMatchObject({ outcome: 'delivered' });
    await closed;
    await until(() => receiver!.open() === 0);
  });
});
