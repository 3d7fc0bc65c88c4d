/**
 * `npm run trace -- WAY…`: prints the way of a request through the code, file by file in the order of first
 * entry, with the functions entered, the number of files and the turn-backs (defined in tracing/way.mjs).
 * Ways are `patch`, `list` and `delivery`, all of them if none is named, and `create` and `time-off`, which
 * are printed but not in the page.
 *
 * It compiles a copy of the sources in which every function reports its calls, starts that over a temporary
 * data directory, warms it up, and records each way three times. It prints only functions that every
 * recording entered: refills of budgets, renewals of caches and other work by the clock drop out.
 *
 * `--write` writes the tables into docs/reference/generated/ways.md. `--check` fails if its table lacks a
 * file that every recording entered, or contains one that no recording entered. Order and functions may
 * differ with the timing of a machine, and are not compared.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Receiver, TracedService, until } from './tracing/traced-service.mjs';
import { commonWay } from './tracing/way.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const PAGE = join(ROOT, 'docs', 'reference', 'generated', 'ways.md');
const RECORDINGS = 3;
/** The number of changes so far, so that each differs. */
let changes = 0;
const ON_PAGE = { patch: recordPatch, list: recordList, delivery: recordDelivery };
const WAYS = { ...ON_PAGE, create: recordCreate, 'time-off': recordTimeOff };

const parameters = process.argv.slice(2);
const options = parameters.filter((parameter) => parameter.startsWith('--'));
const named = parameters.filter((parameter) => !parameter.startsWith('--'));
if (options.some((option) => !['--write', '--check'].includes(option)) || named.some((way) => !(way in WAYS))) {
  console.error(`Usage: npm run trace -- [${Object.keys(WAYS).join('|')}]… [--write|--check]`);
  process.exit(2);
}

const page = readFileSync(PAGE, 'utf8');
const requested = named.length > 0 ? named : Object.keys(ON_PAGE);
if (options.length > 0 && requested.some((way) => !(way in ON_PAGE))) {
  console.error(`docs/reference/generated/ways.md has ${Object.keys(ON_PAGE).join(', ')} alone.`);
  process.exit(2);
}
const recorded = await ways(requested);
if (options.length === 0) for (const [name, way] of recorded) console.log(`${name}\n\n${tableOf(way)}\n`);
if (options.includes('--write')) {
  writeFileSync(
    PAGE,
    recorded.reduce((text, [name, way]) => withTable(text, name, tableOf(way)), page),
  );
}
if (options.includes('--check')) {
  let differences = differencesOf(recorded);
  if (differences.length > 0) {
    // Scheduled work can occur in every recording on a busy machine. Only a difference in the code also
    // appears in a second service.
    const again = new Set(differencesOf(await ways(requested)));
    differences = differences.filter((difference) => again.has(difference));
  }
  if (differences.length > 0) {
    console.error(
      [
        'The ways in docs/reference/generated/ways.md are not those of the code (npm run trace -- --write):',
        ...differences,
      ].join('\n'),
    );
    process.exitCode = 1;
  }
}

/** `+ patch libs/…` for a file that the page lacks, `- patch libs/…` for a surplus one. */
function differencesOf(found) {
  return found.flatMap(([name, { files, entered }]) => {
    const listed = filesOf(page, name);
    const present = new Set(listed);
    return [
      ...files.filter(({ file }) => !present.has(file)).map(({ file }) => `+ ${name} ${file}`),
      ...listed.filter((file) => !entered.has(file)).map((file) => `- ${name} ${file}`),
    ];
  });
}

function filesOf(text, name) {
  const table = text.slice(text.indexOf(`<!-- trace:${name} -->`), text.indexOf(`<!-- /trace:${name} -->`));
  return [...table.matchAll(/^\| \d+ \| `([^`]+)`/gm)].map(([, file]) => file);
}

async function ways(names) {
  const service = await TracedService.start(ROOT);
  try {
    const functions = JSON.parse(readFileSync(service.functionsFile, 'utf8'));
    const found = [];
    for (const name of names) found.push([name, commonWay(functions, await WAYS[name](service))]);
    return found;
  } finally {
    await service.close();
  }
}

/** `PATCH /people/{id}` of an identity field. */
async function recordPatch(service) {
  const id = await somePerson(service);
  await change(service, id);
  return repeated(() => service.record('request', () => change(service, id, { isTraced: true })));
}

/** `POST /people`, with a department. */
async function recordCreate(service) {
  const { data } = (await service.request('GET', '/org-units')).body;
  const create = (settings) =>
    service.request('POST', '/people', {
      body: { work_email: `trace.${(changes += 1)}@example.com`, start_date: '2026-01-01', department_id: data[0].id },
      ...settings,
    });
  await create();
  return repeated(() => service.record('request', () => create({ isTraced: true })));
}

/** `POST /time-off`, each for a different day. */
async function recordTimeOff(service) {
  const id = await somePerson(service);
  const { data } = (await service.request('GET', '/time-off/categories')).body;
  const category = data.find(({ deducts_balance: deducts }) => !deducts) ?? data[0];
  const ask = (settings) => {
    const day = new Date(Date.UTC(2027, 0, (changes += 1))).toISOString().slice(0, 10);
    return service.request('POST', '/time-off', {
      body: { person_id: id, category_id: category.id, start_date: day, end_date: day },
      ...settings,
    });
  };
  await ask();
  return repeated(() => service.record('request', () => ask({ isTraced: true })));
}

/** `GET /people?limit=100`. */
async function recordList(service) {
  await service.request('GET', '/people?limit=100');
  return repeated(() =>
    service.record('request', () => service.request('GET', '/people?limit=100', { isTraced: true })),
  );
}

/** From the event of a change to the recorded result of its delivery: the worker's part. */
async function recordDelivery(service) {
  const id = await somePerson(service);
  const receiver = await Receiver.start();
  try {
    const endpoint = { name: 'Trace', url: receiver.url, subscribed_events: ['person.updated'] };
    const { data } = (await service.request('POST', '/webhooks', { body: endpoint })).body;
    const deliver = async () => {
      const before = receiver.count;
      await change(service, id);
      await until(async () => (await deliveredTo(service, data.id)) > before);
    };
    await deliver();
    return await repeated(() => service.record('delivery', deliver));
  } finally {
    receiver.close();
  }
}

async function repeated(record) {
  const recordings = [];
  for (let count = 0; count < RECORDINGS; count += 1) recordings.push(await record());
  return recordings;
}

async function somePerson(service) {
  const { data } = (await service.request('GET', '/people?limit=1')).body;
  return data[0].id;
}

async function change(service, id, settings = {}) {
  const { headers } = await service.request('GET', `/people/${id}`);
  changes += 1;
  await service.request('PATCH', `/people/${id}`, {
    body: { staff_id: `T${changes}` },
    headers: { 'if-match': headers['service-resource-etag'] },
    ...settings,
  });
}

async function deliveredTo(service, id) {
  const { data } = (await service.request('GET', `/webhooks/${id}/deliveries?limit=100`)).body;
  return data.filter(({ status }) => status === 'delivered').length;
}

function tableOf({ files, turnBacks }) {
  const rows = files.map(({ file, functions }, index) => `| ${index + 1} | \`${file}\` | ${functions.join(', ')} |`);
  const turns = turnBacks.map(({ from, to }) => `- ${from} calls ${to}`);
  const sum =
    `${files.length} files, ${turnBacks.length} ` +
    `${turnBacks.length === 1 ? 'turn-back' : 'turn-backs'}${turns.length === 0 ? '.' : ':'}`;
  return [
    '| | File | Functions |',
    '|---|---|---|',
    ...rows,
    '',
    sum,
    ...(turns.length === 0 ? [] : ['', ...turns]),
  ].join('\n');
}

/** The page with a table between its markers, `<!-- trace:NAME -->` and `<!-- /trace:NAME -->`. */
function withTable(text, name, table) {
  const [start, end] = [`<!-- trace:${name} -->`, `<!-- /trace:${name} -->`];
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/reference/generated/ways.md lacks ${start} … ${end}`);
  return `${text.slice(0, from)}${start}\n\n${table}\n\n${text.slice(to)}`;
}
