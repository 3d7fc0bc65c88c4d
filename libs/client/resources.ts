import type { Client as FetchClient } from 'openapi-fetch';
import { type Resources, SHAPES } from './generated/resources.js';
import type { paths } from './generated/schema.js';
import type { Answer, Shape, WriteOptions } from './calls.js';
import { type Page, pages } from './pages.js';

interface Received {
  readonly data?: object;
  readonly response: Response;
}

/** Sends one request; the types of `Resources` ensure that its options match its path. */
type Send = (verb: Shape['verb'], path: string, init: object) => Promise<Received>;

/** Returns the methods by resource over a client of paths. */
export function resourcesOf(client: FetchClient<paths>): Resources {
  const send = client.request as unknown as Send;
  const methods = Object.entries(SHAPES).map(([resource, shapes]) => {
    return [
      resource,
      Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, methodOf(send, shape)])),
    ] as const;
  });
  return Object.fromEntries(methods) as unknown as Resources;
}

function methodOf(
  send: Send,
  { verb, path, kind, hasQuery, hasBody }: Shape,
): (...values: readonly unknown[]) => unknown {
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  return (...values) => {
    const remaining = [...values];
    const named = Object.fromEntries(ids.map((name) => [name, remaining.shift()]));
    const query = hasQuery ? ((remaining.shift() as object | undefined) ?? {}) : {};
    const body = hasBody ? remaining.shift() : undefined;
    const { signal, idempotencyKey, ifMatch } = (remaining.shift() as WriteOptions | undefined) ?? {};
    const header = {
      ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
      ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }),
    };
    const request = (paging: object = {}): Promise<Received> =>
      send(verb, path, {
        params: { path: named, query: { ...query, ...paging }, header },
        ...(body === undefined ? {} : { body }),
        ...(signal === undefined ? {} : { signal }),
      });
    if (kind === 'list')
      return pages(
        (cursor) => request(cursor === undefined ? {} : { cursor }) as Promise<{ readonly data?: Page<unknown> }>,
      );
    return kind === 'none' ? request().then(() => undefined) : request().then(answered);
  };
}

/** The body of a response with the entity tag of its resource. */
export function answered<Body extends object>({
  data,
  response,
}: {
  readonly data?: Body;
  readonly response: Response;
}): Answer<Body> {
  if (data === undefined) throw new TypeError(`the response ${response.status} has no body`);
  return { ...data, entityTag: response.headers.get('service-resource-etag') };
}
