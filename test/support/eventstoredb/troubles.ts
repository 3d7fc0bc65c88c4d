import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { ChildServer } from './child-server.js';

/** What can happen to a server for a while. */
export type Trouble = 'killed' | 'hung' | 'late';

export const TROUBLES: readonly Trouble[] = ['killed', 'hung', 'late'];

/** Lets it happen, and ends when the server is as it should be again; the milliseconds that it went on. */
export async function befall(server: ChildServer, trouble: Trouble): Promise<number> {
  const begun = performance.now();
  if (trouble === 'killed') await beKilled(server);
  else if (trouble === 'hung') await (randomInt(2) === 0 ? beStopped(server) : beDeaf(server));
  else await beLate(server);
  return performance.now() - begun;
}

async function beKilled(server: ChildServer): Promise<void> {
  await server.kill();
  await wait(randomInt(1_500));
  await server.restart();
}

/** Takes connections, and its calls come to be answered when it goes on. */
async function beStopped(server: ChildServer): Promise<void> {
  server.pause();
  await wait(500 + randomInt(3_500));
  server.resume();
}

/** Answers pings and no call; what was asked meanwhile is never answered. */
async function beDeaf(server: ChildServer): Promise<void> {
  await server.tell({ hanging: true });
  await wait(500 + randomInt(3_500));
  await server.tell({ hanging: false });
}

/** Now and then later than a caller waits; what was asked meanwhile was written all the same. */
async function beLate(server: ChildServer): Promise<void> {
  const delay = randomInt(4) === 0 ? 6_000 : 100 + randomInt(1_500);
  await server.tell({ appendDelay: delay, readDelay: randomInt(2) === 0 ? delay : 0 });
  await wait(1_500 + randomInt(1_500));
  await server.tell({ appendDelay: 0, readDelay: 0 });
}
