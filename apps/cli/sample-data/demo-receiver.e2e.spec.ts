import { createServer, type Server } from 'node:http';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { eventually } from '../../../test/contract/event-store.support.js';
import { installationPorts, startWorkforce, type RunningProcess } from '../../../test/support/processes.js';
import { temporaryDirectory } from '../../../test/support/test-server.js';

interface Displayed {
  readonly id: string;
  readonly name: string;
  readonly url: string;
}

describe('the receiver of the demo', () => {
  let directory: string;
  let environment: NodeJS.ProcessEnv;
  let api: string;
  let key: string;
  let server: RunningProcess;

  const read = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`${api}${path}`, { headers: { authorization: `Bearer ${key}` } });
    return ((await answer.json()) as { data: T }).data;
  };
  const endpoints = (): Promise<readonly Displayed[]> => read('/webhooks');
  const outcomesOf = async ({ id }: Displayed): Promise<readonly string[]> => {
    const deliveries = await read<readonly { status: string; event_type: string }[]>(
      `/webhooks/${id}/deliveries?limit=200`,
    );
    return deliveries.map(({ status, event_type: type }) => (status === 'delivered' ? status : `${status} ${type}`));
  };

  beforeAll(async () => {
    directory = await temporaryDirectory();
    const ports = await installationPorts();
    environment = { WORKFORCE_DATA_DIR: join(directory, 'data'), ...ports.settings };
    api = `http://127.0.0.1:${ports.api}/api/v1`;
    server = startWorkforce(['start'], environment);
    key = (await server.untilPrinted(/^ {2}(svc_live_\S+)$/m))[1]!;
  });

  afterAll(async () => {
    await server.end('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  });

  it('gives deliveries every outcome', async () => {
    const shown = await endpoints();
    const outcomes = async (): Promise<object> =>
      Object.fromEntries(
        await Promise.all(
          shown.map(async (endpoint) => [endpoint.name, [...new Set(await outcomesOf(endpoint))].sort()]),
        ),
      );
    // An endpoint that shows no outcome yet differs from this as well, so it waits for all of them.
    const expected = {
      Payroll: ['delivered'],
      Directory: ['delivered', 'retry_scheduled person.ended'],
      'Door badges': ['retry_scheduled person.created'],
      'Rota (switched off)': ['failed person.ended'],
      'Payroll (former provider)': ['failed person.ended'],
    };
    let found: object = {};
    await eventually(async () => isDeepStrictEqual((found = await outcomes()), expected)).catch(() => undefined);
    expect(found).toEqual(expected);
  });

  it('may be on another port after a restart, where the endpoints follow it', async () => {
    const before = new URL((await endpoints())[0]!.url).port;
    expect(await server.end('SIGTERM')).toBe(0);
    const squatter = await listenOn(Number(before));
    try {
      server = startWorkforce(['start'], environment);
      await server.untilPrinted(/Press Ctrl-C/);
      const ports = new Set((await endpoints()).map(({ url }) => new URL(url).port));
      expect(ports.size).toBe(1);
      expect(ports.has(before)).toBe(false);
    } finally {
      squatter.close();
    }
  });
});

async function listenOn(port: number): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return server;
}
