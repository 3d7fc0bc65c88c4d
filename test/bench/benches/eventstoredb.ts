import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EventStoreDbEventStore } from '#event-store/eventstoredb/eventstoredb-event-store.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { exportHistory } from '#event-store/transfer/export-history.js';
import type { RebuiltProjection } from '#projections/rebuild/rebuild.js';
import type { BulkRun, Stores } from '../children/bulk-worker.js';
import { openFixture, recordPeople } from '../fixture.js';
import { spreadOf } from '../measure/comparison.js';
import { type ProcessorTime, processorTimeOf, usedBetween } from '../measure/processor-time.js';
import { median } from '../measure/statistics.js';
import { count, type Line, ratioText } from '../report/table.js';
import { fileOfPeople } from './imports.js';
import type { Setting } from './setting.js';

/** Shares of what is imported and rebuilt in the measurements on PostgreSQL alone: everything is done several times on both stores. */
const SHARE_OF_EVENTS = 1 / 20;
const SHARE_OF_ROWS = 1 / 4;
const MOST_ROUNDS = 3;
/** Facts of a person, beside the one event of their identity. */
const FACTS = 9;
const AT_REST: ProcessorTime = { program: 0, postgres: 0 };

/** One run of some work on one event store. */
interface Measured extends BulkRun {
  readonly used: ProcessorTime;
  /** Of the test server, in seconds. */
  readonly server: number;
}

type Side = 'postgres' | 'eventstoredb';

/** What is done on both event stores, and the share of the rate on PostgreSQL that it should reach on EventStoreDB. */
interface Work {
  readonly what: string;
  readonly unit: string;
  readonly goal: number;
  run(side: Side): Promise<Measured>;
}

/** Rebuilds, imports of people and moves of events with events in EventStoreDB, each beside the same work with events in PostgreSQL. */
export async function measureEventStoreDb(setting: Setting): Promise<readonly Line[]> {
  const directory = await mkdtemp(join(tmpdir(), 'workforce-bench-'));
  try {
    const bench = new EventStoreDbBench(setting, directory);
    await bench.prepare();
    const lines: Line[] = [];
    for (const work of bench.works()) lines.push(await compareStores(setting, work));
    return lines;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function compareStores(setting: Setting, work: Work): Promise<Line> {
  setting.say(`Measuring ${work.what} …`);
  const runs: Record<Side, Measured[]> = { postgres: [], eventstoredb: [] };
  for (let round = 0; round < Math.min(setting.options.rounds, MOST_ROUNDS); round += 1) {
    const sides: readonly Side[] = round % 2 === 0 ? ['postgres', 'eventstoredb'] : ['eventstoredb', 'postgres'];
    for (const side of sides) runs[side].push(await work.run(side));
  }
  return lineOf(work, runs);
}

function lineOf({ what, unit, goal }: Work, { postgres, eventstoredb }: Readonly<Record<Side, readonly Measured[]>>): Line {
  const rate = ({ items, seconds }: Measured): number => items / seconds;
  const cost = ({ items, used }: Measured): number => ((used.program + used.postgres) * 1_000_000) / items;
  const ratio = spreadOf(eventstoredb.map((run, round) => rate(run) / rate(postgres[round]!)));
  const text = (runs: readonly Measured[]): string => `${count(median(runs.map(rate)))} ${unit}/s`;
  const processor = spreadOf(eventstoredb.map((run, round) => cost(postgres[round]!) / cost(run)));
  const part = (runs: readonly Measured[], name: keyof ProcessorTime): string =>
    count(median(runs.map(({ items, used }) => (used[name] * 1_000_000) / items)));
  const costs = (runs: readonly Measured[]): string => `${part(runs, 'program')} + ${part(runs, 'postgres')}`;
  const server = count(median(eventstoredb.map(({ items, server: seconds }) => (seconds * 1_000_000) / items)));
  return {
    what: `${what}, ${count(eventstoredb[0]!.items)} ${unit}, EventStoreDB over PostgreSQL`,
    figures: [ratio.median],
    ratio: ratioText(ratio),
    goal: `≥ ${goal} of the rate`,
    isMet: ratio.median >= goal,
    product: text(eventstoredb),
    bare: text(postgres),
    throughputRatio: '',
    remarks: [
      'here the ratio is of rates; the column Bare is the product with events in PostgreSQL; EventStoreDB is the test server of this project, on the same machine',
      `processor time of Node.js + PostgreSQL ${costs(eventstoredb)} µs, with events in PostgreSQL ${costs(postgres)} µs (ratio ${ratioText(processor)}), without the test server, which took ${server} µs`,
      'each run in a process of its own, without a warm-up and without its start',
    ].join('; '),
  };
}

/** The history, the files and the servers. */
class EventStoreDbBench {
  private readonly servers: { pid: number }[] = [];
  private databases = 0;
  private readonly history: string;
  private readonly people: string;
  private filled: { readonly databaseUrl: string; readonly eventStoreUrl: string } | null = null;

  constructor(
    private readonly setting: Setting,
    private readonly directory: string,
  ) {
    this.history = join(directory, 'history.ndjson');
    this.people = join(directory, 'people.csv');
  }

  /** Records the history in PostgreSQL, and exports it. */
  async prepare(): Promise<void> {
    const { options } = this.setting;
    const people = Math.ceil((options.events * options.scale * SHARE_OF_EVENTS) / (FACTS + 1));
    this.setting.say(`Recording ${count(people * (FACTS + 1))} events …`);
    await writeFile(this.people, fileOfPeople(Math.ceil(options.importRows * options.scale * SHARE_OF_ROWS)));
    const fixture = await openFixture(await this.database());
    await recordPeople(fixture, people, () => ({ facts: FACTS, changes: 0 }));
    await fixture.pool.query('vacuum analyze');
    const chunks = exportHistory(new PostgresEventStore(fixture.pool), { publishedUpTo: null, now: new Date() });
    await pipeline(Readable.from(chunks), createWriteStream(this.history));
    await fixture.close();
    this.filled = { databaseUrl: fixture.url, eventStoreUrl: await this.server() };
  }

  works(): readonly Work[] {
    return [
      { what: 'Import of events', unit: 'events', goal: 0.5, run: (side) => this.importEvents(side) },
      { what: 'Rebuild of people', unit: 'events', goal: 0.6, run: (side) => this.rebuild(side) },
      { what: 'Import of people', unit: 'rows', goal: 0.5, run: (side) => this.importPeople(side) },
    ];
  }

  /** The first import into EventStoreDB stays, for the rebuild. */
  private async importEvents(side: Side): Promise<Measured> {
    const stores = { databaseUrl: await this.database(), eventStoreUrl: side === 'postgres' ? null : await this.server() };
    const run = await this.measure(stores, 'importEvents', { file: this.history });
    if (stores.eventStoreUrl !== null) this.filled = { ...this.filled!, eventStoreUrl: stores.eventStoreUrl };
    return run;
  }

  private async rebuild(side: Side): Promise<Measured> {
    const { databaseUrl, eventStoreUrl } = this.filled!;
    return this.measure({ databaseUrl, eventStoreUrl: side === 'postgres' ? null : eventStoreUrl }, 'rebuildPeople', {});
  }

  private async importPeople(side: Side): Promise<Measured> {
    const stores = { databaseUrl: await this.database(), eventStoreUrl: side === 'postgres' ? null : await this.server() };
    const { eventStoreUrl } = stores;
    const fixture = await openFixture(
      stores.databaseUrl,
      eventStoreUrl === null ? undefined : () => new EventStoreDbEventStore({ connectionString: eventStoreUrl }),
    );
    await fixture.close();
    return this.measure(stores, 'importPeople', { file: this.people, organisationId: fixture.surroundings.organisationId });
  }

  private async measure(stores: Stores, request: string, values: object): Promise<Measured> {
    const worker = this.setting.start('bulk-worker');
    await worker.ask('load');
    const roots = [worker.pid, this.setting.postgresPid];
    const servers = this.servers.map(({ pid }) => pid);
    const [before, serversBefore, startedAt] = [processorTimeOf(roots), processorTimeOf(servers), performance.now()];
    const run = await worker.ask<BulkRun & Partial<RebuiltProjection>>(request, { ...stores, ...values });
    const used = usedBetween(before, processorTimeOf(roots), AT_REST, (performance.now() - startedAt) / 1_000);
    await worker.end();
    return {
      items: run.items ?? run.events!,
      seconds: run.seconds,
      used,
      server: processorTimeOf(servers).program - serversBefore.program,
    };
  }

  private database(): Promise<string> {
    this.databases += 1;
    return this.setting.database(`stores_${this.databases}`);
  }

  /** An empty one; gives its URL. */
  private async server(): Promise<string> {
    const server = this.setting.start('event-store-server');
    this.servers.push(server);
    return server.ask<string>('start', { file: join(this.directory, `log-${this.servers.length}`) });
  }
}
