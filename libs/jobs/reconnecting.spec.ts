import { Reconnecting } from './reconnecting.js';
import type { Part } from './backend.js';

/** A part that becomes ready when `ready` resolves, and closes at once unless `hangs`. */
function fakePart(inner: string, ready: Promise<unknown>, hangs = false): Part<string> & { abandoned: number } {
  return {
    inner,
    abandoned: 0,
    waitUntilReady: () => ready,
    close: () => (hangs ? new Promise(() => undefined) : Promise.resolve()),
    abandon() {
      this.abandoned += 1;
    },
  };
}

const OPEN = () => Promise.resolve();

describe('a reconnecting part', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('is null before it is ready', async () => {
    const reconnecting = new Reconnecting(
      OPEN,
      () => fakePart('first', new Promise(() => undefined)),
      () => undefined,
    );
    reconnecting.current();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(reconnecting.current()).toBeNull();
  });

  it('is created again if it failed to become ready, and the failed one is abandoned', async () => {
    const parts = [fakePart('first', Promise.reject(new Error('unavailable'))), fakePart('second', Promise.resolve())];
    let made = 0;
    const reconnecting = new Reconnecting(
      OPEN,
      () => parts[made++]!,
      () => undefined,
    );
    reconnecting.current();
    await jest.advanceTimersByTimeAsync(0);
    expect(reconnecting.current()).toBeNull();
    expect(parts[0]!.abandoned).toBe(1);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(reconnecting.current()).toBe('second');
    expect(made).toBe(2);
  });

  it('is not created again after the close', async () => {
    let made = 0;
    const reconnecting = new Reconnecting(
      OPEN,
      () => (made++, fakePart('one', Promise.reject(new Error('unavailable')))),
      () => undefined,
    );
    reconnecting.current();
    await jest.advanceTimersByTimeAsync(0);
    await reconnecting.close();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(made).toBe(1);
  });

  it('is abandoned two seconds after the end of the last work if its close hangs', async () => {
    const part = fakePart('one', Promise.resolve(), true);
    const reconnecting = new Reconnecting(
      OPEN,
      () => part,
      () => undefined,
    );
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    await reconnecting.whenReady();
    let isClosed = false;
    const closing = reconnecting.close(() => finished).then(() => (isClosed = true));
    await jest.advanceTimersByTimeAsync(60_000);
    expect(isClosed).toBe(false);
    finish();
    await jest.advanceTimersByTimeAsync(2_000);
    await closing;
    expect(part.abandoned).toBe(1);
  });

  it('reports errors until the close', async () => {
    const reported: string[] = [];
    let fail = (_error: Error): void => undefined;
    const reconnecting = new Reconnecting(
      OPEN,
      (_, onError) => ((fail = onError), fakePart('one', Promise.resolve())),
      (error) => reported.push(error.message),
    );
    await reconnecting.whenReady();
    fail(new Error('before'));
    await reconnecting.close();
    fail(new Error('after'));
    expect(reported).toEqual(['before']);
  });
});
