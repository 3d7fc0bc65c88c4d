import { addDays } from '#kernel/dates.js';
import { randomNumbers } from '../measure/statistics.js';
import { PREFIX } from '../sides/product.js';
import type { Listed } from '../sides/walks.js';
import type { RequestMeasurement, Surroundings } from './request-measurement.js';

/** Quarters that are full of time off. */
export const QUARTERS = 7;

/** The goals of the issue on speed: bare processor time over the product's. */
const GOALS = { read: 0.8, list: 1, timeline: 0.5, timeOff: 0.8, search: 0.5 };
/** Keep-alive connections of readers. */
const CONNECTIONS = 16;
/** Everybody is employed from some day of two years on, and their terms change twice, 180 days apart. */
const FIRST_DAY = '2017-12-04';
const DAYS = 540;
const SEED = 7;
/** Words that are searched for. */
const WORDS = 500;

/** Reads, each in random order over everything that there is. */
export function readings({ servers, people, timeOff }: Surroundings): readonly RequestMeasurement[] {
  const { personIds } = servers.installation;
  const random = randomNumbers(SEED);
  const one = personIds.map((id) => `/people/${id}`);
  const timelines = one.map((path) => `${path}/timeline?as_of=${addDays(FIRST_DAY, Math.floor(random() * DAYS))}`);
  const words = keyStrokes(people.listed, random);
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
      leavesOut:
        'three facts a person, no known_at; reads that arrive together share a statement, and those of the bare server do not; the bare read leaves out names, the fact and the entity tag',
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
      leavesOut:
        'nobody writes meanwhile, so that pages are kept whole; the bare read leaves out what is in progress on the first day of the window',
    },
    {
      bench: 'search',
      what: 'GET /people?q=, limit=100, one word at any key stroke',
      goal: GOALS.search,
      product: reads(words.map((word) => `${PREFIX}/people?limit=100&q=${encodeURIComponent(word)}`)),
      bare: reads(words.map((word) => `/search?word=${encodeURIComponent(plain(word))}`)),
      connections: CONNECTIONS,
      requests: 600,
      warmUp: 2_000,
      leavesOut: 'nobody writes meanwhile; the bare search has the same index over a narrow table, and gets words without case and accents',
    },
    {
      bench: 'search',
      what: 'GET /people?q=, limit=100, over a bare search by trigrams',
      goal: GOALS.search,
      product: reads(words.map((word) => `${PREFIX}/people?limit=100&q=${encodeURIComponent(word)}`)),
      bare: reads(words.map((word) => `/search-by-trigrams?word=${encodeURIComponent(plain(word))}`)),
      connections: CONNECTIONS,
      requests: 600,
      warmUp: 2_000,
      leavesOut: 'the same; the bare table has an index of trigrams instead, for which a write would pay with some fifty entries',
    },
  ];
}

/** The beginnings of names and addresses that somebody types who looks for one of these people: from one letter to the whole. */
function keyStrokes(listed: readonly Listed[], random: () => number): readonly string[] {
  return Array.from({ length: WORDS }, () => {
    const person = JSON.parse(listed[Math.floor(random() * listed.length)]!.text) as Readonly<Record<(typeof SEARCHED)[number], string>>;
    const text = person[SEARCHED[Math.floor(random() * SEARCHED.length)]!];
    return text.slice(0, 1 + Math.floor(random() * text.length));
  });
}

const SEARCHED = ['first_name', 'last_name', 'work_email', 'staff_id'] as const;

function plain(word: string): string {
  return word
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/\p{Mark}/gu, '');
}
