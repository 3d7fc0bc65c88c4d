import type { OpenApiDocument } from './answer-check.js';
import { idKindOf, randomId, type Schema, type WalkedOperation } from './document-walk.js';
import type { SendOptions } from './http-client.js';

/** A request made from the document's examples. */
export interface ExampleRequest {
  readonly method: string;
  /** Below /api/v1, with the query that is required. */
  readonly path: string;
  readonly options: SendOptions;
}

/** Returns the example of an operation. Its path has ids of no resource, unless `idOf` returns others. */
export function exampleRequest(
  { method, template, operation }: WalkedOperation,
  idOf: (kind: string) => string = randomId,
): ExampleRequest {
  const at = (place: string, onlyRequired: boolean) =>
    operation.parameters.filter((one) => one.in === place && (one.required || !onlyRequired));
  const ids = new Map(at('path', false).map(({ name, schema }) => [name, idIn(schema as Schema, idOf)]));
  const query = new URLSearchParams(
    at('query', true).map(({ name, schema }): [string, string] => [name, String((schema as Schema).examples![0])]),
  ).toString();
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => ids.get(name)!);
  const ifMatch = at('header', true).some(({ name }) => name === 'If-Match') ? '"p0.e0.aaaaaaaa"' : undefined;
  const body = operation.requestBody?.content['application/json'].example;
  return { method, path: query === '' ? path : `${path}?${query}`, options: { body, ifMatch } };
}

/** An id of a resource, or the example of what is none, such as a request's. */
function idIn(schema: Schema, idOf: (kind: string) => string): string {
  const kind = idKindOf(schema);
  return kind === null ? String(schema.examples![0]) : idOf(kind);
}

/** Returns the operation of the document with this method and path template. Throws where there is none. */
export function walkedOperation(document: OpenApiDocument, method: string, template: string): WalkedOperation {
  const operation = document.paths[template]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`the document has no ${method} ${template}`);
  return { method, template, operation };
}
