import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addDays, type LocalDate, mondayOf, weekdayOf } from '#kernel/dates.js';
import { PREFIX, type Server, startProduct, workforce } from './program.js';
import type { Setting } from './setting.js';

const SUBDOMAIN = 'bench';
const HEADER =
  'work_email,staff_id,first_name,last_name,start_date,job_title,department,manager,work_place,work_type,contracted_weekly_minutes,full_time_weekly_minutes';
const DEPARTMENTS = ['Engineering', 'Product', 'Design', 'Customer Success', 'Finance', 'People'];
/** Time off lies in so many whole weeks before this one, which are four quarters. */
const WEEKS = 52;

/** The database of an organisation whose people were imported. */
export interface Imported {
  readonly name: string;
  readonly url: string;
  readonly rowsPerSecond: number;
}

/** The product over such a database, with time off as well. */
export interface Installation extends Server {
  readonly databaseUrl: string;
  readonly organisationId: string;
  readonly apiKey: string;
  readonly personIds: readonly string[];
  readonly categoryId: string;
  /** The day that the four quarters of time off begin with. */
  readonly firstDay: LocalDate;
}

/** Makes an organisation in a new database and imports a file of people, as a user would. */
export async function importPeople(setting: Setting, name: string, people: number): Promise<Imported> {
  const url = await setting.database(name);
  await workforce(url, 'migrate');
  await createOrganisation(url, SUBDOMAIN);
  const rows = [HEADER, ...Array.from({ length: people }, (_, index) => personRow(index))];
  const report = await importFile(setting, url, 'people', rows, '--create-missing');
  return { name, url, rowsPerSecond: report.rows_per_second };
}

/** Copies such a database, imports a record of time off for each person, and starts the product over it. */
export async function openInstallation(setting: Setting, { name }: Imported): Promise<Installation> {
  const databaseUrl = await setting.database('product', name);
  const ofOrganisation = ['--organisation', SUBDOMAIN];
  const apiKey = await createKey(databaseUrl, SUBDOMAIN);
  const category = '--label Absence --requires-approval no --deducts-balance no --counts-public-holidays yes'.split(
    ' ',
  );
  const { id } = await workforce<{ id: string }>(
    databaseUrl,
    'time-off-categories',
    'create',
    ...ofOrganisation,
    ...category,
  );
  const firstDay = mondayOf(addDays(today(), -7 * WEEKS));
  const rows = Array.from({ length: setting.sizes.people }, (_, index) => timeOffRow(index, firstDay));
  await importFile(setting, databaseUrl, 'time-off', ['staff_id,category,start_date,end_date,status', ...rows]);
  await setting.query('vacuum analyze', [], databaseUrl);
  const people = await setting.query<{ organisation_id: string; person_id: string }>(
    'select organisation_id, person_id from people order by created_at, person_id',
    [],
    databaseUrl,
  );
  const product = setting.keep(await startProduct(setting.directory, ['--no-demo'], { DATABASE_URL: databaseUrl }));
  return {
    ...product,
    databaseUrl,
    organisationId: people[0]!.organisation_id,
    apiKey,
    personIds: people.map(({ person_id }) => person_id),
    categoryId: id,
    firstDay,
  };
}

/** Makes a further organisation in the database of an installation, with a key that has every scope. */
export async function openOrganisation(
  databaseUrl: string,
  subdomain: string,
): Promise<Pick<Installation, 'organisationId' | 'apiKey'>> {
  const { id } = await createOrganisation(databaseUrl, subdomain);
  return { organisationId: id, apiKey: await createKey(databaseUrl, subdomain) };
}

function createOrganisation(databaseUrl: string, subdomain: string): Promise<{ readonly id: string }> {
  const profile = { name: 'Bench', subdomain, country: 'GB', plan: 'standard', 'time-zone': 'Europe/London' };
  const words = Object.entries(profile).flatMap(([name, value]) => [`--${name}`, value]);
  return workforce(databaseUrl, 'organisations', 'create', ...words, '--approve-writes');
}

async function createKey(databaseUrl: string, organisation: string): Promise<string> {
  const words = ['--organisation', organisation, '--name', 'Bench', '--scopes', 'all'];
  return (await workforce<{ api_key: string }>(databaseUrl, 'keys', 'create', ...words)).api_key;
}

/** Sends a request to the product's API. Throws where it is refused. */
export async function callApi(
  { url, apiKey }: Pick<Installation, 'url' | 'apiKey'>,
  path: string,
  init: { readonly method?: string; readonly body?: object; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<{ readonly text: string; readonly headers: Headers }> {
  const response = await fetch(url + PREFIX + path, {
    method: init.method ?? 'GET',
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(init.body === undefined
        ? {}
        : { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() }),
      ...init.headers,
    },
    ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
  return { text, headers: response.headers };
}

/** Today's date in UTC. */
export function today(): LocalDate {
  return new Date().toISOString().slice(0, 10);
}

/** The weekdays from a day on, so many of them. */
export function weekdaysFrom(first: LocalDate, count: number): readonly LocalDate[] {
  const days: LocalDate[] = [];
  for (let day = first; days.length < count; day = addDays(day, 1)) if (weekdayOf(day) <= 5) days.push(day);
  return days;
}

async function importFile(
  setting: Setting,
  url: string,
  kind: string,
  rows: readonly string[],
  ...words: readonly string[]
) {
  const file = join(setting.directory, `${kind}.csv`);
  await writeFile(file, [...rows, ''].join('\n'));
  return workforce<{ rows_per_second: number }>(url, 'import', kind, file, '--organisation', SUBDOMAIN, ...words);
}

/** Managers come before those whom they manage. */
function personRow(index: number): string {
  const month = String((index % 12) + 1).padStart(2, '0');
  const manager = index === 0 ? '' : staffIdOf(index >> 3);
  const place = index % 2 === 0 ? 'London office' : 'Leeds office';
  const department = DEPARTMENTS[index % DEPARTMENTS.length]!;
  return `person.${index}@bench.example,${staffIdOf(index)},Ada,Number ${index},20${15 + (index % 10)}-${month}-01,Engineer,${department},${manager},${place},Full-time,2250,2250`;
}

/** Two days of one week, spread over all weeks. */
function timeOffRow(index: number, firstDay: LocalDate): string {
  const start = addDays(firstDay, (index % WEEKS) * 7 + (index % 4));
  return `${staffIdOf(index)},Absence,${start},${addDays(start, 1)},approved`;
}

function staffIdOf(index: number): string {
  return `B-${100_000 + index}`;
}
