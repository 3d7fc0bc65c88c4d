import { sampleWrites } from '../sides/samples.js';
import { Stage } from '../sides/stage.js';
import { type Walk, walkPeople, walkQuarters } from '../sides/walks.js';
import { comparisonLine } from '../report/lines.js';
import { count, type Line } from '../report/table.js';
import { QUARTERS, readings } from './reads.js';
import type { Setting } from './setting.js';
import { writings } from './writes.js';
import type { Load } from '../children/load.js';

/** The measurements of requests, by the name that `--only` takes. */
export const REQUEST_BENCHES = ['read', 'list', 'timeline', 'patch', 'new-person', 'time-off'] as const;

/** One line of the table before it is measured. */
export interface RequestMeasurement {
  readonly bench: (typeof REQUEST_BENCHES)[number];
  readonly what: string;
  readonly goal: number;
  readonly product: Load['work'];
  readonly bare: Load['work'];
  readonly connections: number;
  /** Requests of a side in a round, and before the first one. */
  readonly requests: number;
  readonly warmUp: number;
  /** What the figure leaves out. */
  readonly leavesOut: string;
}

/** What the measurements choose their targets from. */
export interface Surroundings {
  readonly stage: Stage;
  readonly people: Walk;
  readonly timeOff: Walk;
}

const NOTHING: Walk = { listed: [], productPaths: [], barePaths: [] };

/** Requests over HTTP, each against a bare server that does only what cannot be left out. */
export async function measureRequests(setting: Setting, names: readonly RequestMeasurement['bench'][]): Promise<readonly Line[]> {
  const { people, rounds, scale } = setting.options;
  const hasTimeOff = names.includes('time-off');
  setting.say(`Recording ${count(people)} people …`);
  const stage = await Stage.open(setting, 'requests', { people, hasTimeOff });
  try {
    const surroundings = await prepareBare(stage, hasTimeOff);
    const lines: Line[] = [];
    for (const measurement of [...readings(surroundings), ...writings(surroundings)].filter(({ bench }) => names.includes(bench))) {
      const { what, goal, product, bare, connections, requests, warmUp, leavesOut } = measurement;
      setting.say(`Measuring ${what} …`);
      const scaled = (number: number): number => Math.max(connections, Math.round(number * scale));
      const plan = { rounds, requests: scaled(requests), warmUp: scaled(warmUp), connections };
      const comparison = await stage.compare(product, bare, plan);
      lines.push(comparisonLine(what, goal, comparison, `${leavesOut}; ${stage.idleSentence()}`));
    }
    return lines;
  } finally {
    await stage.close();
  }
}

async function prepareBare(stage: Stage, hasTimeOff: boolean): Promise<Surroundings> {
  const { installation, product } = stage;
  stage.setting.say('Reading all lists for the bare server …');
  const people = await walkPeople(product.url, installation.apiKey);
  const timeOff = hasTimeOff ? await walkQuarters(product.url, installation.apiKey, installation.firstDay, QUARTERS) : NOTHING;
  const writes = await sampleWrites(installation, product.url, stage.pool);
  await stage.startBare({ people: people.listed, timeOff: timeOff.listed, writes });
  return { stage, people, timeOff };
}
