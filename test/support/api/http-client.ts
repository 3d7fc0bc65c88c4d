import { randomUUID } from 'node:crypto';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';

/** An answer as received. */
export interface ApiAnswer<Data = unknown> {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: {
    readonly data: Data;
    readonly pagination: { readonly next_cursor?: string };
    readonly error: ErrorBody;
  };
}

export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly request_id: string;
  readonly details?: readonly { readonly field: string; readonly issue: string }[];
}

/** The check of every answer. */
export interface Expectation {
  /** Throws with all problems of the answer. */
  assertKept(request: { readonly method: string; readonly path: string }, answer: ApiAnswer): void;
}

export interface SendOptions {
  /** Text and bytes are sent unchanged, everything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** A new one for each write where not given; null for none. */
  readonly idempotencyKey?: string | null;
  readonly ifMatch?: string | undefined;
}

const TIMEOUT_MILLISECONDS = 300_000;

/**
 * A client with one key at one address, over keep-alive connections. It checks every answer against the
 * service's own document.
 */
export class ApiClient {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(
    readonly url: string,
    readonly apiKey: string | null,
    private readonly check: Expectation,
  ) {}

  get<Data>(
    path: string,
    query: Readonly<Record<string, string | number>> = {},
    options: SendOptions = {},
  ): Promise<ApiAnswer<Data>> {
    const text = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    return this.send<Data>('GET', text === '' ? path : `${path}?${text}`, options);
  }

  post<Data>(path: string, body: unknown, options: SendOptions = {}): Promise<ApiAnswer<Data>> {
    return this.send<Data>('POST', path, { ...options, body });
  }

  /** Creates a resource by a POST, which must succeed; returns its id. */
  async make(path: string, body: unknown): Promise<string> {
    return dataOf(201, await this.post<{ readonly id: string }>(path, body)).id;
  }

  patch<Data>(path: string, body: unknown, options: SendOptions = {}): Promise<ApiAnswer<Data>> {
    return this.send<Data>('PATCH', path, { ...options, body });
  }

  /**
   * Sends a request below /api/v1. Throws what the connection throws, and where the answer breaks the
   * document.
   */
  async send<Data>(method: string, path: string, options: SendOptions = {}): Promise<ApiAnswer<Data>> {
    const { body, idempotencyKey = randomUUID(), ifMatch } = options;
    const headers: Record<string, string> = {};
    if (this.apiKey !== null) headers['authorization'] = `Bearer ${this.apiKey}`;
    if (method !== 'GET' && idempotencyKey !== null) headers['idempotency-key'] = idempotencyKey;
    if (ifMatch !== undefined) headers['if-match'] = ifMatch;
    if (body !== undefined) headers['content-type'] = 'application/json';
    Object.assign(headers, options.headers);
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
    const payload = body === undefined ? null : isRaw ? body : JSON.stringify(body);
    const answer = await this.exchange<Data>(method, path, headers, payload);
    this.check.assertKept({ method, path }, answer);
    return answer;
  }

  /** Closes the keep-alive connections. */
  close(): void {
    this.agent.destroy();
  }

  private exchange<Data>(
    method: string,
    path: string,
    headers: Record<string, string>,
    payload: string | Buffer | null,
  ): Promise<ApiAnswer<Data>> {
    return new Promise((resolve, reject) => {
      const length = payload === null ? {} : { 'content-length': String(Buffer.byteLength(payload)) };
      const target = new URL(this.url);
      const sent = request(
        {
          host: target.hostname,
          port: target.port,
          path: `/api/v1${path}`,
          method,
          headers: { ...length, ...headers },
          agent: this.agent,
          timeout: TIMEOUT_MILLISECONDS,
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            const json = (text.startsWith('{') ? JSON.parse(text) : {}) as ApiAnswer<Data>['json'];
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json });
          });
        },
      );
      sent.on('timeout', () =>
        sent.destroy(new Error(`no answer to ${method} ${path} within ${TIMEOUT_MILLISECONDS} ms`)),
      );
      sent.on('error', reject);
      sent.end(payload ?? undefined);
    });
  }
}

/** Returns the entity tag to send as If-Match. */
export function tagOf(answer: ApiAnswer): string {
  const tag = answer.headers['service-resource-etag'];
  if (typeof tag !== 'string')
    throw new Error(`no Service-Resource-ETag in an answer with status ${answer.status}: ${answer.text}`);
  return tag;
}

/** Returns the data of an answer with this status; throws with the answer where the status differs. */
export function dataOf<Data>(status: number, answer: ApiAnswer<Data>): Data {
  if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`);
  return answer.json.data;
}

/** Expects this refusal; where a field is given, the details must name it. */
export function expectError(answer: ApiAnswer, status: number, code: string, field?: string): void {
  expect([answer.status, answer.json.error?.code]).toEqual([status, code]);
  if (field !== undefined) expect(answer.json.error.details?.map((detail) => detail.field)).toContain(field);
}
