/**
 * Acceptance on real data: `node test/acceptance/timecenter.mjs DIRECTORY` (or TIMECENTER_DATA=DIRECTORY).
 *
 * Imports the employees, titles and departments of the TimeCenter excerpt through the command line into a new
 * installation, and compares what `GET /people/{id}/timeline?as_of=` answers on at least 40 days of each life
 * with what the raw rows say, read here without any of the product's code. The last line is
 * {"passed": …, "failed": …}.
 */
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAM = join(ROOT, 'dist', 'apps', 'cli', 'main.js');
const STILL = '9999-01-01';
const DAYS_OF_A_LIFE = 40;
const REQUESTS_AT_ONCE = 32;
const MAX_DISPLAYED_DIFFERENCES = 20;
const MINUTES = 60_000;

const counts = { passed: 0, failed: 0 };

function check(holds, sentence) {
  counts[holds ? 'passed' : 'failed'] += 1;
  if (holds) return;
  if (counts.failed <= MAX_DISPLAYED_DIFFERENCES) console.log(`FAILED: ${sentence}`);
  if (counts.failed === MAX_DISPLAYED_DIFFERENCES + 1) console.log('… further differences are counted only');
}

// The raw rows

/** Rows of a file as objects. No cell of this data holds a quotation mark, a comma or a line end. */
function readRows(directory, name) {
  const [header, ...lines] = readFileSync(join(directory, name), 'utf8').trim().split(/\r?\n/);
  const cellsOf = (line) => line.split(',').map((cell) => cell.replace(/^"|"$/g, ''));
  const names = cellsOf(header);
  return lines.map((line) => {
    const cells = cellsOf(line);
    if (cells.length !== names.length) throw new Error(`${name} has a row of ${cells.length} cells: ${line}`);
    return Object.fromEntries(names.map((column, index) => [column, cells[index]]));
  });
}

function byEmployee(rows) {
  const groups = new Map();
  for (const row of rows) groups.set(row.emp_no, [...(groups.get(row.emp_no) ?? []), row]);
  return groups;
}

/** What the raw rows tell of each person; intervals are half-open as they are there. */
function readLives(directory) {
  const departments = new Map(readRows(directory, 'departments.csv').map((row) => [row.dept_no, row.dept_name]));
  const titles = byEmployee(readRows(directory, 'titles.csv'));
  const posts = byEmployee(readRows(directory, 'dept_emp.csv'));
  return readRows(directory, 'employees.csv').map((employee) => {
    const interval = (value, row) => ({ value, from: row.from_date, to: row.to_date });
    const life = {
      number: employee.emp_no,
      firstName: employee.first_name,
      lastName: employee.last_name,
      hired: employee.hire_date,
      titles: (titles.get(employee.emp_no) ?? []).map((row) => interval(row.title, row)),
      departments: (posts.get(employee.emp_no) ?? []).map((row) => interval(departments.get(row.dept_no), row)),
    };
    const last = life.departments
      .map(({ to }) => to)
      .sort()
      .at(-1);
    return { ...life, left: last === undefined || last === STILL ? null : last };
  });
}

/**
 * Employed from the day of hiring until the last department ends; a title or department is that of the row
 * that holds the day.
 */
function expectedOn(life, day) {
  const valueOn = (intervals) =>
    intervals
      .filter(({ from, to }) => from <= day && day < to)
      .sort((one, other) => (one.from < other.from ? -1 : 1))
      .at(-1)?.value ?? null;
  const employed = day >= life.hired && (life.left === null || day < life.left);
  return employed
    ? { employed, title: valueOn(life.titles), department: valueOn(life.departments) }
    : { employed, title: null, department: null };
}

function moved(day, days) {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** Every border with the days around it, then days in between at random (of a fixed seed), 40 at least. */
function daysOf(life, random) {
  const borders = [life.hired, ...[...life.titles, ...life.departments].flatMap(({ from, to }) => [from, to])].filter(
    (day) => day !== STILL,
  );
  const days = new Set(borders.flatMap((day) => [moved(day, -1), day, moved(day, 1)]));
  days.add(moved(life.hired, -400)).add('2026-01-01');
  const sorted = [...new Set(borders)].sort();
  sorted
    .slice(1)
    .forEach((day, index) =>
      days.add(moved(sorted[index], Math.floor((Date.parse(day) - Date.parse(sorted[index])) / 86_400_000 / 2))),
    );
  const first = Date.parse(moved(life.hired, -30));
  const span = Date.parse('2003-12-31') - first;
  while (days.size < DAYS_OF_A_LIFE) days.add(new Date(first + random() * span).toISOString().slice(0, 10));
  return [...days].sort();
}

/** Mulberry32: small, and the same numbers everywhere. */
function seededRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

// The files to import

const emailOf = (life) => `e${life.number}@timecenter.example`;

function writeCsv(path, rows) {
  const cell = (value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  writeFileSync(path, rows.map((row) => `${row.map(cell).join(',')}\r\n`).join(''));
}

/** Of those who left, every second one is ended by the row of people, the others by a row of history. */
const endsWithPeople = (life) => Number(life.number) % 2 === 0;

function writePeople(path, lives) {
  const header = ['work_email', 'staff_id', 'first_name', 'last_name', 'start_date', 'end_date'];
  const finalDay = (life) => (life.left !== null && endsWithPeople(life) ? moved(life.left, -1) : '');
  writeCsv(path, [
    header,
    ...lives.map((life) => [emailOf(life), life.number, life.firstName, life.lastName, life.hired, finalDay(life)]),
  ]);
}

/**
 * One row for each row of titles and departments, as they come: titles first, so that no person's rows are in
 * order.
 */
function writeHistory(path, lives) {
  const header = ['staff_id', 'work_email', 'action', 'start_date', 'end_date', 'job_title', 'department'];
  const changes = (column) =>
    lives.flatMap((life) =>
      life[column].map(({ value, from }) => [
        life.number,
        '',
        '',
        from,
        '',
        column === 'titles' ? value : '',
        column === 'departments' ? value : '',
      ]),
    );
  const ends = lives
    .filter((life) => life.left !== null && !endsWithPeople(life))
    .map((life) => ['', emailOf(life), 'end', '', moved(life.left, -1), '', '']);
  writeCsv(path, [header, ...ends, ...changes('titles').reverse(), ...changes('departments')]);
}

/**
 * What history rows cannot say: a value that ends while the person stays and nothing follows. This data has
 * no such row.
 */
function assertExpressible(lives) {
  for (const life of lives) {
    for (const intervals of [life.titles, life.departments]) {
      for (const { to } of intervals) {
        const followed = to === STILL || to === life.left || intervals.some(({ from }) => from === to);
        if (!followed)
          throw new Error(`employee ${life.number} has a gap or an overlap at ${to}, which an empty cell cannot say`);
      }
    }
  }
}

// The program

function start(parameters, environment) {
  const { PATH, HOME, TMPDIR } = process.env;
  return spawn(process.execPath, [PROGRAM, ...parameters], {
    env: { PATH, HOME, TMPDIR, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs a command to its end; its exit code and the document that it prints. */
async function run(parameters, environment) {
  const child = start([...parameters, '--json'], environment);
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr']) child[stream].on('data', (chunk) => (output[stream] += chunk));
  const code = await new Promise((settle, reject) => child.once('error', reject).once('close', settle));
  try {
    return { code, document: JSON.parse(output.stdout) };
  } catch {
    throw new Error(`workforce ${parameters.join(' ')} ended with ${code}:\n${output.stdout}${output.stderr}`);
  }
}

async function succeed(parameters, environment) {
  const { code, document } = await run(parameters, environment);
  if (code !== 0)
    throw new Error(
      `workforce ${parameters.join(' ')} ended with ${code}: ${JSON.stringify(document).slice(0, 2_000)}`,
    );
  return document;
}

function freePort() {
  return new Promise((settle, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => settle(port));
    });
  });
}

/** Starts the server and waits for its first answer; gives what stops it. */
async function serve(environment, port) {
  const child = start(['start', '--no-demo'], environment);
  let output = '';
  let ended = false;
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (output = (output + chunk).slice(-4_000)));
  const exited = new Promise((settle) => child.once('close', (code) => ((ended = true), settle(code))));
  const deadline = Date.now() + MINUTES;
  while (
    !(await fetch(`http://127.0.0.1:${port}/api/v1/me`).then(
      () => true,
      () => false,
    ))
  ) {
    if (ended || Date.now() > deadline) throw new Error(`the server did not answer:\n${output}`);
    await new Promise((settle) => setTimeout(settle, 25));
  }
  return async () => {
    child.kill('SIGTERM');
    return exited;
  };
}

/** GETs over kept connections. */
function clientOf(port, key) {
  const agent = new Agent({ keepAlive: true, maxSockets: REQUESTS_AT_ONCE });
  return (path) =>
    new Promise((settle, reject) => {
      const options = {
        agent,
        host: '127.0.0.1',
        port,
        path: `/api/v1${path}`,
        headers: { authorization: `Bearer ${key}` },
      };
      const sent = request(options, (response) => {
        let body = '';
        response
          .setEncoding('utf8')
          .on('data', (chunk) => (body += chunk))
          .once('error', reject)
          .once('end', () => {
            if (response.statusCode === 200) settle(JSON.parse(body));
            else reject(new Error(`GET ${path} answered ${response.statusCode}: ${body.slice(0, 500)}`));
          });
      });
      sent.once('error', reject).end();
    });
}

async function inParallel(items, work) {
  let next = 0;
  await Promise.all(
    Array.from({ length: REQUESTS_AT_ONCE }, async () => {
      while (next < items.length) await work(items[next++]);
    }),
  );
}

async function listPeople(get) {
  const people = new Map();
  for (let cursor = null; ;) {
    const page = await get(`/people?limit=200${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`);
    for (const person of page.data) people.set(person.staff_id, person);
    cursor = page.pagination?.next_cursor ?? page.next_cursor ?? null;
    if (cursor === null) return people;
  }
}

// What is accepted

function checkCounts(what, { code, document }, expected) {
  const { rows, created, changed, unchanged, failed, problems } = document;
  const actual = { code, rows, created, changed, unchanged, failed, problems: problems?.length };
  check(
    JSON.stringify(actual) === JSON.stringify({ ...expected, problems: 0 }),
    `${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`,
  );
}

async function importEverything(lives, directory, environment) {
  const files = { people: join(directory, 'people.csv'), history: join(directory, 'employment-history.csv') };
  writePeople(files.people, lives);
  writeHistory(files.history, lives);
  const facts = readFileSync(files.history, 'utf8').trim().split('\n').length - 1;
  const people = ['import', 'people', files.people, '--organisation', 'timecenter'];
  const history = ['import', 'employment-history', files.history, '--organisation', 'timecenter', '--create-missing'];
  const all = lives.length;
  const clean = { code: 0, created: 0, changed: 0, unchanged: 0, failed: 0 };
  const inOrder = (rows, rest) => ({
    code: 0,
    rows,
    created: rest.created ?? 0,
    changed: 0,
    unchanged: rest.unchanged ?? 0,
    failed: clean.failed,
  });
  checkCounts('dry run of people', await run([...people, '--dry-run'], environment), inOrder(all, { created: all }));
  checkCounts(
    'dry run again: the first one wrote nothing',
    await run([...people, '--dry-run'], environment),
    inOrder(all, { created: all }),
  );
  checkCounts('import of people', await run(people, environment), inOrder(all, { created: all }));
  checkCounts(
    'dry run of history',
    await run([...history, '--dry-run'], environment),
    inOrder(facts, { created: facts }),
  );
  checkCounts(
    'dry run of people that are there',
    await run([...people, '--dry-run'], environment),
    inOrder(all, { unchanged: all }),
  );
  const imported = await run(history, environment);
  checkCounts('import of history', imported, inOrder(facts, { created: facts }));
  checkCounts('second import of people', await run(people, environment), inOrder(all, { unchanged: all }));
  checkCounts('second import of history', await run(history, environment), inOrder(facts, { unchanged: facts }));
  console.log(`imported ${all} people and ${facts} facts (${imported.document.rows_per_second} facts a second)`);
}

function checkPerson(life, person) {
  check(person !== undefined, `employee ${life.number} is not there`);
  if (person === undefined) return false;
  const expected = {
    status: life.left === null ? 'active' : 'ended',
    start_date: life.hired,
    end_date: life.left === null ? null : moved(life.left, -1),
    name: `${life.firstName} ${life.lastName}`,
  };
  const actual = {
    status: person.status,
    start_date: person.start_date,
    end_date: person.end_date,
    name: person.display_name,
  };
  check(
    JSON.stringify(actual) === JSON.stringify(expected),
    `employee ${life.number} is ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`,
  );
  return true;
}

async function checkDay(get, { life, person, day }) {
  const { data } = await get(`/people/${person.id}/timeline?as_of=${day}`);
  const actual = {
    employed: data.employed,
    title: data.segment?.job_title ?? null,
    department: data.segment?.department?.name ?? null,
  };
  const expected = expectedOn(life, day);
  check(
    JSON.stringify(actual) === JSON.stringify(expected),
    `employee ${life.number} on ${day}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`,
  );
}

async function compare(lives, get) {
  const people = await listPeople(get);
  check(people.size === lives.length, `${people.size} people instead of ${lives.length}`);
  const random = seededRandom(20_260_101);
  const there = lives.filter((life) => checkPerson(life, people.get(life.number)));
  const days = there.flatMap((life) =>
    daysOf(life, random).map((day) => ({ life, person: people.get(life.number), day })),
  );
  console.log(`comparing ${days.length} days of ${there.length} lives`);
  const began = Date.now();
  let done = 0;
  await inParallel(days, async (item) => {
    await checkDay(get, item);
    done += 1;
    if (done % 10_000 === 0) console.log(`  ${done} of ${days.length}`);
  });
  console.log(`compared in ${((Date.now() - began) / 1_000).toFixed(1)} s`);
}

async function accept(data) {
  const lives = readLives(data);
  assertExpressible(lives);
  const directory = mkdtempSync(join(tmpdir(), 'workforce-acceptance-'));
  // PostgreSQL may run as another user, who must be able to pass.
  chmodSync(directory, 0o711);
  const [PORT, SANDBOX_PORT, OPS_PORT] = await Promise.all([freePort(), freePort(), freePort()]);
  const large = '100000000';
  const limits = Object.fromEntries(['KEY', 'KEY_WRITES', 'ORGANISATION'].map((name) => [`RATE_LIMIT_${name}`, large]));
  const environment = {
    WORKFORCE_DATA_DIR: join(directory, 'data'),
    PORT: `${PORT}`,
    SANDBOX_PORT: `${SANDBOX_PORT}`,
    OPS_PORT: `${OPS_PORT}`,
    LOG_LEVEL: 'error',
    ...limits,
  };
  try {
    await succeed(
      [
        'organisations',
        'create',
        '--name',
        'TimeCenter',
        '--subdomain',
        'timecenter',
        '--country',
        'US',
        '--plan',
        'standard',
        '--time-zone',
        'America/Los_Angeles',
      ],
      environment,
    );
    const { api_key: key } = await succeed(
      [
        'keys',
        'create',
        '--organisation',
        'timecenter',
        '--name',
        'acceptance',
        '--scopes',
        'all',
        '--environment',
        'live',
      ],
      environment,
    );
    await importEverything(lives, directory, environment);
    const stop = await serve(environment, PORT);
    try {
      await compare(lives, clientOf(PORT, key));
    } finally {
      check((await stop()) === 0, 'the server did not stop cleanly');
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const data = process.argv[2] ?? process.env.TIMECENTER_DATA;
try {
  if (data === undefined)
    throw new Error('name the directory of the TimeCenter data: node test/acceptance/timecenter.mjs DIRECTORY');
  await accept(data);
} catch (error) {
  check(false, error.stack);
}
console.log(JSON.stringify(counts));
process.exit(counts.failed === 0 ? 0 : 1);
