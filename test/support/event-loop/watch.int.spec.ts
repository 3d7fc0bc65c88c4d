import { join } from 'node:path';
import { type RunningProcess, startNode } from '../processes.js';
import { eventually } from '../../contract/event-store.support.js';
import { watchEventLoop } from './watched-api.js';

let watch: Awaited<ReturnType<typeof watchEventLoop>>;
let running: RunningProcess;
let url: string;

beforeAll(async () => {
  watch = await watchEventLoop();
  running = startNode([join(__dirname, 'held-server.mjs')], watch.environment);
  const [, port] = await running.untilPrinted(/at (\d+)/);
  url = `http://127.0.0.1:${port}`;
});

afterAll(async () => {
  await running.end('SIGKILL');
  await watch.end();
});

it('a request that uses the processor for too long in one turn is reported, and one that only takes long is not', async () => {
  for (const path of ['/nothing', '/wait', '/wait', '/burn', '/nothing']) await fetch(`${url}${path}`);
  const holds = await eventually(async () => {
    const found = (await watch.holds()).filter(({ requests }) => requests.length > 0);
    return found.length > 0 ? found : null;
  });
  for (const path of ['/wait', '/nothing']) await fetch(`${url}${path}`);
  expect(holds.map(({ requests }) => requests.map(({ route }) => route))).toEqual([['GET /burn']]);
  expect(holds[0]!.milliseconds).toBeGreaterThanOrEqual(50);
  expect((await watch.holds()).filter(({ requests }) => requests.length > 0)).toHaveLength(1);
});
