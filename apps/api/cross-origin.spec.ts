import 'reflect-metadata';
import { REQUEST_HEADERS, RESPONSE_HEADERS } from '#http/pipeline/cross-origin.js';
import { openApiText } from './openapi-text.js';

/** Returns every value below a member of this name, at any depth. */
function valuesOf(node: unknown, name: string): readonly unknown[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([member, value]) => [
    ...(member === name ? [value] : []),
    ...valuesOf(value, name),
  ]);
}

describe('the headers that other origins may send and read', () => {
  const { paths, components } = JSON.parse(openApiText()) as { readonly paths: object; readonly components: object };

  it('have each header parameter of the OpenAPI document', () => {
    const parameters = valuesOf({ paths, components }, 'parameters').flat() as readonly {
      readonly in?: string;
      readonly name: string;
    }[];
    const named = new Set(parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name));
    expect(named.size).toBeGreaterThan(0);
    expect([...named].filter((name) => !REQUEST_HEADERS.includes(name))).toEqual([]);
  });

  it('have each response header of the OpenAPI document', () => {
    const responses = valuesOf({ paths, components }, 'responses').flatMap((byStatus) =>
      Object.values(byStatus as object),
    ) as readonly { readonly headers?: object }[];
    const named = new Set(responses.flatMap(({ headers }) => Object.keys(headers ?? {})));
    expect(named.size).toBeGreaterThan(0);
    expect([...named].filter((name) => !RESPONSE_HEADERS.includes(name))).toEqual([]);
  });
});
