import { canonicalJson, type Json } from './json.js';

/** The fields that an object names: one that is undefined is not named, one that is null is. */
export function namedFields<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as ReturnType<typeof namedFields<Fields>>;
}

/** Those of the named fields that have another value than now, as JSON tells values apart; null where none has: nothing changes then. */
export function changesOf<Fields extends object>(named: Partial<Fields>, current: Fields): Partial<Fields> | null {
  const names = Object.keys(named) as (keyof Fields)[];
  const differing = names.filter((name) => named[name] !== undefined && !isSame(named[name], current[name]));
  return differing.length === 0 ? null : (Object.fromEntries(differing.map((name) => [name, named[name]])) as Partial<Fields>);
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || canonicalJson(one as Json) === canonicalJson(other as Json);
}
