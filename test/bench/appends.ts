import type { AppendLoad } from './children/appender.js';
import { RIVALS } from './directus.js';
import { workforce } from './program.js';
import type { Setting } from './setting.js';
import { spreadOf } from './statistics.js';
import { atLeast, count, type Line, spreadText } from './table.js';

const WRITERS = 32;
const FLOOR = 1;

/**
 * Appends of one event each to the ends of streams, one a writer, through the event store port and to
 * Emmett's PostgreSQL event store.
 */
export async function measureAppends(setting: Setting): Promise<Line> {
  setting.say('Measuring appends …');
  const { rounds, seconds, warmUp } = setting.sizes;
  const databaseUrl = await setting.database('appends');
  await workforce(databaseUrl, 'migrate');
  const [product, emmett] = [setting.start('appender'), setting.start('appender')];
  await product.ask('openProduct', { databaseUrl, connections: WRITERS });
  await emmett.ask('openEmmett', {
    databaseUrl: await setting.database('emmett'),
    connections: WRITERS,
    directory: RIVALS,
  });
  const rates = { product: [] as number[], emmett: [] as number[] };
  for (const side of [product, emmett])
    await side.ask('run', { writers: WRITERS, seconds: warmUp } satisfies AppendLoad);
  for (let round = 0; round < rounds; round += 1) {
    const turns = [
      [product, rates.product],
      [emmett, rates.emmett],
    ] as const;
    for (const [side, own] of round % 2 === 0 ? turns : turns.toReversed())
      own.push(await side.ask<number>('run', { writers: WRITERS, seconds } satisfies AppendLoad));
  }
  for (const side of [product, emmett]) await side.stop();
  const ratio = spreadOf(rates.product.map((rate, round) => rate / rates.emmett[round]!));
  return {
    what: `Appends through the port, ${WRITERS} writers`,
    product: `${spreadText(spreadOf(rates.product), count)}/s`,
    baselines: [`Emmett ${spreadText(spreadOf(rates.emmett), count)}/s`],
    ratios: [`${spreadText(ratio)} × Emmett’s rate`],
    floors: [atLeast(FLOOR, ratio.median, ' × Emmett')],
  };
}
