import { addDays } from '#kernel/dates.js';
import { randomNumbers } from '../measure/statistics.js';
import { PREFIX } from '../sides/product.js';
import type { RequestMeasurement, Surroundings } from './request-measurement.js';

/** Quarters that are full of time off. */
export const QUARTERS = 7;

/** The goals of the issue on speed: bare processor time over the product's. */
const GOALS = { read: 0.8, list: 1, timeline: 0.5, timeOff: 0.8 };
/** Keep-alive connections of readers. */
const CONNECTIONS = 16;
/** Everybody is employed from some day of two years on, and their terms change twice, 180 days apart. */
const FIRST_DAY = '2017-12-04';
const DAYS = 540;
const SEED = 7;

/** Reads, each in random order over everything that there is. */
export function readings({ servers, people, timeOff }: Surroundings): readonly RequestMeasurement[] {
  const { personIds } = servers.installation;
  const random = randomNumbers(SEED);
  const one = personIds.map((id) => `/people/${id}`);
  const timelines = one.map((path) => `${path}/timeline?as_of=${addDays(FIRST_DAY, Math.floor(random() * DAYS))}`);
  const reads = (paths: readonly string[]) => ({ kind: 'reads', paths }) as const;
  const both = (paths: readonly string[]) => ({ product: reads(paths.map((path) => PREFIX + path)), bare: reads(paths) });
  return [
    {
      bench: 'read',
      what: 'GET /people/{id}',
      goal: GOALS.read,
      ...both(one),
      connections: CONNECTIONS,
      requests: 5_000,
      warmUp: 10_000,
      leavesOut:
        'everything is in memory, and nobody writes meanwhile; reads that arrive together share a statement, and those of the bare server do not',
    },
    {
      bench: 'read',
      what: 'GET /people/{id}, 1 connection',
      goal: GOALS.read,
      ...both(one),
      connections: 1,
      requests: 2_500,
      warmUp: 2_500,
      leavesOut: 'everything is in memory, and nobody writes meanwhile; each read has a statement of its own',
    },
    {
      bench: 'list',
      what: 'GET /people?limit=100, random pages',
      goal: GOALS.list,
      product: reads(people.productPaths),
      bare: reads(people.barePaths),
      connections: CONNECTIONS,
      requests: 600,
      warmUp: 2_000,
      leavesOut: 'nobody writes meanwhile; the making of cursors is the product’s alone',
    },
    {
      bench: 'timeline',
      what: 'GET /people/{id}/timeline?as_of=',
      goal: GOALS.timeline,
      ...both(timelines),
      connections: CONNECTIONS,
      requests: 2_000,
      warmUp: 10_000,
      leavesOut: 'three facts a person, no known_at; the bare read leaves out names, the fact and the entity tag',
    },
    {
      bench: 'time-off',
      what: 'GET /time-off of a quarter, limit=100, random pages',
      goal: GOALS.timeOff,
      product: reads(timeOff.productPaths),
      bare: reads(timeOff.barePaths),
      connections: CONNECTIONS,
      requests: 400,
      warmUp: 2_000,
      leavesOut: 'nobody writes meanwhile; the bare read leaves out what is in progress on the first day of the window',
    },
  ];
}
