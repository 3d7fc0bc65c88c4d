import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { ChildServer } from './child-server.js';

/** Temporary troubles of a server. */
export type Trouble = 'killed' | 'hung' | 'late';

export const TROUBLES: readonly Trouble[] = ['killed', 'hung', 'late'];

/** Longer than the adapter waits for the server, so that callers receive a 503 and retry with their key. */
const LONG_MILLISECONDS = 12_000;

/** Causes the trouble, for some seconds or for long, and resolves when the server is healthy again. */
export async function befall(server: ChildServer, trouble: Trouble, isLong: boolean): Promise<void> {
  const lasting = (minimum: number, limit: number): number =>
    isLong ? LONG_MILLISECONDS : minimum + randomInt(limit - minimum);
  if (trouble === 'killed') await beKilled(server, lasting(0, 1_500));
  else if (trouble === 'hung') await (randomInt(2) === 0 ? beStopped : beDeaf)(server, lasting(500, 4_000));
  else await beLate(server, isLong ? { delay: LONG_MILLISECONDS, reads: true } : someLateness(), lasting(1_500, 3_000));
}

async function beKilled(server: ChildServer, milliseconds: number): Promise<void> {
  await server.kill();
  await wait(milliseconds);
  await server.restart();
}

/** Stops the process: it accepts connections, and answers calls only after it continues. */
async function beStopped(server: ChildServer, milliseconds: number): Promise<void> {
  server.pause();
  await wait(milliseconds);
  server.resume();
}

/** The server answers pings but no call; a call during this time is never answered. */
async function beDeaf(server: ChildServer, milliseconds: number): Promise<void> {
  await server.tell({ hanging: true });
  await wait(milliseconds);
  await server.tell({ hanging: false });
}

/** The delay of answers in milliseconds, and whether reads are delayed too. */
interface Lateness {
  readonly delay: number;
  readonly reads: boolean;
}

/** Sometimes longer than an attempt waits. */
function someLateness(): Lateness {
  return { delay: randomInt(4) === 0 ? 6_000 : 100 + randomInt(1_500), reads: randomInt(2) === 0 };
}

/** Requests during this time are executed nevertheless. */
async function beLate(server: ChildServer, { delay, reads }: Lateness, milliseconds: number): Promise<void> {
  await server.tell({ appendDelay: delay, readDelay: reads ? delay : 0 });
  await wait(milliseconds);
  await server.tell({ appendDelay: 0, readDelay: 0 });
}
