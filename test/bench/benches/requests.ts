import { rebuild } from '#projections/rebuild.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { peopleProjection } from '#resources/people/people.projection.js';
import { BARE_TABLES, type Sample } from '../children/bare-statements.js';
import type { Load } from '../children/load-generator.js';
import { type Comparison, compare, type Side } from '../compare.js';
import { type Fixture, openFixture, recordPeople } from '../fixture.js';
import { count, type Line } from '../table.js';
import type { Setting } from './setting.js';

const PREFIX = '/api/v1';
const DATABASE_CONNECTIONS = 10;
const WRITING_CONNECTIONS = 16;
const GOALS = { read: 0.8, list: 0.8, patch: 0.5 };
/** Facts of each person: a history, though requests read only what it comes to. */
const FACTS = 3;

type RequestBench = keyof typeof GOALS;

interface Servers {
  readonly product: Omit<Side, 'load'> & { readonly url: string };
  readonly bare: Omit<Side, 'load'> & { readonly url: string };
}

/** Reads and writes over HTTP, each against a bare server. */
export async function measureRequests(setting: Setting, names: readonly RequestBench[]): Promise<readonly Line[]> {
  const { options } = setting;
  setting.say(`Recording ${count(options.people)} people …`);
  const fixture = await openFixture(await setting.database('requests'));
  try {
    const ids = await recordPeople(fixture, options.people, () => FACTS, () => undefined);
    await rebuild({ pool: fixture.pool, eventStore: new PostgresEventStore(fixture.pool), clock: { now: () => new Date() } }, peopleProjection);
    await fixture.pool.query(BARE_TABLES);
    await fixture.pool.query('vacuum analyze');
    const servers = await startServers(setting, fixture, ids[0]!);
    const generator = setting.start('load-generator');
    const lines: Line[] = [];
    for (const name of names) {
      setting.say(`Measuring ${name} …`);
      const load = loadOf(setting, name, fixture, ids);
      const product = { server: servers.product.server, load: { ...load, url: servers.product.url, paths: load.paths.map((path) => PREFIX + path) } };
      if (name === 'patch') await generator.ask('learnTags', product.load);
      const bare = { server: servers.bare.server, load: { ...load, url: servers.bare.url } };
      lines.push(lineOf(name, await compare(generator, product, bare, options)));
    }
    return lines;
  } finally {
    await fixture.close();
  }
}

async function startServers(setting: Setting, fixture: Fixture, personId: string): Promise<Servers> {
  const { logLevel } = setting.options;
  const settings = { databaseUrl: fixture.url, connections: DATABASE_CONNECTIONS };
  const product = setting.start('product-server');
  const url = await product.ask<string>('start', { ...settings, logLevel });
  const sample = await sampleOf(fixture, `${url}${PREFIX}/people/${personId}`);
  const bare = setting.start('bare-server');
  return { product: { server: product, url }, bare: { server: bare, url: await bare.ask<string>('start', { ...settings, sample }) } };
}

/** Texts of the lengths that the product writes: an event that it has, and an answer that it gives. */
async function sampleOf({ pool, surroundings, apiKey }: Fixture, url: string): Promise<Sample> {
  const { rows } = await pool.query<{ id: string; type: string; data: string; metadata: string }>(
    `select event_id as id, type, data::text as data, metadata::text as metadata from events where type = 'PersonCreated' limit 1`,
  );
  const response = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  const { id: eventId, ...event } = rows[0]!;
  return { organisationId: surroundings.organisationId, eventId, ...event, fingerprint: '5'.repeat(64), answer: await response.text() };
}

function loadOf({ options }: Setting, name: RequestBench, { apiKey }: Fixture, ids: readonly string[]): Omit<Load, 'url'> {
  return {
    method: name === 'patch' ? 'PATCH' : 'GET',
    paths: name === 'list' ? ['/people?limit=100'] : spread(ids).map((id) => `/people/${id}`),
    headers: { authorization: `Bearer ${apiKey}` },
    connections: name === 'patch' ? WRITING_CONNECTIONS : options.connections,
    seconds: options.seconds,
  };
}

/** The same ids in an order in which neighbours are far apart. */
function spread(ids: readonly string[]): readonly string[] {
  const step = 7_919;
  return ids.length % step === 0 ? ids : ids.map((_, index) => ids[(index * step) % ids.length]!);
}

const TITLES: Readonly<Record<RequestBench, string>> = { read: 'GET /people/{id}', list: 'GET /people?limit=100', patch: 'PATCH /people/{id}, durable' };

function lineOf(name: RequestBench, { product, bare, ratio, lowestRatio, highestRatio }: Comparison): Line {
  const latency = `p50/p99 ${product.median.toFixed(1)}/${product.percentile99.toFixed(1)} ms, bare ${bare.median.toFixed(1)}/${bare.percentile99.toFixed(1)}`;
  const processor = `server processor ${count(product.processor)} µs a request, bare ${count(bare.processor)} (${(bare.processor / product.processor).toFixed(2)})`;
  const bytes = `${count(product.bytesPerAnswer)} bytes, bare ${count(bare.bytesPerAnswer)}`;
  return {
    what: TITLES[name],
    product: `${count(product.perSecond)}/s`,
    bare: `${count(bare.perSecond)}/s`,
    ratio: `${ratio.toFixed(2)} (${lowestRatio.toFixed(2)}–${highestRatio.toFixed(2)})`,
    goal: `≥ ${GOALS[name]}`,
    isMet: ratio >= GOALS[name],
    remarks: `${latency}; ${processor}; ${bytes}`,
  };
}
