import { connect, type Socket } from 'node:net';
import { answerParent } from './answer.js';
import type { Load, Throughput } from './load.js';
import { Requests } from './requests.js';

const HEAD_END = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: (\d+)/i;
/** Of a refusal, for the error message. */
const MAX_QUOTE = 500;

/**
 * One keep-alive connection with one request at a time. It knows only as much of HTTP as the servers of a
 * comparison need: answers with a content length. It costs a fraction of `node:http`, so that the generator
 * takes little of the processors that it shares with the servers.
 */
class Connection {
  private answered: { resolve: (head: string) => void; reject: (error: Error) => void } | null = null;
  private received: Buffer | null = null;

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('error', (error) => this.answered?.reject(error));
    socket.on('close', () => this.answered?.reject(new Error('the server closed the connection')));
  }

  static open(url: string): Promise<Connection> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => resolve(new Connection(socket))).once('error', reject);
    });
  }

  /**
   * Sends a request and gives the head of its answer. Rejects where the connection breaks or the answer is a
   * refusal.
   */
  ask(request: Buffer | string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.answered = { resolve, reject };
      this.socket.write(request);
    });
  }

  close(): void {
    this.socket.removeAllListeners('close').destroy();
  }

  private receive(chunk: Buffer): void {
    const all = this.received === null ? chunk : Buffer.concat([this.received, chunk]);
    this.received = all;
    const headLength = all.indexOf(HEAD_END);
    if (headLength < 0) return;
    const head = all.toString('latin1', 0, headLength);
    const length = LENGTH.exec(head)?.[1];
    if (length === undefined) return this.answered?.reject(new Error(`the answer has no content length: ${head}`));
    if (all.length < headLength + HEAD_END.length + Number(length)) return;
    this.received = null;
    if (Number(head.slice(9, 12)) < 300) this.answered?.resolve(head);
    else this.answered?.reject(new Error(`answered ${all.toString('utf8', 9, headLength + MAX_QUOTE)}`));
  }
}

const prepared = new Map<string, { readonly load: Load; readonly requests: Requests }>();

/**
 * Does work over connections of a load. They last no longer: servers close those that are idle while another
 * one is loaded.
 */
async function over<Result>(
  load: Load,
  work: (connections: readonly Connection[]) => Promise<Result>,
): Promise<Result> {
  const connections = await Promise.all(Array.from({ length: load.connections }, () => Connection.open(load.url)));
  try {
    return await work(connections);
  } finally {
    for (const connection of connections) connection.close();
  }
}

/** Prepares a load, which later runs name, and reads the entity tags that it needs. */
async function prepare({ name, load }: { name: string; load: Load }): Promise<void> {
  const requests = new Requests(load);
  await over(load, (connections) =>
    Promise.all(
      connections.map(async (connection, number) => {
        for (const [target, read] of requests.toLearn(number))
          requests.learn(number, await connection.ask(read), target);
      }),
    ),
  );
  prepared.set(name, { load, requests });
}

/** Sends requests over all connections of a load for some seconds. */
function run({ name, seconds }: { name: string; seconds: number }): Promise<Throughput> {
  const { load, requests } = prepared.get(name)!;
  return over(load, async (connections) => {
    const startedAt = performance.now();
    const endsAt = startedAt + seconds * 1_000;
    let count = 0;
    await Promise.all(
      connections.map(async (connection, number) => {
        while (performance.now() < endsAt) {
          requests.learn(number, await connection.ask(requests.next(number)));
          count += 1;
        }
      }),
    );
    return { requests: count, seconds: (performance.now() - startedAt) / 1_000 };
  });
}

/** Forgets a load. */
function forget({ name }: { name: string }): void {
  prepared.delete(name);
}

answerParent({ prepare, run, forget });
