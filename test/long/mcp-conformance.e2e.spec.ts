import { execFile } from 'node:child_process';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { rm } from 'node:fs/promises';
import { installationPorts, type RunningProcess, startWorkforce } from '../support/processes.js';
import { temporaryDirectory } from '../support/test-server.js';

const SUITE = '@modelcontextprotocol/conformance@0.1.16';
const BASELINE = 'test/long/mcp-conformance.yml';

let directory: string;
let server: RunningProcess;
let proxy: Server;

beforeAll(async () => {
  directory = await temporaryDirectory();
  const ports = await installationPorts();
  server = startWorkforce(['start'], { WORKFORCE_DATA_DIR: directory, ...ports.settings, LOG_LEVEL: 'warn' });
  await server.untilPrinted(/Press Ctrl-C/);
  const apiKey = /svc_live_[0-9A-Za-z]+/.exec(server.stdout())![0];
  proxy = await startProxy(ports.api, apiKey);
});
afterAll(async () => {
  proxy.close();
  await server.end('SIGINT');
  await rm(directory, { recursive: true, force: true });
});

/** Adds the key to every request, because the suite knows servers without one only. */
async function startProxy(port: number, apiKey: string): Promise<Server> {
  const started = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${apiKey}` };
    const forwarded = request(
      { host: '127.0.0.1', port, method: incoming.method, path: incoming.url, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      },
    );
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return started;
}

function run(
  program: string,
  parameters: readonly string[],
): Promise<{ readonly code: number | string; readonly stdout: string }> {
  return new Promise((resolve) => {
    execFile(program, parameters, (error, stdout) => resolve({ code: error?.code ?? 0, stdout }));
  });
}

it('passes every scenario of the conformance suite but those of the committed list, and none of that list', async () => {
  const { port } = proxy.address() as AddressInfo;
  const suite = ['server', '--url', `http://127.0.0.1:${port}/mcp`, '--expected-failures', BASELINE];
  // On Node.js 20 the suite lacks a function of the file system.
  const { code, stdout } = await run('npx', [
    '--yes',
    '--package=node@24',
    `--package=${SUITE}`,
    '--',
    'conformance',
    ...suite,
  ]);
  expect([code, stdout.slice(stdout.indexOf('=== SUMMARY ==='))]).toEqual([
    0,
    expect.stringContaining('✓ dns-rebinding-protection'),
  ]);
});
