import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UNLIMITED } from '../api/test-api.js';
import { freePort, type RunningProcess, startUntilReady } from '../processes.js';
import { temporaryDirectory } from '../test-server.js';

/** How long a request may hold the event loop, in milliseconds of the processor. */
export const LONGEST_HOLD = 50;
/** The first requests of a route load and compile what the later ones use. */
const WARM_UP_OF_ROUTE = 3;
const WARM_UP_OF_PROCESS = 50;
/** Once may be anything that the machine does; what a request itself does comes again. */
const CHANCE = 1;

/** A turn of the event loop that was too long, as `watch.mjs` reports it. */
export interface Hold {
  readonly milliseconds: number;
  /** Those under way, each with how many there were of its route. */
  readonly requests: readonly { readonly route: string; readonly nth: number }[];
  readonly requestsSoFar: number;
}

/** The environment that makes a Node.js process report to a file, and a way to read it. */
export async function watchEventLoop(
  milliseconds = LONGEST_HOLD,
): Promise<{ readonly environment: NodeJS.ProcessEnv; readonly holds: () => Promise<readonly Hold[]>; readonly end: () => Promise<void> }> {
  const directory = await temporaryDirectory();
  const file = join(directory, 'holds');
  await writeFile(file, '');
  const environment = {
    NODE_OPTIONS: `--import=${join(__dirname, 'watch.mjs')}`,
    EVENT_LOOP_REPORT: file,
    EVENT_LOOP_MILLISECONDS: String(milliseconds),
  };
  const holds = async (): Promise<readonly Hold[]> =>
    (await readFile(file, 'utf8'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Hold);
  return { environment, holds, end: () => rm(directory, { recursive: true, force: true }) };
}

/** The built program's API as a process over a test's database, whose event loop is watched. */
export class WatchedApi {
  private constructor(
    readonly url: string,
    private readonly running: RunningProcess,
    private readonly watch: Awaited<ReturnType<typeof watchEventLoop>>,
  ) {}

  static async start(databaseUrl: string): Promise<WatchedApi> {
    const watch = await watchEventLoop();
    const port = String(await freePort());
    const limits = Object.fromEntries(
      ['KEY', 'KEY_WRITES', 'ORGANISATION', 'WEBHOOK_KEY', 'WEBHOOK_ORGANISATION'].map((limit) => [
        `RATE_LIMIT_${limit}`,
        String(UNLIMITED),
      ]),
    );
    const running = await startUntilReady(['api'], {
      DATABASE_URL: databaseUrl,
      PORT: port,
      SANDBOX_PORT: '0',
      LOG_LEVEL: 'fatal',
      ...limits,
      ...watch.environment,
    });
    return new WatchedApi(`http://127.0.0.1:${port}`, running, watch);
  }

  /** Routes that held the event loop for too long, and how long, once the process and they were warm; nothing that came only once. */
  async routesThatHold(): Promise<Readonly<Record<string, readonly number[]>>> {
    const found: Record<string, number[]> = {};
    for (const { milliseconds, requests, requestsSoFar } of await this.watch.holds()) {
      if (requestsSoFar < WARM_UP_OF_PROCESS) continue;
      const routes =
        requests.length === 0 ? ['no request'] : requests.filter(({ nth }) => nth > WARM_UP_OF_ROUTE).map(({ route }) => route);
      for (const route of new Set(routes)) (found[route] ??= []).push(milliseconds);
    }
    return Object.fromEntries(Object.entries(found).filter(([, holds]) => holds.length > CHANCE));
  }

  async stop(): Promise<void> {
    await this.running.end('SIGTERM');
    await this.watch.end();
  }
}
