import type { Sample } from '../children/bare-statements.js';
import type { Comparison, Side } from '../compare.js';
import type { Fixture } from '../fixture.js';
import { count, type Line } from '../table.js';
import type { Setting } from './setting.js';

/** What the product's paths begin with; the bare server's have nothing in front. */
export const PREFIX = '/api/v1';
/** Keep-alive connections of the load generator for writes. */
export const WRITING_CONNECTIONS = 16;
const DATABASE_CONNECTIONS = 10;

type Server = Omit<Side, 'load'> & { readonly url: string };

/** The two servers of a comparison, over the same database. */
export interface Servers {
  readonly product: Server;
  readonly bare: Server;
}

/** Starts the product and the bare server. The sample is made while the product runs, from what it answers. */
export async function startServers(
  setting: Setting,
  fixture: Fixture,
  makeSample: (productUrl: string) => Promise<Sample>,
): Promise<Servers> {
  const { logLevel } = setting.options;
  const settings = { databaseUrl: fixture.url, connections: DATABASE_CONNECTIONS };
  const product = setting.start('product-server');
  const url = await product.ask<string>('start', { ...settings, logLevel });
  const sample = await makeSample(url + PREFIX);
  const bare = setting.start('bare-server');
  return { product: { server: product, url }, bare: { server: bare, url: await bare.ask<string>('start', { ...settings, sample }) } };
}

/** Texts of the lengths that the product writes: the first event of a type that it has, and an answer that it gives. */
export async function sampleOf({ pool, surroundings, apiKey }: Fixture, type: string, url: string): Promise<Sample> {
  const { rows } = await pool.query<{ id: string; type: string; data: string; metadata: string }>(
    'select event_id as id, type, data::text as data, metadata::text as metadata from events where type = $1 limit 1',
    [type],
  );
  const response = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  const { id: eventId, ...event } = rows[0]!;
  return { organisationId: surroundings.organisationId, eventId, ...event, fingerprint: '5'.repeat(64), answer: await response.text() };
}

/** A comparison as a line of the table; the goal is the least ratio. */
export function lineOf(what: string, goal: number, { product, bare, ratio, lowestRatio, highestRatio }: Comparison): Line {
  const latency = `p50/p99 ${product.median.toFixed(1)}/${product.percentile99.toFixed(1)} ms, bare ${bare.median.toFixed(1)}/${bare.percentile99.toFixed(1)}`;
  const processor = `server processor ${count(product.processor)} µs a request, bare ${count(bare.processor)} (${(bare.processor / product.processor).toFixed(2)})`;
  const bytes = `${count(product.bytesPerAnswer)} bytes, bare ${count(bare.bytesPerAnswer)}`;
  return {
    what,
    product: `${count(product.perSecond)}/s`,
    bare: `${count(bare.perSecond)}/s`,
    ratio: `${ratio.toFixed(2)} (${lowestRatio.toFixed(2)}–${highestRatio.toFixed(2)})`,
    goal: `≥ ${goal}`,
    isMet: ratio >= goal,
    remarks: `${latency}; ${processor}; ${bytes}`,
  };
}
