import { addDays } from '#kernel/dates.js';
import { processorOf } from '../measure/comparison.js';
import { costText, detailsOf } from '../report/lines.js';
import { count, type Line, ratioText } from '../report/table.js';
import { PREFIX } from '../sides/product.js';
import { Servers } from '../sides/servers.js';
import { pathsOf } from '../sides/walks.js';
import type { Setting } from './setting.js';

/** At most this ratio of what a page of a day costs to what a page of the present list costs. */
const GOAL = 3;
const CONNECTIONS = 16;
const REQUESTS = 600;
const WARM_UP = 2_000;
/** Everybody was employed on that day; one of their three facts was not yet known at that moment. */
const DAY = '2018-06-01';
/** More than fit into the memory for texts. */
const DIFFERENT_DAYS = 1_500;
const MOMENT = '2024-01-03T20:00:00Z';

/** What a page of everybody costs as of a day, and as it was known at a moment, over what a page of the present list costs. */
export async function measureDirectory(setting: Setting): Promise<readonly Line[]> {
  const { people, rounds, scale } = setting.options;
  setting.say(`Recording ${count(people)} people for the directory …`);
  const servers = await Servers.open(setting, 'directory', { people, hasTimeOff: false });
  try {
    const { apiKey } = servers.installation;
    const pages = async (query: string) =>
      ({ kind: 'reads', paths: await pathsOf(servers.product.url, apiKey, `/people?limit=100${query}`) }) as const;
    const present = await pages('');
    const scaled = (number: number): number => Math.max(CONNECTIONS, Math.round(number * scale));
    const plan = { rounds, requests: scaled(REQUESTS), warmUp: scaled(WARM_UP), connections: CONNECTIONS };
    const lines: Line[] = [];
    const days = Array.from({ length: DIFFERENT_DAYS }, (_, index) => `${PREFIX}/people?limit=100&as_of=${addDays(DAY, index)}`);
    const sides = [
      { name: 'as_of=, random pages', ofDay: await pages(`&as_of=${DAY}`) },
      { name: 'as_of=&known_at=, random pages', ofDay: await pages(`&as_of=${DAY}&known_at=${MOMENT}`) },
      { name: 'as_of=, another day each time', ofDay: { kind: 'reads', paths: days } as const },
    ];
    for (const { name, ofDay: wanted } of sides) {
      setting.say(`Measuring GET /people?${name} …`);
      // A comparison divides the second side's time by the first's.
      const compared = await servers.compareProduct(present, wanted, plan);
      const { product: list, bare: ofDay, processor, throughput } = compared;
      lines.push({
        what: `GET /people?${name}, over GET /people`,
        ratio: ratioText(processor),
        goal: `≤ ${GOAL}`,
        isMet: processor.median <= GOAL,
        product: costText(ofDay),
        bare: costText(list),
        throughputRatio: ratioText(throughput),
        remarks: `bare: the present list of the product; texts of both are kept in memory while nobody writes, but for a day that nobody asked for before; pages of 100 of ${count(people)} people; a page of a day costs ${count(processorOf(ofDay) - processorOf(list))} µs more; ${detailsOf(ofDay, list, 'present')}`,
      });
    }
    return lines;
  } finally {
    await servers.close();
  }
}
