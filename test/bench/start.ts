import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../support/free-ports.js';
import { processorTimeOf } from './processor-time.js';
import { PREFIX, startProduct } from './program.js';
import type { Setting } from './setting.js';
import { spreadOf } from './statistics.js';
import { atMost, count, type Line, spreadText } from './table.js';

/** Seconds until the first answer, per cent of a core, MB of the program's process. */
const CEILINGS = { start: 2, idle: 1, memory: 150 };
const POLL_MILLISECONDS = 5;
const KILOBYTES = 1_024;

/**
 * `npm start` with its demo and its own PostgreSQL, without any request: how soon it answers, and what it
 * takes at rest.
 */
export async function measureStart(setting: Setting): Promise<Line> {
  setting.say('Measuring start and rest …');
  const { rounds, settle, idle } = setting.sizes;
  const directory = join(setting.directory, 'start');
  await mkdir(directory, { mode: 0o711 });
  const port = await freePort();
  const start = () => startProduct(directory, [], { WORKFORCE_DATA_DIR: join(directory, 'data'), PORT: String(port) });
  const first = await start();
  await first.stop();
  const seconds: number[] = [];
  for (let round = 0; ; round += 1) {
    const startedAt = performance.now();
    const starting = start();
    const [program] = await Promise.all([starting, untilAnswered(port, first.demoKey!, starting)]);
    setting.keep(program);
    seconds.push((performance.now() - startedAt) / 1_000);
    if (round + 1 < rounds) await program.stop();
    else {
      await wait(settle * 1_000);
      const before = processorTimeOf([program.pid]);
      await wait(idle * 1_000);
      const after = processorTimeOf([program.pid]);
      const share = (100 * (after.node + after.postgres - before.node - before.postgres)) / idle;
      const memory = await residentMemory(program.pid);
      await program.stop();
      return lineOf(seconds, share, memory);
    }
  }
}

function lineOf(seconds: readonly number[], share: number, memory: number): Line {
  const start = spreadOf(seconds);
  return {
    what: 'Start; idle; memory at rest',
    product: `${spreadText(start)} s; ${share.toFixed(2)} % of a core; ${count(memory)} MB`,
    baselines: [],
    ratios: [],
    floors: [
      atMost(CEILINGS.start, start.median, ' s'),
      atMost(CEILINGS.idle, share, ' % of a core'),
      atMost(CEILINGS.memory, memory, ' MB'),
    ],
  };
}

/** Resolves when a list of one person is answered, or the program has not started. */
async function untilAnswered(port: number, apiKey: string, starting: Promise<unknown>): Promise<void> {
  let isOver = false;
  starting.catch(() => (isOver = true));
  while (!isOver && !(await answers(port, apiKey))) await wait(POLL_MILLISECONDS);
}

function answers(port: number, apiKey: string): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}${PREFIX}/people?limit=1`, {
    headers: { authorization: `Bearer ${apiKey}` },
  }).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** MB of the program's process, without PostgreSQL. */
async function residentMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)![1]) / KILOBYTES;
}
