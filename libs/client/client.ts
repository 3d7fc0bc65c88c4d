import createFetchClient, { type Client as FetchClient, type Middleware } from 'openapi-fetch';
import { type Resources, VERSION } from './generated/resources.js';
import type { paths } from './generated/schema.js';
import type { Answer } from './calls.js';
import { answered, resourcesOf } from './resources.js';
import { retryingFetch, type RetryOptions } from './retrying-fetch.js';
import { WorkforceError } from './workforce-error.js';

/**
 * The client: methods by resource (`people.list()`), and `GET`, `POST`, `PATCH` and `DELETE`, which take a
 * path of the API and what it needs.
 */
export type Client = FetchClient<paths> & Resources;

/** What a client needs. */
export interface ClientOptions {
  /**
   * Where the service is reached, such as `https://hr.example`; the origin of the page where not given. The
   * client adds `/api/v1`.
   */
  readonly baseUrl?: string | undefined;
  /** An API key; without it the requests of a page carry the session of the console. */
  readonly apiKey?: string | undefined;
  readonly retry?: RetryOptions;
  /**
   * Milliseconds for one attempt, after which it counts as a failure of the network; 30,000 where not given.
   */
  readonly timeout?: number;
  /**
   * The program that uses the client, such as `payroll-sync/2.1`, for the log in front of the service;
   * browsers send their own instead.
   */
  readonly userAgent?: string;
  /** Sends a request; the platform's `fetch` where not given. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/**
 * Makes a client of one installation. Each write gets an `Idempotency-Key` where the caller gives none, and
 * is then safe to repeat: the client repeats it where the network fails or the service is busy. An answer
 * that is no success throws {@link WorkforceError}.
 */
export function createClient(options: ClientOptions = {}): Client {
  const { baseUrl = '', apiKey, retry, timeout, userAgent, fetch: send = (request) => fetch(request) } = options;
  const client = createFetchClient<paths>({
    baseUrl: `${baseUrl.replace(/\/+$/, '')}/api/v1`,
    fetch: retryingFetch(send, retry, timeout),
    headers: {
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      // In a browser it would need a permission of CORS.
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
    // Nothing failed where a caller who asks by If-None-Match has what the service would send.
    if (!response.ok && response.status !== 304) throw await WorkforceError.of(response);
  },
};

/**
 * Waits for an answer and returns its body with the entity tag. Throws {@link WorkforceError}, and
 * `TypeError` where the network fails.
 *
 * @example const { data: person, entityTag } = await answerOf(client.GET('/people/{personId}',
 *   { params: { path: { personId } } }));
 */
export async function answerOf<Body extends object>(
  pending: Promise<{ readonly data?: Body; readonly response: Response }>,
): Promise<Answer<Body>> {
  return answered(await pending);
}
