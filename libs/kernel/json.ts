/** Any value that JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** A JSON object: the shape of event data and of request bodies. */
export type JsonObject = { readonly [name: string]: Json };

/**
 * Writes JSON with object members in code-unit order of their names (RFC 8785, section 3.2.3), so that two bodies that
 * say the same have the same text. Used for idempotency fingerprints and for the hash chain over events.
 */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item: Json) => canonicalJson(item)).join(',')}]`;
  const object = value as JsonObject;
  const members = Object.keys(object)
    .filter((name) => object[name] !== undefined)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(object[name]!)}`);
  return `{${members.join(',')}}`;
}
