import type { Child } from '../../children.js';
import type { Load, Throughput } from '../../children/load.js';
import { median } from '../../measure/statistics.js';
import { type Fixture, recordPeople, skipLog } from '../../fixture.js';
import { count, type Line } from '../../report/table.js';
import { walkPeople } from '../../sides/walks.js';
import { openEndpoints, rebuildPeople, type Stage, startApi, until } from './stage.js';

const GOAL = 0.9;
/** An import's facts of each person: as many events are published, of the creation and of each fact after the first. */
const FACTS = 10;
const READERS = [1, 16];
/** A round is as many times as long as the other rounds of webhooks, because a worker that has just started does more than one that works. */
const LONGER = 4;

type Measured = Pick<Throughput, 'median' | 'percentile99'> & { readonly perSecond: number };

/** Lists of people while an import is published, over the same while the worker is away: by one reader, and by as many as keep the machine busy. */
export async function measureReads(stage: Stage): Promise<readonly Line[]> {
  const { setting, fixture } = stage;
  const { people } = setting.options;
  setting.say(`Recording an import of ${count(people * FACTS)} events …`);
  await recordPeople(fixture, people, () => ({ facts: FACTS, changes: 0 }));
  await rebuildPeople(fixture);
  await skipLog(fixture, { isTold: true });
  await openEndpoints(stage, 1, { fromBeginning: true });
  const product = await startApi(stage);
  const generator = setting.start('load-generator');
  const { productPaths: paths } = await walkPeople(product.url, fixture.apiKey);
  const lines: Line[] = [];
  for (const connections of READERS) {
    const load = { url: product.url, apiKey: fixture.apiKey, work: { kind: 'reads', paths }, connections } as const;
    lines.push(await measureList(stage, generator, load));
  }
  await generator.end();
  await product.stop();
  return lines;
}

async function measureList(stage: Stage, generator: Child, load: Load): Promise<Line> {
  const { setting, fixture, worker } = stage;
  const { people, rounds, warmUp } = setting.options;
  const seconds = setting.options.seconds * LONGER;
  const readers = load.connections === 1 ? '1 connection' : `${load.connections} connections`;
  setting.say(`Measuring lists by ${readers} while the import is published …`);
  await generator.ask('prepare', { name: readers, load });
  const run = async (duration: number): Promise<Measured> => {
    const { requests, seconds: taken, ...latency } = await generator.ask<Throughput>('run', { name: readers, seconds: duration });
    return { ...latency, perSecond: requests / taken };
  };
  await run(warmUp);
  const [during, without]: [Measured[], Measured[]] = [[], []];
  let delivered = 0;
  for (let round = 0; round < rounds; round += 1) {
    without.push(await run(seconds));
    const before = await deliveredSoFar(fixture);
    await worker.ask('start', { databaseUrl: fixture.url });
    await until(async () => (await deliveredSoFar(fixture)) > before);
    const start = await deliveredSoFar(fixture);
    during.push(await run(seconds));
    delivered += (await deliveredSoFar(fixture)) - start;
    await worker.ask('stop');
  }
  await generator.ask('forget', { name: readers });
  const ratios = during.map(({ perSecond }, round) => perSecond / without[round]!.perSecond);
  const ratio = median(ratios);
  const of = (measured: readonly Measured[], name: 'perSecond' | 'median' | 'percentile99'): number =>
    median(measured.map((round) => round[name]));
  return {
    what: `GET /people?limit=100, random pages, while an import is published, ${readers}`,
    figures: [ratio],
    product: `${count(of(during, 'perSecond'))}/s`,
    bare: `${count(of(without, 'perSecond'))}/s`,
    ratio: '',
    throughputRatio: `${ratio.toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`,
    goal: `throughput ≥ ${GOAL}`,
    isMet: ratio >= GOAL,
    remarks: `bare: without the worker; rounds of ${seconds} s; ${count(people * FACTS)} events to one endpoint, ${count(delivered / (rounds * seconds))} deliveries/s meanwhile; p50/p99 ${of(during, 'median').toFixed(1)}/${of(during, 'percentile99').toFixed(1)} ms, without ${of(without, 'median').toFixed(1)}/${of(without, 'percentile99').toFixed(1)}`,
  };
}

async function deliveredSoFar({ pool }: Fixture): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::integer as count from webhook_deliveries where status = 'delivered'`,
  );
  return rows[0]!.count;
}
