import { hash } from 'node:crypto';
import type { Statement } from './transaction.js';

/** SQL composed of parts. Values stay apart from the text: each becomes a parameter of the statement. */
export class Sql {
  /** @param parts - one more than there are values: the text before, between and after them */
  constructor(
    readonly parts: readonly string[],
    readonly values: unknown[],
  ) {}

  /** The text with numbered parameters. */
  get text(): string {
    return this.parts.reduce((text, part, place) => `${text}$${place}${part}`);
  }
}

/** A part of a statement; an inserted item is either another part or a value. */
export function sql(texts: TemplateStringsArray, ...inserted: readonly unknown[]): Sql {
  const parts = [texts[0]!];
  const values: unknown[] = [];
  inserted.forEach((one, index) => {
    if (one instanceof Sql) {
      parts[parts.length - 1] += one.parts[0]!;
      parts.push(...one.parts.slice(1));
      values.push(...one.values);
    } else {
      parts.push('');
      values.push(one);
    }
    parts[parts.length - 1] += texts[index + 1]!;
  });
  return new Sql(parts, values);
}

/** A part of text from the program's source: it must never contain parts of a request. */
export function raw(text: string): Sql {
  return new Sql([text], []);
}

/** Joins the parts with a text between them. */
export function joined(parts: readonly Sql[], between: string): Sql {
  return parts.reduce((before, part) => sql`${before}${raw(between)}${part}`);
}

/** Joins the conditions with `and`. */
export function allOf(conditions: readonly Sql[]): Sql {
  return joined(conditions, ' and ');
}

const names = new Map<string, string>();

/**
 * A statement that each connection plans once for any values. Its name follows from its text, so that one
 * name has one text. A query whose plan depends on its values (a filter that few rows match, or nearly all)
 * is sent without a name.
 */
export function prepared(query: Sql): Statement {
  const { text } = query;
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = hash('sha256', text, 'base64url')));
  return { name, text, values: query.values };
}
