import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#embedded-postgres/embedded-postgres.js';
import { Child } from './children.js';

/** How much is measured. */
export interface Sizes {
  /** People that are imported, read and written. */
  readonly people: number;
  /** People of the smaller history that is rebuilt. */
  readonly fewPeople: number;
  /** Rounds of all sides in turns; a median is taken over them. */
  readonly rounds: number;
  /** Seconds of one side in one round, and before its first. */
  readonly seconds: number;
  readonly warmUp: number;
  /** Seconds from a start until the program counts as at rest, and for which it is watched then. */
  readonly settle: number;
  readonly idle: number;
  /** Deliveries whose delay is measured. */
  readonly delays: number;
}

/** One PostgreSQL for all sides, durable as in production, on the disk; and what is stopped at the end. */
export class Setting {
  private readonly kept: { stop(): Promise<void> }[] = [];

  private constructor(
    readonly sizes: Sizes,
    readonly directory: string,
    private readonly server: EmbeddedPostgres,
  ) {}

  /** Starts PostgreSQL in a temporary directory (`TMPDIR` names another place for it). */
  static async open(sizes: Sizes): Promise<Setting> {
    const directory = await mkdtemp(join(tmpdir(), 'workforce-bench-'));
    // PostgreSQL may run as another user, who must be able to pass.
    await chmod(directory, 0o711);
    return new Setting(sizes, directory, await startEmbeddedPostgres({ directory }));
  }

  /** The process of PostgreSQL that all its others descend from. */
  get postgresPid(): number {
    return this.server.pid;
  }

  /** For progress, on the standard error output: the table alone is on the standard one. */
  say(message: string): void {
    process.stderr.write(`${message}\n`);
  }

  /** A new database, empty or a copy of one that nobody is connected to; gives its URL. */
  async database(name: string, template = 'template1'): Promise<string> {
    await this.query(`create database ${name} template ${template}`);
    const url = new URL(this.server.url);
    url.pathname = `/${name}`;
    return url.href;
  }

  /** Runs a statement, in the server's own database unless another one's URL is given. */
  async query<Row extends object>(
    text: string,
    values: readonly unknown[] = [],
    url = this.server.url,
  ): Promise<readonly Row[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Row>(text, [...values])).rows;
    } finally {
      await client.end();
    }
  }

  /** Starts a process of `children/`, which is stopped at the end. */
  start(name: string): Child {
    return this.keep(Child.start(name));
  }

  /** Stops this with everything else, even where a measurement fails. Gives it back. */
  keep<T extends { stop(): Promise<void> }>(started: T): T {
    this.kept.push(started);
    return started;
  }

  /** Ends everything that was started, the latest first, and removes the data. */
  async close(): Promise<void> {
    for (const started of this.kept.toReversed()) await started.stop();
    await this.server.stop();
    await rm(this.directory, { recursive: true, force: true });
  }
}
