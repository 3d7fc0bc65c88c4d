import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#embedded-postgres/embedded-postgres.js';
import { Child } from '../children.js';
import type { Options } from '../options.js';

/** Where measurements run: a directory on the disk, a PostgreSQL of the run's own, and processes that are ended with it. */
export class Setting {
  private readonly children: Child[] = [];
  private readonly kept: { stop(): Promise<void> }[] = [];

  private constructor(
    readonly options: Options,
    readonly directory: string,
    private readonly server: EmbeddedPostgres,
  ) {}

  /** Starts PostgreSQL, durable as in production, in a temporary directory (`TMPDIR` names another place for it). */
  static async open(options: Options): Promise<Setting> {
    // Not where tests have theirs: in memory a commit would wait for nothing.
    const directory = await mkdtemp(join(tmpdir(), 'workforce-bench-'));
    // PostgreSQL may run as another user, who must be able to pass.
    await chmod(directory, 0o711);
    return new Setting(options, directory, await startEmbeddedPostgres({ directory }));
  }

  /** The process of this PostgreSQL that all its others descend from. */
  get postgresPid(): number {
    return this.server.pid;
  }

  /** For progress, on the standard error output: the table alone is on the standard one. */
  say(message: string): void {
    process.stderr.write(`${message}\n`);
  }

  /** An empty database; gives its URL. */
  async database(name: string): Promise<string> {
    await this.administer((client) => client.query(`create database ${name}`));
    const url = new URL(this.server.url);
    url.pathname = `/${name}`;
    return url.href;
  }

  async postgresVersion(): Promise<string> {
    return this.administer(
      async (client) => (await client.query<{ server_version: string }>('show server_version')).rows[0]!.server_version,
    );
  }

  start(name: Parameters<typeof Child.start>[0]): Child {
    const child = Child.start(name, this.options.profile);
    this.children.push(child);
    return child;
  }

  /** Stops this with everything else, even where the measurement that it belongs to fails. Gives it back. */
  keep<T extends { stop(): Promise<void> }>(started: T): T {
    this.kept.push(started);
    return started;
  }

  /** Ends everything that was started, and removes the data. */
  async close(): Promise<void> {
    for (const child of this.children) await child.end();
    for (const started of this.kept) await started.stop();
    await this.server.stop();
    await rm(this.directory, { recursive: true, force: true });
  }

  private async administer<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: this.server.url });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }
}
