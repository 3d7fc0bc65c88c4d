import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { createPool } from '#database/pool.js';
import { currentUse } from '#embedded-postgres/data-directory.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#embedded-postgres/embedded-postgres.js';
import type { Child } from '../children.js';
import type { BareSettings } from '../children/bare-server.js';
import type { Load } from '../children/load.js';
import { type Comparison, compare, lowestIdleRateOf, type Plan, type Side } from '../measure/comparison.js';
import type { Setting } from '../benches/setting.js';
import { type BareContents, fillBareTables } from './bare-data.js';
import { type Contents, type PreparedInstallation, prepareInstallation } from './prepared-installation.js';
import { type Product, startProduct } from './product.js';

/** A side without its load. */
type Processes = Omit<Side, 'load'> & { readonly url: string };

/** As many connections as the program has. */
const CONNECTIONS = 16;
const IDLE_MILLISECONDS = 5_000;
const IDLE_SPANS = 5;

/** The program as `npm start` runs it, over an installation that holds people, with the load generator; and the bare server once it is started. */
export class Servers {
  private bareServer: { readonly processes: Processes; readonly server: Child; readonly postgres: EmbeddedPostgres } | null = null;

  private constructor(
    readonly setting: Setting,
    readonly installation: PreparedInstallation,
    private readonly program: Product,
    readonly pool: Pool,
    private readonly generator: Child,
    readonly product: Processes,
  ) {}

  /** Records the people, starts the program with its own PostgreSQL, and measures it at rest. */
  static async open(setting: Setting, name: string, contents: Contents): Promise<Servers> {
    const directory = join(setting.directory, name);
    await mkdir(directory, { mode: 0o711 });
    const installation = await prepareInstallation(directory, contents);
    const environment = { WORKFORCE_DATA_DIR: installation.dataDirectory };
    const settings = { command: ['start', '--no-demo'], directory, environment, profile: setting.options.profile };
    const program = setting.keep(await startProduct(settings));
    const databaseUrl = (await currentUse(installation.dataDirectory))!.runtime!.databaseUrl;
    const pool = createPool(databaseUrl, { applicationName: 'bench', maximum: 2, statementTimeout: 0 });
    const roots = [program.pid];
    const idle = await lowestIdleRateOf(roots, IDLE_MILLISECONDS, IDLE_SPANS);
    return new Servers(setting, installation, program, pool, setting.start('load-generator'), { roots, idle, url: program.url });
  }

  /** Starts the bare server over a PostgreSQL of its own with the same settings and the same contents. */
  async startBare(contents: Omit<BareContents, 'organisationId'>): Promise<void> {
    const { organisationId } = this.installation;
    const directory = join(this.installation.dataDirectory, '..', 'bare');
    await mkdir(directory, { mode: 0o711 });
    const postgres = this.setting.keep(await startEmbeddedPostgres({ directory }));
    const pool = createPool(postgres.url, { applicationName: 'bench', maximum: 1, statementTimeout: 0 });
    await fillBareTables(this.pool, pool, { organisationId, ...contents });
    await pool.end();
    const server = this.setting.start('bare-server');
    const settings: BareSettings = { databaseUrl: postgres.url, connections: CONNECTIONS, organisationId, writes: contents.writes };
    const url = await server.ask<string>('start', settings);
    const roots = [server.pid, postgres.pid];
    this.bareServer = { processes: { roots, idle: await lowestIdleRateOf(roots, IDLE_MILLISECONDS, IDLE_SPANS), url }, server, postgres };
  }

  /** Processor use at rest of both sides, in per cent of a core. */
  idleSentence(): string {
    const percent = ({ idle }: Processes): string => ((idle.program + idle.postgres) * 100).toFixed(1);
    return `at rest ${percent(this.product)} % of a core, bare ${percent(this.bareServer!.processes)} % (taken off)`;
  }

  /** The same work for both servers, in turns; for the bare server in one way or in several, each of which gives a comparison. */
  async compare(
    product: Load['work'],
    bares: readonly Load['work'][],
    { connections, ...plan }: Plan & { readonly connections: number },
  ): Promise<readonly Comparison[]> {
    return compare(
      this.generator,
      this.sideOf(this.product, product, connections),
      bares.map((bare) => this.sideOf(this.bareServer!.processes, bare, connections)),
      plan,
    );
  }

  /** Two kinds of work for the product alone, in turns. */
  async compareProduct(
    one: Load['work'],
    other: Load['work'],
    { connections, ...plan }: Plan & { readonly connections: number },
  ): Promise<Comparison> {
    const sideOf = (work: Load['work']): Side => this.sideOf(this.product, work, connections);
    const [comparison] = await compare(this.generator, sideOf(one), [sideOf(other)], plan);
    return comparison!;
  }

  /** Loads the product without measuring. */
  async warmUp(work: Load['work'], { connections, requests }: { readonly connections: number; readonly requests: number }): Promise<void> {
    await this.generator.ask('prepare', { name: 'warm-up', load: this.sideOf(this.product, work, connections).load });
    await this.generator.ask('run', { name: 'warm-up', requests });
    await this.generator.ask('forget', { name: 'warm-up' });
  }

  /** Ends the servers. */
  async close(): Promise<void> {
    await this.generator.end();
    await this.pool.end();
    await this.program.stop();
    await this.bareServer?.server.end();
    await this.bareServer?.postgres.stop();
  }

  private sideOf({ url, ...processes }: Processes, work: Load['work'], connections: number): Side {
    return { ...processes, load: { url, apiKey: this.installation.apiKey, work, connections } };
  }
}
