import { sampleWrites } from '../sides/samples.js';
import { Servers } from '../sides/servers.js';
import { type Walk, walkPeople, walkQuarters } from '../sides/walks.js';
import { comparisonLine } from '../report/lines.js';
import { count, type Line } from '../report/table.js';
import type { RequestMeasurement, Surroundings } from './request-measurement.js';
import { QUARTERS, readings } from './reads.js';
import type { Setting } from './setting.js';
import { writings } from './writes.js';

const NOTHING: Walk = { listed: [], productPaths: [], barePaths: [] };

/** Requests over HTTP, each against a bare server that does only what cannot be left out. */
export async function measureRequests(setting: Setting, names: readonly RequestMeasurement['bench'][]): Promise<readonly Line[]> {
  const { people, rounds, scale } = setting.options;
  const hasTimeOff = names.includes('time-off');
  setting.say(`Recording ${count(people)} people …`);
  const servers = await Servers.open(setting, 'requests', { people, hasTimeOff });
  try {
    const surroundings = await prepareBare(servers, hasTimeOff);
    const lines: Line[] = [];
    for (const measurement of [...readings(surroundings), ...writings(surroundings)].filter(({ bench }) => names.includes(bench))) {
      const { what, goal, product, bare, bareTransaction, connections, requests, warmUp, leavesOut } = measurement;
      setting.say(`Measuring ${what} …`);
      const scaled = (number: number): number => Math.max(connections, Math.round(number * scale));
      const plan = { rounds, requests: scaled(requests), warmUp: scaled(warmUp), connections };
      const bares = bareTransaction === undefined ? [bare] : [bare, bareTransaction];
      const [leanest, transaction] = await servers.compare(product, bares, plan);
      lines.push(comparisonLine(what, goal, leanest!, `${leavesOut}; ${servers.idleSentence()}`));
      if (transaction !== undefined) {
        const remarks = `measured together with the line above, of which another run may be the middle one; the bare write is begin, two inserts and commit, four messages and one commit each; ${servers.idleSentence()}`;
        lines.push(comparisonLine(`${what}, over a transaction`, goal, transaction, remarks));
      }
    }
    return lines;
  } finally {
    await servers.close();
  }
}

async function prepareBare(servers: Servers, hasTimeOff: boolean): Promise<Surroundings> {
  const { installation, product } = servers;
  servers.setting.say('Reading all lists for the bare server …');
  const people = await walkPeople(product.url, installation.apiKey);
  const timeOff = hasTimeOff ? await walkQuarters(product.url, installation.apiKey, installation.firstDay, QUARTERS) : NOTHING;
  const writes = await sampleWrites(installation, product.url, servers.pool);
  await servers.startBare({ people: people.listed, timeOff: timeOff.listed, writes });
  return { servers, people, timeOff, writes };
}
