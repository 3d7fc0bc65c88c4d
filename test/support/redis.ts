import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from './free-ports.js';
import { temporaryDirectory } from './test-server.js';

/** A Redis for one test file, with the settings for production: append-only file, no eviction. */
export interface TestRedis {
  readonly url: string;
  /** Sends an inline command, such as `FLUSHALL`, and returns the first line of the answer. */
  command(line: string): Promise<string>;
  /** Stops all answers without closing connections, until `resume`. */
  freeze(): void;
  resume(): void;
  /** Kills it (`kill -9`). Resolves when it has ended. */
  kill(): Promise<void>;
  /** Starts it again, at the same address with the same data. */
  start(): Promise<void>;
  /** Ends it in any state, and removes its data. */
  stop(): Promise<void>;
}

const POLL_MILLISECONDS = 20;
const START_MILLISECONDS = 600_000;
/** Ensures that a failing test or a killed run leaves no server behind. */
const DIE_WITH_PARENT = existsSync('/usr/bin/setpriv') ? ['/usr/bin/setpriv', '--pdeathsig', 'KILL'] : [];

/**
 * Starts `redis-server` on a free port of the loopback address; `settings` are options of its command line.
 */
export async function startTestRedis(settings: readonly string[] = []): Promise<TestRedis> {
  const directory = await temporaryDirectory();
  const port = await freePort();
  let running: { process: ChildProcess; exited: Promise<void> } | null = null;
  const command = (line: string): Promise<string> => ask(port, line);
  const end = async (): Promise<void> => {
    running?.process.kill('SIGKILL');
    await running?.exited;
    running = null;
  };
  const start = async (): Promise<void> => {
    running = launch([
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, '--save', '', '--appendonly', 'yes'],
      ...['--appendfsync', 'everysec', '--maxmemory-policy', 'noeviction', ...settings],
    ]);
    let hasEnded = false;
    void running.exited.then(() => (hasEnded = true));
    for (const deadline = Date.now() + START_MILLISECONDS; ;) {
      // A server with a password answers too, with an error.
      if (/^(\+PONG|-NOAUTH )/.test(await command('PING').catch(() => ''))) return;
      if (hasEnded || Date.now() > deadline)
        throw new Error('redis-server did not start: "node scripts/ensure-test-programs.mjs" says whether it is there');
      await wait(POLL_MILLISECONDS);
    }
  };
  await start();
  const stop = async (): Promise<void> => {
    await end();
    await rm(directory, { recursive: true, force: true });
  };
  const freeze = (): void => void running?.process.kill('SIGSTOP');
  const resume = (): void => void running?.process.kill('SIGCONT');
  return { url: `redis://127.0.0.1:${port}`, command, freeze, resume, kill: end, start, stop };
}

function launch(parameters: readonly string[]): { process: ChildProcess; exited: Promise<void> } {
  const [program, ...rest] = [...DIE_WITH_PARENT, 'redis-server', ...parameters];
  const child = spawn(program!, rest, { stdio: 'ignore' });
  const exited = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  return { process: child, exited };
}

function ask(port: number, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${line}\r\n`));
    let text = '';
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('Redis closed the connection')));
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const end = text.indexOf('\r\n');
      if (end < 0) return;
      resolve(text.slice(0, end));
      socket.end();
    });
  });
}
