import { rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from 'pg';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '#embedded-postgres/embedded-postgres.js';
import { migrate } from '#database/migrations.js';
import { createPool } from '#database/pool.js';
import { MIGRATIONS } from '#resources/migrations.js';
import { UNLIMITED } from '../api/test-api.js';
import { freezePostgres } from './frozen-postgres.js';
import { freePort, type RunningProcess, startWorkforce } from '../processes.js';
import type { TestRedis } from '../redis.js';
import { temporaryDirectory } from '../test-server.js';

/** What may differ between installations. */
export interface InstallationOptions {
  readonly redis?: TestRedis | null;
  /** Further settings of every process. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Where PostgreSQL keeps its data; a temporary directory, removed in the end, where not given. */
  readonly directory?: string;
}

/** The least serious line that processes write, unless a test wants to read them. */
const QUIET = 'fatal';
const SUPERVISION_MILLISECONDS = 50;
const READY_MILLISECONDS = 120_000;

/**
 * A whole installation of the built program: a PostgreSQL of its own that can be killed, and APIs and workers as processes
 * that can be killed, stopped and started again at the same addresses. Processes are named after their command (`api 1`, `worker 2`).
 */
export class Installation {
  private readonly processes = new Map<string, RunningProcess>();
  private readonly ports = new Map<string, number>();
  /** Those whose end somebody sees to. */
  private readonly ending = new WeakSet<RunningProcess>();
  private isEnding = false;
  private supervising: Promise<void> = Promise.resolve();
  /** Processes that ended without being asked to, as often as they did. */
  readonly endedByThemselves: string[] = [];

  private constructor(
    private readonly directory: string,
    private postgres: EmbeddedPostgres,
    readonly pool: Pool,
    private readonly options: InstallationOptions,
  ) {}

  static async start(options: InstallationOptions = {}): Promise<Installation> {
    const directory = options.directory ?? (await temporaryDirectory());
    // What is acknowledged is on the disk: PostgreSQL is killed too.
    const postgres = await startEmbeddedPostgres({ directory });
    const pool = createPool(postgres.url, { applicationName: 'test', maximum: 6 });
    await migrate(pool, MIGRATIONS);
    return new Installation(directory, postgres, pool, options);
  }

  get url(): string {
    return this.postgres.url;
  }

  get redis(): TestRedis | null {
    return this.options.redis ?? null;
  }

  get names(): readonly string[] {
    return [...this.processes.keys()];
  }

  get apis(): readonly string[] {
    return this.names.filter((name) => name.startsWith('api'));
  }

  /** Where requests of the API go, without a slash at its end. */
  addressOf(name: string): string {
    return `http://127.0.0.1:${this.ports.get(name)}`;
  }

  /** Where the operations listener of a process is. */
  operationsOf(name: string): string {
    return `http://127.0.0.1:${this.ports.get(`${name} operations`)}`;
  }

  processOf(name: string): RunningProcess {
    return this.processes.get(name)!;
  }

  /** Settings of a process or a command on this installation. */
  get environment(): NodeJS.ProcessEnv {
    const limits = Object.fromEntries(
      ['KEY', 'KEY_WRITES', 'ORGANISATION', 'WEBHOOK_KEY', 'WEBHOOK_ORGANISATION'].map((limit) => [
        `RATE_LIMIT_${limit}`,
        String(UNLIMITED),
      ]),
    );
    return {
      DATABASE_URL: this.url,
      LOG_LEVEL: QUIET,
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
      ...(this.redis === null ? {} : { REDIS_URL: this.redis.url }),
      ...limits,
      ...this.options.environment,
    };
  }

  /** Starts a process, at the address that it had before. `environment` holds for this start alone. */
  async launch(name: string, environment: NodeJS.ProcessEnv = {}): Promise<RunningProcess> {
    for (const port of [name, `${name} operations`]) if (!this.ports.has(port)) this.ports.set(port, await freePort());
    const ports = { PORT: String(this.ports.get(name)), SANDBOX_PORT: '0', OPS_PORT: String(this.ports.get(`${name} operations`)) };
    const running = startWorkforce([name.split(' ')[0]!], { ...this.environment, ...ports, ...environment });
    this.processes.set(name, running);
    return running;
  }

  /** Until the process, or the one that was started in its place, would be sent requests. */
  async untilReady(name: string): Promise<void> {
    const deadline = performance.now() + READY_MILLISECONDS;
    for (;;) {
      const response = await fetch(`${this.operationsOf(name)}/health/ready`, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
      if (response?.status === 200) return;
      if (performance.now() > deadline)
        throw new Error(`${name} was not ready within ${READY_MILLISECONDS} ms: ${this.processOf(name).stderr()}`);
      await wait(SUPERVISION_MILLISECONDS);
    }
  }

  /** `kill -9`, and a new start. */
  async kill(name: string): Promise<void> {
    await this.end(name, 'SIGKILL');
    if (!this.isEnding) await this.launch(name);
  }

  /** Ends a process without starting it again; its exit code, null where the signal ended it. */
  end(name: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const running = this.processOf(name);
    this.ending.add(running);
    return running.end(signal);
  }

  /** `kill -9` of the postmaster, and a new start at the same port. */
  async restartPostgres(): Promise<void> {
    await this.killPostgres();
    await this.startPostgres();
  }

  async killPostgres(): Promise<void> {
    process.kill(this.postgres.pid, 'SIGKILL');
    await this.postgres.ended;
  }

  async startPostgres(): Promise<void> {
    const port = Number(new URL(this.url).port);
    this.postgres = await startEmbeddedPostgres({ directory: this.directory, port });
  }

  /** Stops PostgreSQL without ending anything: connections stay, and nothing is answered. Gives what lets it go on. */
  freezePostgres(): Promise<() => void> {
    return freezePostgres(this.postgres.pid);
  }

  async restartRedis(): Promise<void> {
    await this.redis?.command('FLUSHALL');
    await this.redis?.kill();
    await this.redis?.start();
  }

  /** Processes that end by themselves, such as a worker that found PostgreSQL away at its start, are started again, as any supervisor does. */
  superviseFromNowOn(): void {
    this.supervising = this.supervise();
  }

  private async supervise(): Promise<void> {
    while (!this.isEnding) {
      for (const [name, running] of this.processes) {
        const ended = await Promise.race([running.exited.then(() => true), wait(0).then(() => false)]);
        if (!ended || this.isEnding || this.ending.has(running)) continue;
        this.ending.add(running);
        this.endedByThemselves.push(name);
        await this.launch(name);
      }
      await wait(SUPERVISION_MILLISECONDS);
    }
  }

  async stop(): Promise<void> {
    this.isEnding = true;
    await this.supervising;
    await Promise.all([...this.processes.values()].map((running) => running.end('SIGKILL')));
    await this.pool.end();
    await this.redis?.stop();
    await this.postgres.stop();
    if (this.options.directory === undefined) await rm(this.directory, { recursive: true, force: true });
  }
}

/** Repeats what needs PostgreSQL until that is there. */
export async function persist<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch {
      await wait(100);
    }
  }
}
