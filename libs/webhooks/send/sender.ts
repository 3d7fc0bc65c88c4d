import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { ConnectError, Connections, type ConnectOptions, type Destination } from './connections.js';
import { type Exchange, ExchangeRecorder } from './exchange.js';
import { retryAfterMs } from './retry-after.js';
import type { ReceiveLimiter } from './receive-limiter.js';
import {
  ExchangeError,
  type FailureClass,
  failureClassOf,
  failureMessageOf,
  isNetworkError,
  isReset,
  NoAnswerError,
  TooMuchError,
} from './send-failure.js';
import type { UrlGuard, VettedUrl } from '../url-guard/url-guard.js';

/** The input of an attempt. */
export interface Outgoing {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The result of an attempt. `durationMs` ends with the headers of the answer, or with the failure. */
export type Sent = { readonly exchange: Exchange } & (
  | { readonly outcome: 'delivered'; readonly httpStatus: number; readonly durationMs: number }
  | {
      readonly outcome: 'failed';
      readonly failureClass: FailureClass;
      readonly httpStatus: number | null;
      /** A fixed sentence of at most 200 characters, without addresses or text of the receiver. */
      readonly failureMessage: string;
      /** The pause that the receiver requested with 3xx, 408, 429 or 5xx, at most 24 hours. */
      readonly retryAfterMs: number | null;
      readonly durationMs: number;
    }
);

export interface SenderSettings {
  readonly guard: UrlGuard;
  /** The time limit of a connection, including TLS. 5,000 by default. */
  readonly connectMs?: number;
  /** The time limit of the whole attempt, whatever the receiver does. 15,000 by default. */
  readonly attemptMs?: number;
  /** Trusted certificates in PEM, in addition to the default ones. */
  readonly ca?: readonly string[];
}

interface Answer {
  readonly httpStatus: number;
  readonly retryAfter: string | undefined;
  /** `performance.now()` when the headers had arrived. */
  readonly at: number;
}

const MAX_HEADER_BYTES = 16 * 1_024;
/** The time to wait for a body: its beginning is stored, and the connection can be reused after its end. */
const BODY_MILLISECONDS = 1_000;
/** The maximum number of addresses that are tried. */
const ADDRESSES_TRIED = 4;

/**
 * Makes attempts: consults the guard, connects to a vetted address, posts, and records the status. Follows no
 * redirect and decompresses nothing.
 */
export class Sender {
  private readonly guard: UrlGuard;
  private readonly limits: { readonly connectMs: number; readonly attemptMs: number };
  private readonly connections: Connections;
  private readonly inFlight = new Set<Promise<Sent>>();

  constructor({ guard, connectMs = 5_000, attemptMs = 15_000, ca = [] }: SenderSettings) {
    this.guard = guard;
    this.limits = { connectMs, attemptMs };
    this.connections = new Connections(ca);
  }

  /**
   * Makes one attempt. Rejects only for errors that the receiver does not cause, such as a header that HTTP
   * cannot carry.
   */
  send(outgoing: Outgoing): Promise<Sent> {
    const attempt = this.attempt(outgoing, performance.now());
    this.inFlight.add(attempt);
    const forget = (): void => void this.inFlight.delete(attempt);
    attempt.then(forget, forget);
    return attempt;
  }

  /** Waits for the attempts in progress, and closes the connections. */
  async close(): Promise<void> {
    await Promise.allSettled(this.inFlight);
    this.connections.destroy();
  }

  private async attempt(outgoing: Outgoing, startedAt: number): Promise<Sent> {
    const recorder = new ExchangeRecorder(outgoing.url, startedAt);
    try {
      const { httpStatus, retryAfter, at } = await this.answerTo(outgoing, recorder, startedAt + this.limits.attemptMs);
      const durationMs = Math.round(at - startedAt);
      const { exchange } = recorder;
      if (httpStatus >= 200 && httpStatus < 300) return { exchange, outcome: 'delivered', httpStatus, durationMs };
      const failureClass = failureClassOf(httpStatus);
      const pause = failureClass === 'http_retryable' ? retryAfterMs(retryAfter, Date.now()) : null;
      return {
        exchange,
        outcome: 'failed',
        failureClass,
        httpStatus,
        failureMessage: `HTTP ${httpStatus}`,
        retryAfterMs: pause,
        durationMs,
      };
    } catch (error) {
      if (!isNetworkError(error)) throw error;
      const durationMs = Math.round(performance.now() - startedAt);
      return {
        exchange: recorder.exchange,
        outcome: 'failed',
        failureClass: 'network',
        httpStatus: null,
        failureMessage: failureMessageOf(error, this.limits),
        retryAfterMs: null,
        durationMs,
      };
    }
  }

  private async answerTo(outgoing: Outgoing, recorder: ExchangeRecorder, until: number): Promise<Answer> {
    const vetted = await inTime(this.guard.vet(outgoing.url), until);
    recorder.reached('resolved');
    const addresses = vetted.addresses.slice(0, ADDRESSES_TRIED);
    const connectUntil = Math.min(performance.now() + this.limits.connectMs, until);
    for (const [index, { address }] of addresses.entries()) {
      const isLast = index === addresses.length - 1;
      const connectMs = Math.max(1, (connectUntil - performance.now()) / (addresses.length - index));
      try {
        const destination = { address, ...namedIn(vetted) };
        return await this.postTo(destination, vetted.url, outgoing, { connectMs, until, recorder });
      } catch (error) {
        if (isLast || !(error instanceof ConnectError) || error.stage !== 'tcp') throw error;
      }
    }
    throw new TypeError('a URL was vetted that has no address');
  }

  private async postTo(
    destination: Destination,
    url: URL,
    { headers, body }: Outgoing,
    { connectMs, until, recorder }: { connectMs: number; until: number; recorder: ExchangeRecorder },
  ): Promise<Answer> {
    const complete = {
      ...headers,
      host: url.host,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': 'Workforce-HR-Webhooks/1',
      accept: '*/*',
      'accept-encoding': 'identity',
    };
    const options: ConnectOptions = {
      agent: this.connections,
      destination,
      connectMs,
      method: 'POST',
      host: destination.address,
      port: destination.port,
      path: url.pathname + url.search,
      setHost: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      headers: headerLines(complete),
    };
    const limits = { until, limiter: this.connections.limiter, recorder, headers: complete };
    const first = httpRequest(options);
    try {
      return await answerOf(first, body, limits);
    } catch (error) {
      // The receiver may have closed an idle connection by then; that is not a failure of the receiver.
      if (!first.reusedSocket || !isReset(error)) throw error;
      this.connections.closeIdle(destination);
      return answerOf(httpRequest(options), body, limits);
    }
  }
}

/**
 * Alternating names and values: Node writes such a list unchanged, and would first build a table from an
 * object, at a sixth of the request's cost.
 */
function headerLines(headers: Outgoing['headers']): readonly string[] {
  return Object.entries(headers).flat();
}

/** Sends the body and waits for the headers of the answer, and briefly for its body. */
function answerOf(
  request: ClientRequest,
  body: string,
  {
    until,
    limiter,
    recorder,
    headers,
  }: {
    readonly until: number;
    readonly limiter: ReceiveLimiter;
    readonly recorder: ExchangeRecorder;
    readonly headers: Outgoing['headers'];
  },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let answer: Answer | null = null;
    const giveUp = (reason: NoAnswerError | TooMuchError): void => {
      clearTimeout(timer);
      // Reported here, because a request that still waits for its connection does not report that it was
      // destroyed. After the status it has no effect.
      if (answer === null) reject(reason);
      request.destroy();
    };
    const timer = setTimeout(() => giveUp(new NoAnswerError()), until - performance.now());
    request.once('socket', (socket) => {
      recorder.reached('connected');
      recorder.sends(headers);
      const endWatch = limiter.watchAttempt(socket, () => giveUp(new TooMuchError()));
      request.once('close', endWatch);
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      // After the status, a body that is not HTTP has no effect.
      if (answer !== null) return resolve(answer);
      reject(isNetworkError(error) ? error : new ExchangeError(error.code ?? 'UNKNOWN'));
    });
    request.once('response', (response: IncomingMessage) => {
      clearTimeout(timer);
      const at = performance.now();
      const answered: Answer = (answer = {
        httpStatus: response.statusCode!,
        retryAfter: response.headers['retry-after'],
        at,
      });
      recorder.reached('answered', at);
      recorder.receives(response);
      letGo(response, Math.min(BODY_MILLISECONDS, until - at), () => resolve(answered));
    });
    // Without a listener, Node drops such a connection silently.
    request.once('upgrade', (response, socket) => {
      clearTimeout(timer);
      socket.destroy();
      recorder.reached('answered');
      recorder.receives(response);
      resolve({ httpStatus: response.statusCode!, retryAfter: undefined, at: performance.now() });
    });
    request.end(body);
  });
}

/** Drains a body, so that its connection can be reused, or closes the connection if the body is slow. */
function letGo(response: IncomingMessage, milliseconds: number, done: () => void): void {
  const timer = setTimeout(() => response.destroy(), milliseconds);
  response.resume();
  // An incomplete body has no effect on the status either.
  response.on('error', () => undefined);
  response.once('close', () => {
    clearTimeout(timer);
    done();
  });
}

function namedIn({ hostname, port, isPlain }: VettedUrl): Omit<Destination, 'address'> {
  return { hostname, port, isPlain, isLiteral: isIP(hostname) !== 0 };
}

async function inTime<T>(work: Promise<T>, until: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswerError()), until - performance.now());
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
