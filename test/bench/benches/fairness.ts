import { setTimeout as wait } from 'node:timers/promises';
import type { Child } from '../children.js';
import type { Load, Throughput } from '../children/load.js';
import { median } from '../measure/statistics.js';
import { count, type Line } from '../report/table.js';
import { PREFIX } from '../sides/product.js';
import { Servers } from '../sides/servers.js';
import type { Setting } from './setting.js';

/** By so many milliseconds at most may a batch of another organisation hold up a write, at the 99th percentile. */
const GOAL_MILLISECONDS = 50;
/** As many as a batch takes. */
const NEIGHBOURS = 64;
const PEOPLE = 1_280;
const WARM_UP_SECONDS = 3;
/** The neighbour writes alone before and after the other one is measured. */
const MARGIN_SECONDS = 0.5;

interface Round {
  readonly alone: Throughput;
  readonly beside: Throughput;
  readonly neighbour: Throughput;
}

/** How long one writer of an organisation waits for its answers while another organisation's writes fill whole batches. */
export async function measureFairness(setting: Setting): Promise<readonly Line[]> {
  setting.say('Recording two organisations …');
  const servers = await Servers.open(setting, 'fairness', { people: PEOPLE, hasTimeOff: false, hasNeighbour: true });
  try {
    const { apiKey, personIds, neighbour } = servers.installation;
    const one = await writerOf(setting, servers, { apiKey, personIds, connections: 1 });
    const other = await writerOf(setting, servers, { ...neighbour!, connections: NEIGHBOURS });
    for (const writer of [one, other]) await writer.ask('run', { name: NAME, seconds: WARM_UP_SECONDS });
    setting.say(`Measuring PATCH of one organisation beside ${NEIGHBOURS} writers of another …`);
    const rounds: Round[] = [];
    for (let round = 0; round < setting.options.rounds; round += 1) rounds.push(await runRound(one, other, setting.options.seconds));
    return [lineOf(rounds)];
  } finally {
    await servers.close();
  }
}

const NAME = 'patches';

async function writerOf(
  setting: Setting,
  servers: Servers,
  { apiKey, personIds, connections }: { readonly apiKey: string; readonly personIds: readonly string[]; readonly connections: number },
): Promise<Child> {
  const paths = personIds.map((id) => `${PREFIX}/people/${id}`);
  const load: Load = { url: servers.product.url, apiKey, work: { kind: 'patches', paths }, connections };
  const writer = setting.start('load-generator');
  await writer.ask('prepare', { name: NAME, load });
  return writer;
}

async function runRound(one: Child, other: Child, seconds: number): Promise<Round> {
  const run = (writer: Child, duration: number): Promise<Throughput> => writer.ask('run', { name: NAME, seconds: duration });
  const alone = await run(one, seconds);
  const neighbour = run(other, seconds + 2 * MARGIN_SECONDS);
  await wait(MARGIN_SECONDS * 1_000);
  const beside = await run(one, seconds);
  return { alone, beside, neighbour: await neighbour };
}

function lineOf(rounds: readonly Round[]): Line {
  const of = (side: keyof Round, name: 'median' | 'percentile99' | 'longest'): number => median(rounds.map((round) => round[side][name]));
  const more = median(rounds.map(({ alone, beside }) => beside.percentile99 - alone.percentile99));
  const times = (side: keyof Round): string => `p50/p99 ${of(side, 'median').toFixed(1)}/${of(side, 'percentile99').toFixed(1)} ms`;
  const rate = median(rounds.map(({ neighbour }) => neighbour.requests / neighbour.seconds));
  return {
    what: `PATCH of one organisation, 1 writer, beside ${NEIGHBOURS} writers of another`,
    figures: [more],
    ratio: '',
    goal: `p99 ≤ ${GOAL_MILLISECONDS} ms more`,
    isMet: more <= GOAL_MILLISECONDS,
    product: times('beside'),
    bare: times('alone'),
    throughputRatio: '',
    remarks: `bare: the writer alone; p99 ${more.toFixed(1)} ms more, longest ${of('beside', 'longest').toFixed(0)} ms and alone ${of('alone', 'longest').toFixed(0)}; the processors are shared with ${count(rate)} writes/s of the neighbour, which take ${times('neighbour')}`,
  };
}
