import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as received. */
export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The raw text. */
  readonly body: string;
  /** `Date.now()` when the whole request had arrived. */
  readonly at: number;
}

/** Answers a request, or leaves it without an answer. */
export type Behaviour = (request: ReceivedRequest, response: ServerResponse, count: number) => void;

/** A receiver of webhooks on the loopback address. */
export class Receiver {
  readonly requests: ReceivedRequest[] = [];
  behaviour: Behaviour;
  private readonly server: Server;
  private readonly waiting = new Set<() => void>();

  constructor(behaviour: Behaviour = (_, response) => response.writeHead(200).end()) {
    this.behaviour = behaviour;
    this.server = createServer({ keepAliveTimeout: 60_000 }, (incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const request = {
          path: incoming.url ?? '',
          headers: incoming.headers,
          body: Buffer.concat(chunks).toString(),
          at: Date.now(),
        };
        this.requests.push(request);
        this.behaviour(request, response, this.requests.length);
        for (const look of [...this.waiting]) look();
      });
      incoming.on('error', () => undefined);
    });
  }

  /** Starts to listen; returns the URL, without a slash at its end. */
  async start(port = 0): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(port, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Resolves when the received requests meet the condition. */
  until(condition: (requests: readonly ReceivedRequest[]) => boolean, milliseconds = 600_000): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => end(() => reject(new Error(`not within ${milliseconds} ms; ${this.requests.length} requests came`))),
        milliseconds,
      );
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        this.waiting.delete(look);
        settle();
      };
      const look = (): void => {
        if (condition(this.requests)) end(resolve);
      };
      this.waiting.add(look);
      look();
    });
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
