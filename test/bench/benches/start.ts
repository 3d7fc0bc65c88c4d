import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { idleRatesOf, type Spread, spreadOf } from '../measure/comparison.js';
import { type ProcessorTime } from '../measure/processor-time.js';
import { median } from '../measure/statistics.js';
import { count, type Line } from '../report/table.js';
import { freePort } from '../../support/free-ports.js';
import { PREFIX, type Product, startProduct } from '../sides/product.js';
import type { Setting } from './setting.js';

/** Seconds until the first answer, MB of the program's process, per cent of a core. */
const GOALS = { start: 1.5, memory: 150, idle: 0.5 };
const POLL_MILLISECONDS = 5;
/** What a start leaves to do is done by then: V8 frees what the start needed, some 30 s after it. */
const SETTLE_SECONDS = 60;
const IDLE_ROUNDS = 3;
const IDLE_MILLISECONDS = 20_000;
const KILOBYTES = 1_024;

/** `npm start` with its demo, without any request: how soon it answers, and what it takes at rest. */
export async function measureStart(setting: Setting): Promise<readonly Line[]> {
  setting.say('Measuring start and rest …');
  const { rounds, scale } = setting.options;
  const directory = join(setting.directory, 'start');
  await mkdir(directory, { mode: 0o711 });
  const port = await freePort();
  const environment = { WORKFORCE_DATA_DIR: join(directory, 'data'), PORT: String(port) };
  const start = async (): Promise<Product> =>
    setting.keep(await startProduct({ command: ['start'], directory, environment, profile: setting.options.profile }));
  const first = await start();
  const apiKey = first.demoKey!;
  await first.stop();
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { product, firstAnswer } = await startAndAsk(start, port, apiKey);
    seconds.push(firstAnswer);
    await product.stop();
  }
  const { product } = await startAndAsk(start, port, apiKey);
  try {
    const share = Math.min(1, scale * 10);
    await wait(SETTLE_SECONDS * 1_000 * share);
    const rates = await idleRatesOf([product.pid], IDLE_MILLISECONDS * share, IDLE_ROUNDS);
    return [startLine(spreadOf(seconds)), memoryLine(await residentMemory(product.pid)), idleLine(rates)];
  } finally {
    await product.stop();
  }
}

async function startAndAsk(
  start: () => Promise<Product>,
  port: number,
  apiKey: string,
): Promise<{ readonly product: Product; readonly firstAnswer: number }> {
  const startedAt = performance.now();
  const starting = start();
  let isOver = false;
  starting.catch(() => (isOver = true));
  while (!isOver && !(await answers(port, apiKey))) await wait(POLL_MILLISECONDS);
  const firstAnswer = (performance.now() - startedAt) / 1_000;
  return { product: await starting, firstAnswer };
}

async function answers(port: number, apiKey: string): Promise<boolean> {
  try {
    const { ok } = await fetch(`http://127.0.0.1:${port}${PREFIX}/people?limit=1`, { headers: { authorization: `Bearer ${apiKey}` } });
    return ok;
  } catch {
    return false;
  }
}

/** MB of the program's process, without PostgreSQL. */
async function residentMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)![1]) / KILOBYTES;
}

function lineOf(what: string, figure: number, product: string, goal: string, isMet: boolean, remarks: string): Line {
  return { what, figures: [figure], ratio: '', goal, isMet, product, bare: '', throughputRatio: '', remarks };
}

function startLine({ median: middle, lowest, highest }: Spread): Line {
  const remarks = `${lowest.toFixed(2)}–${highest.toFixed(2)} s; from the start of the process to a list of one person; the installation has its demo already; leaves out npm and the check of the build`;
  return lineOf('Start to first answer', middle, `${middle.toFixed(2)} s`, `≤ ${GOALS.start} s`, middle <= GOALS.start, remarks);
}

function memoryLine(megabytes: number): Line {
  const remarks = 'resident memory of the Node.js process, two minutes after the start; PostgreSQL and what a load adds are left out';
  return lineOf('Memory at rest', megabytes, `${count(megabytes)} MB`, `≤ ${GOALS.memory} MB`, megabytes <= GOALS.memory, remarks);
}

function idleLine(rates: readonly ProcessorTime[]): Line {
  const shares = spreadOf(rates.map(({ program, postgres }) => (program + postgres) * 100));
  const share = (name: keyof ProcessorTime): string => (median(rates.map((rate) => rate[name])) * 100).toFixed(2);
  const remarks = `${shares.lowest.toFixed(2)}–${shares.highest.toFixed(2)} %; Node.js ${share('program')}, PostgreSQL ${share('postgres')}; no request, no webhook due; from a minute after the start`;
  return lineOf(
    'Processor at rest',
    shares.median,
    `${shares.median.toFixed(2)} % of a core`,
    `≤ ${GOALS.idle} %`,
    shares.median <= GOALS.idle,
    remarks,
  );
}
