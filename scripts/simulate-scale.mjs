import { readFile, writeFile } from 'node:fs/promises';

/**
 * Simulates requests through the threads of the APIs and then the processors of PostgreSQL, and prints what saturates first.
 * `--write` puts the table into docs/how-to/scale.md, `--check` fails where the page has another one, and `--queue SERVERS LOAD` prints the mean
 * wait in one queue, in service times, which is known (Erlang C).
 */
const PAGE = new URL('../docs/how-to/scale.md', import.meta.url);
const MARKS = ['<!-- simulation -->', '<!-- /simulation -->'];

/** Microseconds of Node.js and of PostgreSQL (commit f8c0744, docs/reference/performance.md, a change as with four writers), and requests of a person in the busiest hour (an assumption). */
const KINDS = [
  { api: 73, postgres: 20, hourly: 20 },
  { api: 424, postgres: 505, hourly: 1 },
  { api: 521, postgres: 526, hourly: 0.2 },
];
const PEOPLE = [10_000, 100_000, 1_000_000, 10_000_000];
const APIS = [1, 4, 16];
const PROCESSORS = 8;
const REQUESTS = 60_000;
const SATURATED = 0.8;

/** Mulberry32: the same numbers on every machine. */
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const exponential = (random, mean) => -mean * Math.log(1 - random());

/** Serves jobs in the order of their arrival, each by the server that is free first; returns when each leaves. */
function serve(jobs, servers) {
  const free = new Array(servers).fill(0);
  return jobs.map(({ at, service }) => {
    let first = 0;
    for (let server = 1; server < servers; server += 1) if (free[server] < free[first]) first = server;
    free[first] = Math.max(at, free[first]) + service;
    return free[first];
  });
}

/** The mean wait of a queue with this number of servers, each busy for this share of time; a service takes 1 on average. */
function meanWait(servers, load, count = 1_000_000) {
  const random = randomFrom(1);
  let at = 0;
  const jobs = Array.from({ length: count }, () => ({
    at: (at += exponential(random, 1 / (servers * load))),
    service: exponential(random, 1),
  }));
  const ends = serve(jobs, servers);
  return ends.reduce((sum, end, index) => sum + end - jobs[index].at - jobs[index].service, 0) / count;
}

function simulate(people, apis) {
  const rate = (people * KINDS.reduce((sum, { hourly }) => sum + hourly, 0)) / 3_600e6;
  const all = KINDS.reduce((sum, { hourly }) => sum + hourly, 0);
  const mean = (of) => KINDS.reduce((sum, kind) => sum + (kind[of] * kind.hourly) / all, 0);
  const loads = { api: (rate * mean('api')) / apis, postgres: (rate * mean('postgres')) / PROCESSORS };
  if (loads.api >= 1 || loads.postgres >= 1) return { rate, loads, late: null };
  const random = randomFrom(people + apis);
  let at = 0;
  const requests = Array.from({ length: REQUESTS }, () => {
    let drawn = random() * all;
    const kind = KINDS.find(({ hourly }) => (drawn -= hourly) < 0) ?? KINDS[0];
    at += exponential(random, 1 / rate);
    return { begun: at, at, service: exponential(random, kind.api), then: exponential(random, kind.postgres) };
  });
  const left = serve(requests, apis);
  const second = requests
    .map(({ begun, then }, index) => ({ begun, at: left[index], service: then }))
    .sort((one, other) => one.at - other.at);
  const times = serve(second, PROCESSORS).map((end, index) => end - second[index].begun);
  return { rate, loads, late: times.sort((one, other) => one - other)[Math.floor(times.length * 0.99)] };
}

function firstOf({ api, postgres }) {
  if (Math.max(api, postgres) < SATURATED) return 'nothing';
  return api > postgres ? 'APIs' : 'PostgreSQL';
}

function table() {
  const percent = (share) => `${Math.round(share * 100)} %`;
  const lines = PEOPLE.flatMap((people) =>
    APIS.map((apis) => {
      const { rate, loads, late } = simulate(people, apis);
      const p99 = late === null ? 'grows without end' : `${(late / 1_000).toFixed(1)} ms`;
      return `| ${people.toLocaleString('en')} | ${Math.round(rate * 1e6).toLocaleString('en')} | ${apis} | ${percent(loads.api)} | ${percent(loads.postgres)} | ${p99} | ${firstOf(loads)} |`;
    }),
  );
  const head = `| People | Requests a second | APIs | each API busy | PostgreSQL (${PROCESSORS} processors) busy | p99 | Saturated (over ${percent(SATURATED)}) |`;
  return [head, '|---|---|---|---|---|---|---|', ...lines].join('\n');
}

const [mode, ...values] = process.argv.slice(2);
if (mode === '--queue') {
  console.log(meanWait(Number(values[0]), Number(values[1])));
} else if (mode === undefined) {
  console.log(table());
} else {
  const page = await readFile(PAGE, 'utf8');
  const [before, rest] = page.split(MARKS[0]);
  const [present, after] = rest.split(MARKS[1]);
  // The formatter pads cells.
  const cells = (text) =>
    text
      .split('\n')
      .filter((line) => /^\|.*\w/.test(line))
      .map((line) =>
        line
          .split('|')
          .map((cell) => cell.trim())
          .join('|'),
      )
      .join('\n');
  if (mode === '--write') await writeFile(PAGE, `${before}${MARKS[0]}\n\n${table()}\n\n${MARKS[1]}${after}`);
  else if (cells(present) !== cells(table())) {
    console.error('docs/how-to/scale.md has another table: run node scripts/simulate-scale.mjs --write');
    process.exitCode = 1;
  }
}
