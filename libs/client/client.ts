import createFetchClient, { type Client as FetchClient, type Middleware } from 'openapi-fetch';
import { type Resources, VERSION } from './generated/resources.js';
import type { paths } from './generated/schema.js';
import type { Answer } from './calls.js';
import { answered, resourcesOf } from './resources.js';
import { retryingFetch, type RetryOptions } from './retrying-fetch.js';
import { WorkforceError } from './workforce-error.js';

/**
 * The client: methods by resource (`people.list()`), and `GET`, `POST`, `PATCH` and `DELETE`, which take a
 * path of the API with its parameters.
 */
export type Client = FetchClient<paths> & Resources;

/** The options of a client. */
export interface ClientOptions {
  /**
   * The address of the service, such as `https://hr.example`; by default the origin of the page. The client
   * adds `/api/v1`.
   */
  readonly baseUrl?: string | undefined;
  /** An API key; without it the requests of a page use the session of the console. */
  readonly apiKey?: string | undefined;
  readonly retry?: RetryOptions;
  /**
   * The time limit of one attempt in milliseconds, after which it counts as a network failure; 30,000 by
   * default.
   */
  readonly timeout?: number;
  /**
   * The program that uses the client, such as `payroll-sync/2.1`, for the logs of proxies; browsers send
   * their own instead.
   */
  readonly userAgent?: string;
  /** Sends a request; the platform's `fetch` by default. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/**
 * Creates a client of one installation. Each write gets an `Idempotency-Key` unless the caller passes one,
 * and is then safe to repeat: the client repeats it if the network fails or the service is busy. A response
 * other than a success throws {@link WorkforceError}.
 */
export function createClient(options: ClientOptions = {}): Client {
  const { baseUrl = '', apiKey, retry, timeout, userAgent, fetch: send = (request) => fetch(request) } = options;
  const client = createFetchClient<paths>({
    baseUrl: `${baseUrl.replace(/\/+$/, '')}/api/v1`,
    fetch: retryingFetch(send, retry, timeout),
    headers: {
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      // In a browser, this header would need a CORS permission.
      ...(IS_BROWSER
        ? {}
        : {
            'user-agent': [userAgent, `workforce-hr-client/${VERSION}`].filter((part) => part !== undefined).join(' '),
          }),
    },
  });
  client.use(IDEMPOTENT_WRITES, ERRORS);
  return Object.assign(client, resourcesOf(client));
}

const IS_BROWSER =
  (globalThis as { readonly process?: { readonly versions?: object } }).process?.versions === undefined;

const IDEMPOTENT_WRITES: Middleware = {
  onRequest({ request }) {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead && !request.headers.has('idempotency-key')) request.headers.set('idempotency-key', crypto.randomUUID());
    return request;
  },
};

const ERRORS: Middleware = {
  async onResponse({ response }) {
    // 304 is not a failure: the caller already has the representation (If-None-Match).
    if (!response.ok && response.status !== 304) throw await WorkforceError.of(response);
  },
};

/**
 * Waits for a response and returns its body with the entity tag. Throws {@link WorkforceError}, and
 * `TypeError` if the network fails.
 *
 * @example const { data: person, entityTag } = await answerOf(client.GET('/people/{personId}',
 *   { params: { path: { personId } } }));
 */
export async function answerOf<Body extends object>(
  pending: Promise<{ readonly data?: Body; readonly response: Response }>,
): Promise<Answer<Body>> {
  return answered(await pending);
}
