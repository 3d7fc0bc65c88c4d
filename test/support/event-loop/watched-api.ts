import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UNLIMITED } from '../api/test-api.js';
import { freePort } from '../free-ports.js';
import { type RunningProcess, startUntilReady } from '../processes.js';
import { temporaryDirectory } from '../test-server.js';

/** How long a request may block the event loop, in milliseconds of processor time. */
export const MAX_HOLD = 50;
/** The first requests of a route load and compile code that later requests use. */
const WARM_UP_OF_ROUTE = 3;
const WARM_UP_OF_PROCESS = 50;
/** A single slow turn may have any cause on the machine; the work of a request itself happens again. */
const CHANCE = 1;

/** A turn of the event loop that was too long, as `watch.mjs` reports it. */
export interface Hold {
  readonly milliseconds: number;
  /** The requests in progress, each with its number among the requests of its route. */
  readonly requests: readonly { readonly route: string; readonly nth: number }[];
  readonly requestsSoFar: number;
}

/**
 * Returns the environment in which a Node.js process reports to a file, and a function that reads the report.
 */
export async function watchEventLoop(milliseconds = MAX_HOLD): Promise<{
  readonly environment: NodeJS.ProcessEnv;
  readonly holds: () => Promise<readonly Hold[]>;
  readonly end: () => Promise<void>;
}> {
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

/** The built program's API as a process over a test's database, with a watched event loop. */
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
      ['KEY', 'KEY_WRITES', 'ORGANISATION', 'WEBHOOK_KEY', 'WEBHOOK_ORGANISATION', 'IMPORTS'].map((limit) => [
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

  /**
   * Returns the routes that blocked the event loop for too long after warm-up, and the durations; a route
   * that did so only once is left out.
   */
  async routesThatHold(): Promise<Readonly<Record<string, readonly number[]>>> {
    const found: Record<string, number[]> = {};
    for (const { milliseconds, requests, requestsSoFar } of await this.watch.holds()) {
      if (requestsSoFar < WARM_UP_OF_PROCESS) continue;
      const routes =
        requests.length === 0
          ? ['no request']
          : requests.filter(({ nth }) => nth > WARM_UP_OF_ROUTE).map(({ route }) => route);
      for (const route of new Set(routes)) (found[route] ??= []).push(milliseconds);
    }
    return Object.fromEntries(Object.entries(found).filter(([, holds]) => holds.length > CHANCE));
  }

  async stop(): Promise<void> {
    await this.running.end('SIGTERM');
    await this.watch.end();
  }
}
