import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { certificateFor } from '../../../test/support/webhooks/certificate.js';
import { type Receiver, startRawReceiver, startReceiver } from '../../../test/support/webhooks/receivers.js';
import { Sender, type SenderSettings, type Sent } from './sender.js';
import { UrlGuard } from '../url-guard/url-guard.js';

const KIB = 1_024;
const LIMIT = 64 * KIB;
/** The maximum number of bytes of one read from a socket: the limit is checked after it. */
const ONE_READ = 64 * KIB;
const HEAD = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
/** No deadline ends an attempt of these tests: it ends only because of the bytes that it has read. */
const ENDLESS = { connectMs: 86_400_000, attemptMs: 86_400_000 };
const guard = new UrlGuard({
  allowedCidrs: ['127.0.0.0/8'],
  resolve: async () => [{ address: '127.0.0.1', family: 4 }],
});

const receivers: Receiver[] = [];
/** Every connection of the sender. */
let sockets: Socket[] = [];
let sender: Sender;
const note = (message: unknown): void => void sockets.push((message as { socket: Socket }).socket);

beforeEach(() => {
  sockets = [];
  subscribe('net.client.socket', note);
});
afterEach(async () => {
  unsubscribe('net.client.socket', note);
  for (const receiver of receivers.splice(0)) await receiver.close();
  await sender.close();
});

/** A receiver that answers with the text and then writes these bytes until the connection is closed. */
async function flood(text: string, unit: string): Promise<Receiver> {
  return keep(await startRawReceiver((socket) => pour(socket, text, unit)));
}

function pour(socket: Socket, text: string, unit: string | Buffer): void {
  const block = Buffer.alloc(Math.floor(ONE_READ / unit.length) * unit.length, unit);
  socket.write(text);
  const more = (): void => {
    while (!socket.destroyed) if (!socket.write(block)) break;
    socket.once('drain', more);
  };
  more();
}

function keep(receiver: Receiver): Receiver {
  receivers.push(receiver);
  return receiver;
}

function sendTo({ port }: Receiver, scheme = 'http'): Promise<Sent> {
  return sender.send({ url: `${scheme}://hooks.example:${port}/in`, headers: {}, body: '{}' });
}

function open(settings: Partial<SenderSettings> = {}): void {
  sender = new Sender({ guard, ...ENDLESS, ...settings });
}

const largestRead = (): number => Math.max(...sockets.map(({ bytesRead }) => bytesRead));

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

const TOO_MUCH = {
  outcome: 'failed',
  failureClass: 'network',
  httpStatus: null,
  failureMessage: 'more than 64 KiB arrived without an answer',
  retryAfterMs: null,
  durationMs: expect.any(Number) as number,
  exchange: expect.objectContaining({ answer: null }) as object,
};

describe('a receiver that sends without end', () => {
  it.each([
    ['interim answers', '', 'HTTP/1.1 100 \r\n\r\n'],
    ['interim answers with headers', '', `HTTP/1.1 103 Early Hints\r\nlink: </${'a'.repeat(900)}>\r\n\r\n`],
  ])('fails with %s when 64 KiB have come', async (_, text, unit) => {
    open();
    const receiver = await flood(text, unit);
    expect(await sendTo(receiver)).toEqual(TOO_MUCH);
    await until(() => receiver.open() === 0);
    expect(largestRead()).toBeLessThanOrEqual(LIMIT + ONE_READ);
  });

  it('fails with headers when 16 KiB have come', async () => {
    open();
    const receiver = await flood('HTTP/1.1 200 OK\r\n', 'x: y\r\n');
    expect(await sendTo(receiver)).toMatchObject({
      outcome: 'failed',
      failureClass: 'network',
      failureMessage: 'the answer was not HTTP/1.1, or its headers were too large',
    });
    await until(() => receiver.open() === 0);
    expect(largestRead()).toBeLessThanOrEqual(LIMIT + ONE_READ);
  });

  it.each([
    ['a body', HEAD, `4000\r\n${'x'.repeat(0x4000)}\r\n`],
    ['a body of tiny chunks', HEAD, '1\r\nx\r\n'],
    ['an extension of a chunk', `${HEAD}1;`, 'x'],
    ['trailers', `${HEAD}0\r\n`, 'x: y\r\n'],
    ['a body without a length', 'HTTP/1.1 200 OK\r\n\r\n', 'x'],
    ['further answers', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'],
  ])('has answered, although %s follows, and is read no further than 64 KiB', async (_, text, unit) => {
    open();
    const receiver = await flood(text, unit);
    expect(await sendTo(receiver)).toMatchObject({ outcome: 'delivered', httpStatus: 200 });
    await until(() => receiver.open() === 0);
    expect(largestRead()).toBeLessThanOrEqual(LIMIT + ONE_READ);
  });

  it('over a connection that is kept for later has it closed', async () => {
    open();
    let kept: Socket | undefined;
    const receiver = keep(
      await startRawReceiver((socket) => (kept = socket).write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')),
    );
    expect(await sendTo(receiver)).toMatchObject({ outcome: 'delivered' });
    pour(kept!, '', 'x');
    await until(() => receiver.open() === 0);
    expect(largestRead()).toBeLessThanOrEqual(LIMIT + ONE_READ);
  });

  it('below 64 KiB may do so, and then answer', async () => {
    open();
    const interim = 'HTTP/1.1 102 \r\n\r\n';
    const receiver = keep(
      await startRawReceiver((socket) =>
        socket.end(interim.repeat(Math.floor((LIMIT - 100) / interim.length)) + 'HTTP/1.1 204 No Content\r\n\r\n'),
      ),
    );
    expect(await sendTo(receiver)).toMatchObject({ outcome: 'delivered', httpStatus: 204 });
  });

  it('is counted anew with every attempt over the same connection', async () => {
    open();
    const receiver = keep(await startReceiver((_, response) => response.end('x'.repeat(40 * KIB))));
    for (let time = 0; time < 5; time += 1) expect(await sendTo(receiver)).toMatchObject({ outcome: 'delivered' });
    expect(receiver.connections()).toBe(1);
  });

  it('ten times at once does not delay other receivers', async () => {
    open();
    const hostile = await flood('', 'HTTP/1.1 100 \r\n\r\n');
    const well = keep(await startReceiver((_, response) => response.end()));
    const floods = Promise.all(Array.from({ length: 10 }, () => sendTo(hostile)));
    for (let time = 0; time < 10; time += 1) expect(await sendTo(well)).toMatchObject({ outcome: 'delivered' });
    expect(await floods).toEqual(Array.from({ length: 10 }, () => TOO_MUCH));
    expect(sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0)).toBeLessThanOrEqual(11 * (LIMIT + ONE_READ));
  });
});

describe('by TLS, a receiver that sends without end', () => {
  const certificate = certificateFor(['hooks.example']);

  it('fails with interim answers when 64 KiB have come', async () => {
    open({ ca: [certificate.cert] });
    const receiver = keep(
      await startReceiver((request) => pour(request.socket, '', 'HTTP/1.1 100 \r\n\r\n'), certificate),
    );
    expect(await sendTo(receiver, 'https')).toEqual(TOO_MUCH);
    await until(() => receiver.open() === 0);
  });

  it('fails in the handshake, of which nothing but TLS ever hears', async () => {
    open();
    // HelloRequest, which a client ignores while it shakes hands (RFC 5246, 7.4.1.1).
    const ignored = Buffer.from([0x16, 3, 3, 0, 4, 0, 0, 0, 0]);
    const receiver = keep(
      await startRawReceiver(
        () => undefined,
        (socket) => pour(socket, '', ignored),
      ),
    );
    expect(await sendTo(receiver, 'https')).toMatchObject({
      outcome: 'failed',
      failureClass: 'network',
      failureMessage: 'the TLS handshake was longer than 64 KiB',
    });
    await until(() => receiver.open() === 0);
  });
});
