import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One process behind the proxy. */
interface Backend {
  readonly name: string;
  readonly address: string;
  /** The URL of its readiness check. */
  readonly health: string;
  readonly agent: Agent;
  isBeingChecked: boolean;
  failedChecks: number;
  sent: number;
}

const CHECK_MILLISECONDS = 100;
const CHECK_PATIENCE_MILLISECONDS = 4_000;
/** As in deploy/haproxy.cfg: a single failed check says little on a busy machine. */
const FAILED_CHECKS = 2;
const IDLE_MILLISECONDS = 600_000;

/**
 * A proxy like HAProxy or nginx in front of APIs. It alternates between the backends whose readiness check
 * succeeds, and keeps connections open. It uses another backend only where no connection was established, so
 * that no request is sent twice. The caller receives a 502 for any other failure.
 */
export class Proxy {
  private readonly backends: readonly Backend[];
  private readonly server: Server;
  private checking: NodeJS.Timeout | null = null;
  private next = 0;

  constructor(backends: readonly { readonly name: string; readonly address: string; readonly health: string }[]) {
    this.backends = backends.map((backend) => ({
      ...backend,
      agent: new Agent({ keepAlive: true, maxSockets: 64 }),
      isBeingChecked: false,
      failedChecks: 0,
      sent: 0,
    }));
    // Longer than any test leaves a connection idle, so that none is closed at the moment of its reuse.
    this.server = createServer(
      { keepAliveTimeout: IDLE_MILLISECONDS },
      (incoming, response) => void this.pass(incoming, response),
    );
  }

  /** Starts to listen; returns the URL, without a slash at its end. */
  async start(): Promise<string> {
    this.checking = setInterval(() => this.backends.forEach((backend) => void check(backend)), CHECK_MILLISECONDS);
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The number of requests sent to each process. */
  get sent(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.backends.map(({ name, sent }) => [name, sent]));
  }

  async stop(): Promise<void> {
    if (this.checking !== null) clearInterval(this.checking);
    for (const { agent } of this.backends) agent.destroy();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const isReady = this.backends.filter(({ failedChecks }) => failedChecks < FAILED_CHECKS);
    // Where none is ready, the running backends still answer what they can.
    const ready = isReady.length > 0 ? isReady : this.backends;
    this.next += 1;
    for (let attempt = 0; attempt < ready.length; attempt += 1) {
      const outcome = await forward(ready[(this.next + attempt) % ready.length]!, incoming, body, response);
      if (outcome !== 'not connected') return;
    }
    fail(response, `none of ${ready.length} processes took the connection`);
  }
}

function forward(
  backend: Backend,
  incoming: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<'answered' | 'not connected'> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(backend.address);
    const { connection: _, 'transfer-encoding': __, ...headers } = incoming.headers;
    const length = body.length === 0 ? {} : { 'content-length': String(body.length) };
    const onward = request(
      {
        hostname,
        port,
        path: incoming.url,
        method: incoming.method,
        headers: { ...headers, ...length },
        agent: backend.agent,
      },
      (answer) => {
        const { connection: ___, 'keep-alive': ____, ...rest } = answer.headers;
        response.writeHead(answer.statusCode!, rest);
        answer.pipe(response);
        answer.on('end', () => resolve('answered'));
        answer.on('error', () => response.destroy());
      },
    );
    onward.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') return resolve('not connected');
      fail(response, `${backend.name} broke off: ${error.message}`);
      resolve('answered');
    });
    backend.sent += 1;
    onward.end(body);
  });
}

async function check(backend: Backend): Promise<void> {
  if (backend.isBeingChecked) return;
  backend.isBeingChecked = true;
  const answer = await fetch(backend.health, { signal: AbortSignal.timeout(CHECK_PATIENCE_MILLISECONDS) }).catch(
    () => null,
  );
  await answer?.arrayBuffer();
  backend.failedChecks = answer?.status === 200 ? 0 : backend.failedChecks + 1;
  backend.isBeingChecked = false;
}

function fail(response: ServerResponse, reason: string): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(502).end(reason);
}
