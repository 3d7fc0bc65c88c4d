import { addDays } from '#kernel/dates.js';
import type { Child } from './children.js';
import type { BareSettings, Listed } from './children/bare-server.js';
import type { Work } from './children/load.js';
import { compare, costText, processorRatio, rateRatio, type Side } from './compare.js';
import { DIRECTUS_TOKEN, startDirectus } from './directus.js';
import { callApi, type Installation, today, weekdaysFrom } from './installation.js';
import { PREFIX, type Server } from './program.js';
import type { Setting } from './setting.js';
import { atLeast, type Line, spreadText } from './table.js';

/**
 * Connections of readers, and of writers where no other number is said. As many to PostgreSQL has each
 * server.
 */
const CONNECTIONS = 16;
/** Quarters that are full of time off, and their days. */
const QUARTERS = 4;
const QUARTER_DAYS = 91;
/** New records lie from here on, where there are none. */
const DAYS_AHEAD = 30;
const DAYS_TO_TAKE = 200;

/** A request: the work for each server, and the floors. */
interface Measurement {
  readonly what: string;
  readonly product: Work;
  readonly bare: Work;
  readonly directus?: Work;
  readonly connections?: number;
  /** The least ratio of the bare server's processor time to the product's. */
  readonly ofBare: number;
  /** The least ratio of the product's rate to that of Directus. */
  readonly timesDirectus?: number;
}

/** Requests over HTTP, beside a server that does only what cannot be left out, and most beside Directus. */
export async function measureRequests(setting: Setting, installation: Installation): Promise<readonly Line[]> {
  setting.say('Filling the bare server and Directus …');
  const people = await walk(installation, '/people?limit=100', 'created_at');
  const quarters: Walk[] = [];
  for (let quarter = 0; quarter < QUARTERS; quarter += 1) {
    const from = addDays(installation.firstDay, quarter * QUARTER_DAYS);
    const to = addDays(from, QUARTER_DAYS - 1);
    quarters.push({
      ...(await walk(installation, `/time-off?from=${from}&to=${to}&limit=100`, 'start_date')),
      from,
      to,
    });
  }
  const bare = setting.start('bare-server');
  const bareUrl = await startBare(setting, bare, installation, people, quarters);
  const directus = await startDirectus(setting, { people: recordsOf([people]), time_off: recordsOf(quarters) });
  const generator = setting.start('load-generator');
  const servers = { product: installation, bare: { pid: bare.pid, url: bareUrl }, directus };
  const lines: Line[] = [];
  for (const measurement of measurementsOf(installation, people, quarters)) {
    setting.say(`Measuring ${measurement.what} …`);
    lines.push(await measure(setting, generator, { apiKey: installation.apiKey, ...servers }, measurement));
  }
  return lines;
}

async function measure(
  setting: Setting,
  generator: Child,
  servers: Readonly<Record<'product' | 'bare' | 'directus', Pick<Server, 'pid' | 'url'>>> & { readonly apiKey: string },
  { what, connections = CONNECTIONS, ofBare, timesDirectus, ...works }: Measurement,
): Promise<Line> {
  const side = (name: 'product' | 'bare' | 'directus', work: Work): Side => {
    const { pid, url } = servers[name];
    return { pid, load: { url, apiKey: name === 'directus' ? DIRECTUS_TOKEN : servers.apiKey, work, connections } };
  };
  const sides = [side('product', works.product), side('bare', works.bare)];
  if (works.directus !== undefined) sides.push(side('directus', works.directus));
  const [product, bare, directus] = await compare(setting, generator, sides);
  const overBare = processorRatio(product!, bare!);
  const line = {
    what,
    product: costText(product!),
    baselines: [`bare ${costText(bare!)}`],
    ratios: [`${spreadText(overBare)} of bare`],
    floors: [atLeast(ofBare, overBare.median, ' of bare')],
  };
  if (directus === undefined || timesDirectus === undefined) return line;
  const times = rateRatio(product!, directus);
  return {
    what,
    product: line.product,
    baselines: [...line.baselines, `Directus ${costText(directus)}`],
    ratios: [...line.ratios, `${spreadText(times)} × Directus’ rate`],
    floors: [...line.floors, atLeast(timesDirectus, times.median, ' × Directus')],
  };
}

function measurementsOf(installation: Installation, people: Walk, quarters: readonly Walk[]): readonly Measurement[] {
  const { personIds, categoryId } = installation;
  const numbers = personIds.map((_, index) => index + 1);
  const reads = (paths: readonly string[]) => ({ kind: 'reads', paths }) as const;
  const patches = (share: 0 | 1, connections: number) => {
    // Each number of writers has half of the people.
    const ofShare = (_: unknown, index: number): boolean => index % 2 === share;
    const of = (paths: readonly string[]) => ({ kind: 'patches', paths: paths.filter(ofShare) }) as const;
    return {
      what: `PATCH /people/{id}, ${connections} writer${connections === 1 ? '' : 's'}`,
      product: of(personIds.map((id) => `${PREFIX}/people/${id}`)),
      bare: of(personIds.map((id) => `/people/${id}`)),
      directus: of(numbers.map((number) => `/items/people/${number}`)),
      connections,
    };
  };
  const days = weekdaysFrom(addDays(today(), DAYS_AHEAD), DAYS_TO_TAKE);
  const newTimeOff = (path: string) => ({ kind: 'time-off', path, categoryId, personIds, days }) as const;
  return [
    {
      what: 'GET /people/{id}',
      product: reads(personIds.map((id) => `${PREFIX}/people/${id}`)),
      bare: reads(personIds.map((id) => `/people/${id}`)),
      directus: reads(numbers.map((number) => `/items/people/${number}`)),
      ofBare: 0.45,
      timesDirectus: 3,
    },
    {
      what: 'GET /people?limit=100',
      product: reads(people.pages.map(({ path }) => PREFIX + path)),
      bare: reads(people.pages.map(({ after }) => `/people?place=${after?.place ?? ''}&id=${after?.id ?? ''}`)),
      directus: reads(people.pages.map((_, page) => `/items/people?limit=100&sort=id&filter[id][_gt]=${page * 100}`)),
      ofBare: 0.4,
      timesDirectus: 3,
    },
    {
      what: 'GET /time-off of a quarter, limit=100',
      product: reads(quarters.flatMap(({ pages }) => pages.map(({ path }) => PREFIX + path))),
      bare: reads(
        quarters.flatMap(({ pages, from, to }) =>
          pages.map(({ after }) => `/time-off?place=${after?.place ?? from}&id=${after?.id ?? ''}&to=${to}`),
        ),
      ),
      directus: reads(
        quarters.flatMap(({ pages, from, to }) =>
          pages.map(
            ({ after }) =>
              `/items/time_off?limit=100&sort=start_date,id&filter[start_date][_gte]=${after?.place ?? from}&filter[start_date][_lte]=${to}`,
          ),
        ),
      ),
      ofBare: 0.3,
      timesDirectus: 3,
    },
    { ...patches(0, 32), ofBare: 0.15, timesDirectus: 2 },
    { ...patches(1, 1), ofBare: 0.1, timesDirectus: 2 },
    {
      what: `POST /people, ${CONNECTIONS} writers`,
      product: { kind: 'people', path: `${PREFIX}/people` },
      bare: { kind: 'people', path: '/people' },
      ofBare: 0.15,
    },
    {
      what: `POST /time-off, ${CONNECTIONS} writers`,
      product: newTimeOff(`${PREFIX}/time-off`),
      bare: newTimeOff('/time-off'),
      ofBare: 0.1,
    },
  ];
}

/** A whole list of the product: its records and pages. */
interface Walk {
  readonly listed: readonly Listed[];
  /** The path of each page, and the record before it; null for the first. */
  readonly pages: readonly { readonly path: string; readonly after: Listed | null }[];
  readonly from?: string;
  readonly to?: string;
}

/** Walks a list page by page, as a client would. `place`: the member that it is sorted by, before the id. */
async function walk(installation: Installation, list: string, place: string): Promise<Walk> {
  const listed: Listed[] = [];
  const pages: { path: string; after: Listed | null }[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const path: string = list + (cursor === '' ? '' : `&cursor=${cursor}`);
    const page = JSON.parse((await callApi(installation, path)).text) as {
      readonly data: readonly Readonly<Record<string, unknown>>[];
      readonly pagination: { readonly next_cursor?: string | null };
    };
    pages.push({ path, after: listed.at(-1) ?? null });
    listed.push(
      ...page.data.map((record) => ({
        id: String(record['id']),
        place: String(record[place]),
        text: JSON.stringify(record),
      })),
    );
    cursor = page.pagination.next_cursor ?? null;
  }
  return { listed, pages };
}

function recordsOf(walks: readonly Walk[]): readonly object[] {
  return walks.flatMap(({ listed }) => listed.map(({ text }) => JSON.parse(text) as object));
}

async function startBare(
  setting: Setting,
  bare: Child,
  installation: Installation,
  people: Walk,
  quarters: readonly Walk[],
): Promise<string> {
  const databaseUrl = await setting.database('bare');
  await bare.ask('fill', { databaseUrl, people: people.listed, timeOff: quarters.flatMap(({ listed }) => listed) });
  return bare.ask('start', {
    databaseUrl,
    connections: CONNECTIONS,
    answers: await sampleAnswers(installation),
  } satisfies BareSettings);
}

/** The product's answer to one write of each kind. */
async function sampleAnswers(installation: Installation): Promise<BareSettings['answers']> {
  const { personIds, categoryId } = installation;
  const person = `/people/${personIds[0]!}`;
  const tag = (await callApi(installation, person)).headers.get('service-resource-etag')!;
  const [day] = weekdaysFrom(addDays(today(), DAYS_AHEAD + 2 * DAYS_TO_TAKE), 1);
  const employment = { job_title: 'Engineer', start_date: '2026-01-05' };
  const newPerson = { work_email: 'sample@bench.example', first_name: 'Ada', last_name: 'Sample', ...employment };
  const timeOff = { person_id: personIds[0], category_id: categoryId, start_date: day, end_date: day };
  const write = async (method: string, path: string, body: object, headers = {}): Promise<string> =>
    (await callApi(installation, path, { method, body, headers })).text;
  return {
    patch: await write('PATCH', person, { staff_id: 'S000000000000' }, { 'if-match': tag }),
    person: await write('POST', '/people', newPerson),
    timeOff: await write('POST', '/time-off', timeOff),
  };
}
