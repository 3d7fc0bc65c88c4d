/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** A JSON object: the shape of event data and of request bodies. */
export type JsonObject = { readonly [name: string]: Json };

/**
 * Writes JSON with object members in code-unit order of their names (RFC 8785, section 3.2.3), so that equal bodies have the same
 * text. Used for idempotency fingerprints and for the hash chain over events.
 */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) text += `${text === '' ? '' : ','}${canonicalJson(item)}`;
    return `[${text}]`;
  }
  const object = value as JsonObject;
  for (const name of Object.keys(object).sort()) {
    const member = object[name];
    if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

/** Returns the given fields of an object: a field that is undefined was not given, one that is null was. */
export function namedFields<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as ReturnType<typeof namedFields<Fields>>;
}

/** Returns the given fields whose value differs from the current one, compared as JSON; null where none differs and nothing changes. */
export function changesOf<Fields extends object>(named: Partial<Fields>, current: Fields): Partial<Fields> | null {
  const names = Object.keys(named) as (keyof Fields)[];
  const differing = names.filter((name) => named[name] !== undefined && !isSame(named[name], current[name]));
  return differing.length === 0 ? null : (Object.fromEntries(differing.map((name) => [name, named[name]])) as Partial<Fields>);
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || canonicalJson(one as Json) === canonicalJson(other as Json);
}

/**
 * An object of an answer that the database has already written as JSON, for reads that spend most of their time on serialisation.
 * Its text is sent unchanged, so a spec must compare the writer with the response class, member by member.
 */
export class WrittenJson {
  constructor(private readonly written: string) {}

  get text(): string {
    return this.written;
  }
}
