import { rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from 'pg';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '#embedded-postgres/embedded-postgres.js';
import { migrate } from '#database/migrations.js';
import { createPool } from '#database/pool.js';
import { MIGRATIONS } from '#composition/migrations.js';
import { UNLIMITED } from '../api/test-api.js';
import { freezePostgres } from './frozen-postgres.js';
import { freePort } from '../free-ports.js';
import { type RunningProcess, startWorkforce } from '../processes.js';
import type { TestRedis } from '../redis.js';
import { temporaryDirectory } from '../test-server.js';

/** The options of an installation. */
export interface InstallationOptions {
  readonly redis?: TestRedis | null;
  /** Additional settings of every process. */
  readonly environment?: NodeJS.ProcessEnv;
  /** The data directory of PostgreSQL; where not given, a temporary directory that is removed at the end. */
  readonly directory?: string;
}

/** The log level of processes, unless a test reads their logs. */
const QUIET = 'fatal';
const SUPERVISION_MILLISECONDS = 50;
const READY_MILLISECONDS = 600_000;

/**
 * A whole installation of the built program: a separate PostgreSQL that can be killed, and APIs and workers
 * as processes that can be killed, stopped and started again at the same addresses. Processes are named after
 * their command (`api 1`, `worker 2`).
 */
export class Installation {
  private readonly processes = new Map<string, RunningProcess>();
  private readonly ports = new Map<string, number>();
  /** Processes that the test ends itself. */
  private readonly ending = new WeakSet<RunningProcess>();
  private isEnding = false;
  private supervising: Promise<void> = Promise.resolve();
  /** Names of processes that ended unexpectedly, once for each time. */
  readonly endedByThemselves: string[] = [];

  private constructor(
    private readonly directory: string,
    private postgres: EmbeddedPostgres,
    readonly pool: Pool,
    private readonly options: InstallationOptions,
  ) {}

  static async start(options: InstallationOptions = {}): Promise<Installation> {
    const directory = options.directory ?? (await temporaryDirectory());
    // Acknowledged writes must be on the disk, because PostgreSQL is killed too.
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

  /** Returns the URL of a process's API, without a slash at its end. */
  addressOf(name: string): string {
    return `http://127.0.0.1:${this.ports.get(name)}`;
  }

  /** Returns the URL of a process's operations listener. */
  operationsOf(name: string): string {
    return `http://127.0.0.1:${this.ports.get(`${name} operations`)}`;
  }

  processOf(name: string): RunningProcess {
    return this.processes.get(name)!;
  }

  /** The settings of a process or a command on this installation. */
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

  /** Starts a process, at its former address if it had one. `environment` applies to this start only. */
  async launch(name: string, environment: NodeJS.ProcessEnv = {}): Promise<RunningProcess> {
    for (const port of [name, `${name} operations`]) if (!this.ports.has(port)) this.ports.set(port, await freePort());
    const ports = {
      PORT: String(this.ports.get(name)),
      SANDBOX_PORT: '0',
      OPS_PORT: String(this.ports.get(`${name} operations`)),
    };
    const running = startWorkforce([name.split(' ')[0]!], { ...this.environment, ...ports, ...environment });
    this.processes.set(name, running);
    return running;
  }

  /** Waits until the process, or its replacement, is ready for requests. */
  async untilReady(name: string): Promise<void> {
    const deadline = performance.now() + READY_MILLISECONDS;
    for (;;) {
      const response = await fetch(`${this.operationsOf(name)}/health/ready`, {
        signal: AbortSignal.timeout(5_000),
      }).catch(() => null);
      if (response?.status === 200) return;
      if (performance.now() > deadline)
        throw new Error(`${name} was not ready within ${READY_MILLISECONDS} ms: ${this.processOf(name).stderr()}`);
      await wait(SUPERVISION_MILLISECONDS);
    }
  }

  /** Kills the process (`kill -9`) and starts it again. */
  async kill(name: string): Promise<void> {
    await this.end(name, 'SIGKILL');
    if (!this.isEnding) await this.launch(name);
  }

  /** Ends a process without starting it again; returns its exit code, null where the signal ended it. */
  end(name: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const running = this.processOf(name);
    this.ending.add(running);
    return running.end(signal);
  }

  /** Kills the postmaster (`kill -9`) and starts it again at the same port. */
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

  /**
   * Stops PostgreSQL without ending any process: connections stay open, and nothing is answered. Returns the
   * function that resumes it.
   */
  freezePostgres(): Promise<() => void> {
    return freezePostgres(this.postgres.pid);
  }

  async restartRedis(): Promise<void> {
    await this.redis?.command('FLUSHALL');
    await this.redis?.kill();
    await this.redis?.start();
  }

  /**
   * Restarts processes that end unexpectedly, as any supervisor does, for example a worker that finds no
   * PostgreSQL at its start.
   */
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

/** Repeats work that needs PostgreSQL until the server is available. */
export async function persist<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch {
      await wait(100);
    }
  }
}
