import { processorOf, type Round } from '../measure/comparison.js';
import { costText, detailsOf } from '../report/lines.js';
import { count, type Line, ratioText } from '../report/table.js';
import { PREFIX } from '../sides/product.js';
import { Servers } from '../sides/servers.js';
import type { Setting } from './setting.js';

/** At most this ratio of what a PATCH costs on a long stream to what it costs on a short one. */
const GOAL = 1.2;
const LONG = { people: 40, events: 1_000 };
const SHORT = { people: 600, events: 3 };
/** Their changes make the program warm. */
const OTHERS = 600;
const WRITERS = 4;
const REQUESTS = 400;
const WARM_UP = 3_000;

/** What a change of a person costs whose stream is long, over what it costs where the stream is short. */
export async function measureLongStreams(setting: Setting): Promise<readonly Line[]> {
  const { rounds, scale } = setting.options;
  setting.say('Recording long streams …');
  const eventsOf = (index: number): number => (index < LONG.people ? LONG.events : SHORT.events);
  const people = LONG.people + SHORT.people + OTHERS;
  const servers = await Servers.open(setting, 'long_streams', { people, hasTimeOff: false, changesOf: (index) => eventsOf(index) - 1 });
  try {
    const { personIds } = servers.installation;
    const patches = (from: number, number: number) => {
      const paths = personIds.slice(from, from + number).map((id) => `${PREFIX}/people/${id}`);
      return { kind: 'patches', paths } as const;
    };
    const scaled = (number: number): number => Math.max(WRITERS, Math.round(number * scale));
    await servers.warmUp(patches(LONG.people + SHORT.people, OTHERS), { connections: WRITERS, requests: scaled(WARM_UP) });
    setting.say(`Measuring PATCH on streams of ${count(LONG.events)} events …`);
    const plan = { rounds, requests: scaled(REQUESTS), warmUp: 0, connections: WRITERS };
    // A comparison divides the second side's time by the first's.
    const {
      product: short,
      bare: long,
      processor,
      throughput,
    } = await servers.compareProduct(patches(LONG.people, SHORT.people), patches(0, LONG.people), plan);
    return [lineOf(long, short, ratioText(processor), processor.median, ratioText(throughput))];
  } finally {
    await servers.close();
  }
}

function lineOf(long: Round, short: Round, ratio: string, median: number, throughputRatio: string): Line {
  return {
    what: `PATCH on a stream of ${count(LONG.events)} events, over one of ${SHORT.events}, ${WRITERS} writers`,
    figures: [median],
    ratio,
    goal: `≤ ${GOAL}`,
    isMet: median <= GOAL,
    product: costText(long),
    bare: costText(short),
    throughputRatio,
    remarks: `bare: the product on short streams; ${count(LONG.people)} long streams of identity, which grow by some events meanwhile; the long one costs ${count(processorOf(long) - processorOf(short))} µs more; ${detailsOf(long, short, 'short')}`,
  };
}
