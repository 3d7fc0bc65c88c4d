import { connect, type Socket } from 'node:net';

/** An answer: its head as text, and how many bytes its body has. */
export interface Answer {
  readonly status: number;
  readonly head: string;
  readonly bytes: number;
}

const HEAD_END = '\r\n\r\n';
const LENGTH = 'content-length: ';
/** Of a refusal, for the error message. */
const LARGEST_QUOTE = 500;

/**
 * One keep-alive connection with one request at a time. It knows only as much of HTTP as both servers of a comparison need: answers with a
 * content length. It costs a fraction of `node:http`, so that the generator takes little of the processor that it shares with the server.
 */
export class Connection {
  private waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | null = null;
  private received: Buffer | null = null;

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('error', (error) => this.lose(error));
    socket.on('close', () => this.lose(new Error('the server closed the connection')));
  }

  /** Connects to the server of a URL. */
  static open(url: string): Promise<Connection> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new Connection(socket));
      });
    });
  }

  /** Sends a whole request. Rejects where the connection breaks or the answer is an error. */
  ask(request: Buffer | string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.socket.write(request, 'latin1');
    });
  }

  /** Closes the connection. */
  close(): void {
    this.socket.removeAllListeners('close').destroy();
  }

  private receive(chunk: Buffer): void {
    const all = this.received === null ? chunk : Buffer.concat([this.received, chunk]);
    const headLength = all.indexOf(HEAD_END);
    if (headLength < 0) return void (this.received = all);
    const head = all.toString('latin1', 0, headLength);
    const bytes = Number.parseInt(valueOf(head, LENGTH), 10);
    const length = headLength + HEAD_END.length + bytes;
    if (Number.isNaN(length)) return this.lose(new Error(`the answer has no content length: ${head}`));
    if (all.length < length) return void (this.received = all);
    this.received = null;
    const { resolve, reject } = this.waiting!;
    const status = Number(head.slice(9, 12));
    if (status < 300) resolve({ status, head, bytes });
    else reject(new Error(`answered ${status}: ${all.toString('utf8', headLength, Math.min(length, headLength + LARGEST_QUOTE))}`));
  }

  private lose(error: Error): void {
    this.waiting?.reject(error);
  }
}

/** The value of a header that is named as the server writes it, in lower case with the colon and a blank; empty without it. */
export function valueOf(head: string, name: string): string {
  const start = head.indexOf(`\r\n${name}`);
  if (start < 0) return '';
  const from = start + 2 + name.length;
  const end = head.indexOf('\r\n', from);
  return head.slice(from, end < 0 ? head.length : end);
}
