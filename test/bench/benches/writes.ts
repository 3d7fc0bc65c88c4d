import { addDays } from '#kernel/dates.js';
import { IN_A_TRANSACTION, type WrittenRows } from '../children/bare-statements.js';
import { PREFIX } from '../sides/product.js';
import { workingDaysFrom } from '../time-off-history.js';
import type { RequestMeasurement, Surroundings } from './request-measurement.js';

/** The goals of the issue on speed: bare processor time over the product's; of a PATCH by the number of writers. */
const PATCH_GOALS = [
  { writers: 32, goal: 0.5 },
  { writers: 4, goal: 0.35 },
  { writers: 1, goal: 0.25 },
];
const GOALS = { person: 0.3, timeOff: 0.3, limitedTimeOff: 0.2 };
const WRITERS = 16;
const REQUESTS = 500;
/** The same number for each number of writers, so that streams of equal length are compared. */
const PATCHES = 1_000;
const WARM_UP = 3_000;
/** New records lie from here on, where nobody has one. */
const DAYS_AHEAD = 30;
/** So many that a small organisation has enough for a long run. */
const DAYS_TO_TAKE = 400;

/** Writes, each answered when it is on the disk. */
export function writings({ servers, writes }: Surroundings): readonly RequestMeasurement[] {
  return [...patches(servers.installation.personIds), newPeople(writes.person), ...newTimeOff(servers)];
}

function patches(personIds: readonly string[]): readonly RequestMeasurement[] {
  const share = Math.floor(personIds.length / PATCH_GOALS.length);
  return PATCH_GOALS.map(({ writers, goal }, number) => {
    const paths = personIds.slice(number * share, (number + 1) * share).map((id) => `/people/${id}`);
    return {
      bench: 'patch',
      what: `PATCH /people/{id}, ${writers} ${writers === 1 ? 'writer' : 'writers'}`,
      goal,
      product: { kind: 'patches', paths: paths.map((path) => PREFIX + path) },
      bare: { kind: 'patches', paths },
      bareTransaction: { kind: 'patches', paths: paths.map((path) => IN_A_TRANSACTION + path) },
      connections: writers,
      requests: PATCHES,
      warmUp: WARM_UP,
      leavesOut:
        'streams of a few events, no conflicts, no endpoint for webhooks; writes that wait together share a transaction, and the bare write is one statement of two inserts each, without a look at what is there',
    };
  });
}

function newPeople({ tables }: WrittenRows): RequestMeasurement {
  const rows = tables.map(({ table, rows: number }) => `${number} of ${table}`).join(', ');
  return {
    bench: 'new-person',
    what: `POST /people, ${WRITERS} writers`,
    goal: GOALS.person,
    product: { kind: 'people', path: `${PREFIX}/people`, name: 'new' },
    bare: { kind: 'people', path: '/people', name: 'new' },
    connections: WRITERS,
    requests: REQUESTS,
    warmUp: WARM_UP,
    leavesOut: `no endpoint for webhooks; people that wait together share a transaction, and the bare write is one statement each that inserts rows as long as all that the product stores (${rows}), with one index a table`,
  };
}

function newTimeOff({ installation: { personIds, categories, today } }: Surroundings['servers']): readonly RequestMeasurement[] {
  const days = workingDaysFrom(addDays(today, DAYS_AHEAD), DAYS_TO_TAKE);
  const measurement = (limited: boolean): RequestMeasurement => {
    const categoryId = limited ? categories.annualLeaveId : categories.sickLeaveId;
    // The two kinds have no day in common.
    const work = {
      kind: 'time-off',
      categoryId,
      personIds,
      days: limited ? days.slice(DAYS_TO_TAKE / 2) : days.slice(0, DAYS_TO_TAKE / 2),
    } as const;
    return {
      bench: 'time-off',
      what: `POST /time-off, ${limited ? 'with' : 'without'} a limit, ${WRITERS} writers`,
      goal: limited ? GOALS.limitedTimeOff : GOALS.timeOff,
      product: { ...work, path: `${PREFIX}/time-off` },
      bare: { ...work, path: '/time-off' },
      bareTransaction: { ...work, path: `${IN_A_TRANSACTION}/time-off` },
      connections: WRITERS,
      requests: REQUESTS,
      warmUp: WARM_UP,
      leavesOut: 'single days, each of another person with twenty records; the bare write is one statement of two inserts',
    };
  };
  return [measurement(false), measurement(true)];
}
