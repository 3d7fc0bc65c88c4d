import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InjectedFaults } from './server-process.js';
import type { TestServerOptions } from './test-server.js';

/** The test server as a separate process, with its log in a temporary file. */
export class ChildServer {
  private constructor(
    private readonly directory: string,
    private readonly options: TestServerOptions,
    private child: ChildProcess,
    readonly port: number,
  ) {}

  static async start(options: Omit<TestServerOptions, 'file' | 'port'> = {}): Promise<ChildServer> {
    const directory = await mkdtemp(join(tmpdir(), 'eventstoredb-'));
    const whole = { ...options, file: join(directory, 'log') };
    const { child, port } = await launch(whole);
    return new ChildServer(directory, whole, child, port);
  }

  get connectionString(): string {
    return `esdb://127.0.0.1:${this.port}?tls=false`;
  }

  /** SIGKILL: the process ends immediately. */
  async kill(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }

  /** Starts it again on the same log and port, after `kill`. */
  async restart(): Promise<void> {
    ({ child: this.child } = await launch({ ...this.options, port: this.port }));
  }

  /** Sets the faults of the server from now on. */
  async tell(faults: InjectedFaults): Promise<void> {
    const confirmed = once(this.child, 'message');
    this.child.send(faults);
    await confirmed;
  }

  /** SIGSTOP: connections stay open, and no call is answered until `resume`. */
  pause(): void {
    this.child.kill('SIGSTOP');
  }

  resume(): void {
    this.child.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) await this.kill();
    await rm(this.directory, { recursive: true, force: true });
  }
}

async function launch(options: TestServerOptions): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const child = fork(join(__dirname, 'server-process.cjs'), [JSON.stringify(options)], { execArgv: [] });
  const started = once(child, 'message') as Promise<[{ readonly port: number }]>;
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the test server ended with ${String(code)} instead of starting`);
  });
  const [{ port }] = await Promise.race([started, ended]);
  ended.catch(() => undefined);
  return { child, port };
}
