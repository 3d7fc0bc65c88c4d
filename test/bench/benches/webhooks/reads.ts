import type { Child } from '../../children.js';
import type { Load, Throughput } from '../../children/load-generator.js';
import { median } from '../../compare.js';
import { type Fixture, recordPeople } from '../../fixture.js';
import { count, type Line } from '../../table.js';
import { PREFIX } from '../servers.js';
import { API_CONNECTIONS, openEndpoints, rebuildPeople, skipLog, type Stage, until } from './stage.js';

const GOAL = 0.9;
/** An import's facts of each person: as many events are told, of the creation and of each fact after the first. */
const FACTS = 10;

/** Lists of people while an import is told, over the same while the worker is away: by one reader, and by as many as keep the machine busy. */
export async function measureReads(stage: Stage): Promise<readonly Line[]> {
  const { setting, fixture } = stage;
  const { people, connections, logLevel } = setting.options;
  setting.say(`Recording an import of ${count(people * FACTS)} events …`);
  await recordPeople(
    fixture,
    people,
    () => FACTS,
    () => undefined,
  );
  await rebuildPeople(fixture);
  await skipLog(fixture, { isTold: true });
  await openEndpoints(stage, 1, { fromBeginning: true });
  const product = setting.start('product-server');
  const url = await product.ask<string>('start', { databaseUrl: fixture.url, connections: API_CONNECTIONS, logLevel });
  const generator = setting.start('load-generator');
  const lines: Line[] = [];
  for (const readers of [1, connections]) {
    const load = {
      url,
      method: 'GET',
      paths: [`${PREFIX}/people?limit=100`],
      headers: { authorization: `Bearer ${fixture.apiKey}` },
      timeOff: null,
      connections: readers,
    } as const;
    lines.push(await measureList(stage, generator, load));
  }
  await generator.end();
  await product.end();
  return lines;
}

async function measureList(stage: Stage, generator: Child, load: Omit<Load, 'seconds'>): Promise<Line> {
  const { setting, fixture, worker } = stage;
  const { people, rounds, seconds, warmUp } = setting.options;
  const readers = load.connections === 1 ? '1 connection' : `${load.connections} connections`;
  setting.say(`Measuring lists by ${readers} while the import is told …`);
  const run = (duration: number): Promise<Throughput> => generator.ask('run', { ...load, seconds: duration } satisfies Load);
  await run(warmUp);
  const [during, without]: [Throughput[], Throughput[]] = [[], []];
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
  const ratios = during.map(({ perSecond }, round) => perSecond / without[round]!.perSecond);
  const ratio = median(ratios);
  const of = (throughputs: readonly Throughput[], name: 'perSecond' | 'median' | 'percentile99'): number =>
    median(throughputs.map((throughput) => throughput[name]));
  return {
    what: `GET /people?limit=100 while an import is told, ${readers}`,
    product: `${count(of(during, 'perSecond'))}/s`,
    bare: `${count(of(without, 'perSecond'))}/s`,
    ratio: `${ratio.toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`,
    goal: `≥ ${GOAL}`,
    isMet: ratio >= GOAL,
    remarks: `bare: without the worker; ${count(people * FACTS)} events to one endpoint, ${count(delivered / (rounds * seconds))} deliveries/s meanwhile; p50/p99 ${of(during, 'median').toFixed(1)}/${of(during, 'percentile99').toFixed(1)} ms, without ${of(without, 'median').toFixed(1)}/${of(without, 'percentile99').toFixed(1)}`,
  };
}

async function deliveredSoFar({ pool }: Fixture): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::integer as count from webhook_deliveries where status = 'delivered'`,
  );
  return rows[0]!.count;
}
