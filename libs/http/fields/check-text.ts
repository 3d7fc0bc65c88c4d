import type { Issue } from '#kernel/rejection.js';
import type { Checked } from './checked.js';
import { lineProblem } from '#kernel/plain-text.js';
import { asIdentifier, problemOf } from './problem.js';
import { fieldsOf, type Shape, type ShapeClass } from './shape.js';

/** What a query or a path says: text only, several where a name stands more than once. */
export type TextValues = Readonly<Record<string, string | readonly string[] | undefined>>;

const WHOLE_NUMBER = /^-?\d{1,16}$/;
const DECIMAL_NUMBER = /^-?\d{1,16}(?:\.\d{1,16})?$/;
const LONGEST_NAME = 100;

/** Compiles the check of a query or of path parameters against a class. Unlike in bodies, numbers are read from text. */
export function compileTextCheck(shapeClass: ShapeClass | undefined): (values: TextValues) => Checked {
  const fields = shapeClass === undefined ? [] : fieldsOf(shapeClass);
  const known = new Set(fields.map(({ name }) => name));
  return (values) => {
    const value: Record<string, unknown> = {};
    const issues: Issue[] = [];
    for (const name in values) {
      if (!known.has(name)) issues.push({ field: name.slice(0, LONGEST_NAME), issue: 'is not a parameter of this request' });
    }
    for (const field of fields) {
      const given = values[field.name];
      if (given === undefined) {
        if (!field.optional) issues.push({ field: field.name, issue: 'is required' });
        continue;
      }
      const read = typeof given === 'string' ? readValue(field.shape, given) : { issue: 'must be given once' };
      if ('value' in read) value[field.name] = read.value;
      else issues.push({ field: field.name, issue: read.issue });
    }
    return { value, issues };
  };
}

type Read = { readonly value: unknown } | { readonly issue: string };

function readValue(shape: Shape, text: string): Read {
  if (shape.kind === 'identifier') return { value: asIdentifier(shape.of, text) };
  const characters = lineProblem(text);
  if (characters !== null) return { issue: characters };
  const value = coerce(shape, text);
  const problem = problemOf(shape, value);
  if (problem !== null) return { issue: problem };
  return { value: shape.kind === 'date_time' ? new Date(text).toISOString() : value };
}

function coerce(shape: Shape, text: string): unknown {
  if (shape.kind === 'integer') return WHOLE_NUMBER.test(text) ? Number(text) : text;
  if (shape.kind === 'number') return DECIMAL_NUMBER.test(text) ? Number(text) : text;
  if (shape.kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}
