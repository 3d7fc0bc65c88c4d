import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { ReceiveLimiter, MAX_ANSWER_BYTES } from './receive-limiter.js';

let server: Server;
let raw: Socket;
let other: Socket;
beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connected = once(server, 'connection') as Promise<[Socket]>;
  raw = connect((server.address() as AddressInfo).port, '127.0.0.1');
  [other] = await connected;
  // Decrypting continues to read the connection without an event for its owner.
  raw.resume();
});
afterEach(() => {
  raw.destroy();
  other.destroy();
  server.close();
});

async function come(bytes: number): Promise<void> {
  const before = raw.bytesRead;
  other.write(Buffer.alloc(bytes));
  while (raw.bytesRead < before + bytes) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * Resolves when the limiter has checked the connection once more, so that all earlier notifications were
 * made.
 */
async function look(limiter: ReceiveLimiter): Promise<void> {
  const told = new Promise<void>((resolve) => void limiter.watchHandshake(raw, resolve));
  await come(MAX_ANSWER_BYTES + 1);
  await told;
}

describe('an attempt by TLS', () => {
  it('is told of too much that never becomes a byte of HTTP, once', async () => {
    const limiter = new ReceiveLimiter();
    const secure = new PassThrough();
    limiter.pair(secure, raw);
    await come(MAX_ANSWER_BYTES);
    let told = 0;
    const tooMuch = new Promise<void>((resolve) => {
      limiter.watchAttempt(secure, () => {
        told += 1;
        resolve();
      });
    });
    // Bytes before the watch began belong to another attempt.
    await come(2 * MAX_ANSWER_BYTES);
    await come(1);
    await tooMuch;
    await look(limiter);
    expect(told).toBe(1);
  });

  it('is told of nothing once its watch has ended', async () => {
    const limiter = new ReceiveLimiter();
    const secure = new PassThrough();
    limiter.pair(secure, raw);
    limiter.watchAttempt(secure, () => {
      throw new Error('told after the end');
    })();
    secure.write(Buffer.alloc(MAX_ANSWER_BYTES + 1));
    await come(2 * MAX_ANSWER_BYTES);
    await look(limiter);
    expect(secure.listenerCount('data')).toBe(0);
  });
});
