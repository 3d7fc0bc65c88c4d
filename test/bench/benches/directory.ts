import { addDays } from '#kernel/dates.js';
import { processorOf } from '../measure/comparison.js';
import { costText, detailsOf } from '../report/lines.js';
import { count, type Line, ratioText } from '../report/table.js';
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
/** The terms of each person change twice over all of them. */
const DIFFERENT_DAYS = 15;
const DAYS_APART = 100;
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
    const oneDay = await pages(`&as_of=${DAY}`);
    const ofDays: string[] = [];
    for (let index = 0; index < DIFFERENT_DAYS; index += 1)
      ofDays.push(...(await pages(`&as_of=${addDays(DAY, index * DAYS_APART)}`)).paths);
    const sides = [
      { name: 'as_of=, random pages', ofDay: oneDay },
      { name: 'as_of=&known_at=, random pages', ofDay: await pages(`&as_of=${DAY}&known_at=${MOMENT}`) },
      { name: `as_of=, random pages of ${DIFFERENT_DAYS} days`, ofDay: { kind: 'reads', paths: ofDays } as const },
    ];
    for (const { name, ofDay: wanted } of sides) {
      setting.say(`Measuring GET /people?${name} …`);
      // A comparison divides the second side's time by the first's.
      const compared = await servers.compareProduct(present, wanted, plan);
      const { product: list, bare: ofDay, processor, throughput } = compared;
      lines.push({
        what: `GET /people?${name}, over GET /people`,
        figures: [processor.median],
        ratio: ratioText(processor),
        goal: `≤ ${GOAL}`,
        isMet: processor.median <= GOAL,
        product: costText(ofDay),
        bare: costText(list),
        throughputRatio: ratioText(throughput),
        remarks: `bare: the present list of the product; texts of both are kept in memory while nobody writes, as many as fit, and every page was shown once before; pages of 100 of ${count(people)} people; a page of a day costs ${count(processorOf(ofDay) - processorOf(list))} µs more; ${detailsOf(ofDay, list, 'present')}`,
      });
    }
    return lines;
  } finally {
    await servers.close();
  }
}
