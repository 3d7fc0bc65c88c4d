import { rm } from 'node:fs/promises';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#embedded-postgres/embedded-postgres.js';
import { temporaryDirectory } from '../../support/test-server.js';
import { Child } from '../children.js';
import type { Options } from '../options.js';

/** Where measurements run: a PostgreSQL of the run's own, and processes that are ended with it. */
export class Setting {
  private readonly children: Child[] = [];

  private constructor(
    readonly options: Options,
    private readonly directory: string,
    private readonly server: EmbeddedPostgres,
  ) {}

  /** Starts PostgreSQL, durable as in production, in a temporary directory. */
  static async open(options: Options): Promise<Setting> {
    const directory = await temporaryDirectory();
    return new Setting(options, directory, await startEmbeddedPostgres({ directory }));
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

  /** Ends everything that was started, and removes the data. */
  async close(): Promise<void> {
    for (const child of this.children) await child.end();
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
