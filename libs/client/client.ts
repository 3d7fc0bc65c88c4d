import createFetchClient, { type Client as FetchClient, type Middleware } from 'openapi-fetch';
import type { paths } from './generated/schema.js';
import { retryingFetch, type RetryOptions } from './retrying-fetch.js';
import { WorkforceError } from './workforce-error.js';

/** The client: `GET`, `POST`, `PATCH` and `DELETE` take a path of the API and what it needs, and are typed by it. */
export type Client = FetchClient<paths>;

/** What a client needs. */
export interface ClientOptions {
  /** Where the service is reached, such as `https://hr.example`; the origin of the page where not given. The client adds `/api/v1`. */
  readonly baseUrl?: string;
  /** An API key; without it the requests of a page carry the session of the console. */
  readonly apiKey?: string;
  readonly retry?: RetryOptions;
  /** Sends a request; the platform's `fetch` where not given. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/**
 * Makes a client of one installation. Each write gets an `Idempotency-Key` where the caller gives none, and is then safe to repeat: the client
 * repeats it where the network fails or the service is busy. An answer that is no success throws {@link WorkforceError}.
 */
export function createClient({ baseUrl = '', apiKey, retry, fetch: send = (request) => fetch(request) }: ClientOptions = {}): Client {
  const client = createFetchClient<paths>({
    baseUrl: `${baseUrl.replace(/\/+$/, '')}/api/v1`,
    fetch: retryingFetch(send, retry),
    ...(apiKey === undefined ? {} : { headers: { authorization: `Bearer ${apiKey}` } }),
  });
  client.use(IDEMPOTENT_WRITES, ERRORS);
  return client;
}

const IDEMPOTENT_WRITES: Middleware = {
  onRequest({ request }) {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead && !request.headers.has('idempotency-key')) request.headers.set('idempotency-key', crypto.randomUUID());
    return request;
  },
};

const ERRORS: Middleware = {
  async onResponse({ response }) {
    if (!response.ok) throw await WorkforceError.of(response);
  },
};

/** The body of an answer with its entity tag. */
export type Answer<Body> = Body & {
  /** For `If-Match` of the next write; null where the answer has none. */
  readonly entityTag: string | null;
};

/**
 * Waits for an answer and returns its body with the entity tag. Throws {@link WorkforceError}, and `TypeError` where the network fails.
 *
 * @example const { data: person, entityTag } = await answerOf(client.GET('/people/{personId}', { params: { path: { personId } } }));
 */
export async function answerOf<Body extends object>(
  pending: Promise<{ readonly data?: Body; readonly response: Response }>,
): Promise<Answer<Body>> {
  const { data, response } = await pending;
  if (data === undefined) throw new TypeError(`the answer ${response.status} has no body`);
  return { ...data, entityTag: response.headers.get('service-resource-etag') };
}
