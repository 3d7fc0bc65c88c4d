import type { ClientBase } from 'pg';
import { startSessionHeartbeat } from './session-heartbeat.js';

let pulse: (count: number) => void = () => undefined;
jest.mock('./pulse.js', () => ({
  onPulse: (listener: (count: number) => void) => {
    pulse = listener;
    return () => (pulse = () => undefined);
  },
}));

let count = 0;
/** The event loop is on time for so many pulses. */
function pulses(number: number): void {
  for (let one = 0; one < number; one += 1) pulse((count += 1));
}

/** A connection to a server that answers when it is told to, and, as pg has it, with a limit for a statement that is given one. */
class SlowConnection {
  readonly asked: string[] = [];
  isSilent = false;
  private waiting: (() => void)[] = [];

  query(config: string | { text: string; query_timeout?: number }): Promise<void> {
    const { text, query_timeout: limit } = typeof config === 'string' ? { text: config, query_timeout: undefined } : config;
    this.asked.push(text);
    if (!this.isSilent) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.waiting.push(resolve);
      if (limit !== undefined) setTimeout(() => reject(new Error('Query read timeout')), limit);
    });
  }

  answer(): void {
    for (const resolve of this.waiting) resolve();
    this.waiting = [];
  }

  on(): this {
    return this;
  }

  off(): this {
    return this;
  }
}

const MINUTE = 60_000;

describe('the heartbeat of a session', () => {
  let server: SlowConnection;
  let connection: ClientBase;
  let lost: number;
  const start = (): ReturnType<typeof startSessionHeartbeat> => startSessionHeartbeat(connection, { onLost: () => (lost += 1) });
  beforeEach(() => {
    jest.useFakeTimers();
    count = 0;
    lost = 0;
    server = new SlowConnection();
    connection = server as unknown as ClientBase;
  });
  afterEach(() => jest.useRealTimers());

  it('does not take a delay of this process for silence of the server', async () => {
    await start();
    server.isSilent = true;
    pulses(2);
    // The answer has come, but the event loop does not get to it: every timer is due before it, and no pulse has passed.
    await jest.advanceTimersByTimeAsync(MINUTE);
    expect(lost).toBe(0);
    server.answer();
    server.isSilent = false;
    await jest.advanceTimersByTimeAsync(0);
    for (let one = 0; one < 10; one += 1) {
      pulses(1);
      await jest.advanceTimersByTimeAsync(MINUTE);
    }
    expect(lost).toBe(0);
  });

  it('is lost, once, where the server stays silent while this process is on time', async () => {
    await start();
    server.isSilent = true;
    pulses(4);
    expect(lost).toBe(0);
    pulses(1);
    expect(lost).toBe(1);
    pulses(10);
    expect(lost).toBe(1);
  });
});
