import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { writeInstrumentedCopy } from './instrument.mjs';

/** The time limit of a response or a delivery on a busy machine. */
const TIMEOUT_MILLISECONDS = 120_000;
const POLL_MILLISECONDS = 100;

/**
 * `workforce start`, instrumented, with the demo organisation in a temporary data directory. `close` stops it
 * and removes everything.
 */
export class TracedService {
  static async start(root) {
    const directory = mkdtempSync(join(tmpdir(), 'workforce-trace-'));
    const service = new TracedService(directory);
    try {
      writeInstrumentedCopy(root, directory);
      await service.#run();
      return service;
    } catch (error) {
      await service.close();
      throw error;
    }
  }

  constructor(directory) {
    this.directory = directory;
    this.functionsFile = join(directory, 'functions.json');
  }

  async #run() {
    const { PATH, HOME, TMPDIR } = process.env;
    this.process = spawn(
      process.execPath,
      [
        '--import',
        join(import.meta.dirname, 'recorder.mjs'),
        join(this.directory, 'dist', 'apps', 'cli', 'main.js'),
        'start',
        '--json',
      ],
      {
        stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
        env: {
          PATH,
          HOME,
          TMPDIR,
          TRACED_FUNCTIONS: this.functionsFile,
          WORKFORCE_DATA_DIR: join(this.directory, 'data'),
          PORT: '0',
          SANDBOX_PORT: '0',
          OPS_PORT: '0',
          LOG_LEVEL: 'error',
          WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
        },
      },
    );
    this.exited = once(this.process, 'exit');
    for await (const line of createInterface({ input: this.process.stdout })) {
      if (!line.includes('"demo":')) continue;
      const { api, demo } = JSON.parse(line);
      Object.assign(this, { api, key: demo.api_key });
      this.process.stdout.resume();
      return;
    }
    throw new Error('the instrumented service ended before it was ready');
  }

  /** Begins a recording, runs `work`, and returns the calls that `recorder.mjs` counted. */
  async record(kind, work) {
    this.process.send({ begin: kind });
    await work();
    this.process.send({ end: true });
    const [{ calls }] = await once(this.process, 'message');
    return calls;
  }

  /**
   * One request, over a connection of its own; the parsed answer. Throws unless it is 2xx. `isTraced` marks
   * it for the recorder.
   */
  async request(method, path, { body, headers = {}, isTraced = false } = {}) {
    const outgoing = httpRequest(this.api + path, {
      method,
      agent: false,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(method === 'GET' ? {} : { 'idempotency-key': randomUUID() }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(isTraced ? { 'x-traced': 'yes' } : {}),
        ...headers,
      },
    });
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = await once(outgoing, 'response', { signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS) });
    const text = (await response.toArray()).join('');
    if (response.statusCode >= 300) throw new Error(`${method} ${path} answered ${response.statusCode}: ${text}`);
    return { headers: response.headers, body: text === '' ? null : JSON.parse(text) };
  }

  async close() {
    if (this.process !== undefined && this.process.exitCode === null) {
      this.process.kill('SIGTERM');
      await this.exited;
    }
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** A receiver on loopback that accepts everything; `count` returns the number of events. */
export class Receiver {
  count = 0;

  static async start() {
    const receiver = new Receiver();
    receiver.server = createServer((request, response) => {
      receiver.count += 1;
      request.resume().on('end', () => response.writeHead(204).end());
    });
    receiver.server.listen(0, '127.0.0.1');
    await once(receiver.server, 'listening');
    receiver.url = `http://127.0.0.1:${receiver.server.address().port}/`;
    return receiver;
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** Polls until `isTrue` resolves to true. */
export async function until(isTrue) {
  const deadline = Date.now() + TIMEOUT_MILLISECONDS;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error('the condition of the trace was not reached in time');
    await wait(POLL_MILLISECONDS);
  }
}
