import { randomInt } from 'node:crypto';
import type { Json, JsonObject } from '#kernel/json.js';
import { ID_PREFIXES } from '#kernel/identifier.js';
import { type Field, fieldsOf, type IdentifierKind, type Shape, type ShapeClass } from '#http/fields/shape.js';
import { chance, dayBetween, NothingThereError, oneOf, plainText, text } from '../session/chance.js';

/** Returns an id of a kind, as `idKindOf` names kinds; null where there is none. */
export type IdOf = (kind: string) => Promise<string | null>;

/** The largest distance of a random number from its lower bound. */
const NUMBER_RANGE = 1_000_000;
/** The most characters of a text that `text()` returns. */
const DEFAULT_TEXT_LENGTH = 24;

/** Returns the name of a kind of id in the tests: `person`, or the prefix. */
export function nameOfKind(kind: IdentifierKind): string {
  return kind === 'person' ? kind : ID_PREFIXES[kind];
}

/**
 * Returns a random body that this class accepts, with every field for which `keeps` returns true. An id
 * without an existing resource is left out, or null, where its field allows it. Throws `NothingThereError`
 * where it does not.
 */
export async function validBody(
  shapeClass: ShapeClass,
  idOf: IdOf,
  keeps: (field: Field) => boolean = () => true,
): Promise<JsonObject> {
  const body: Record<string, Json> = {};
  for (const field of fieldsOf(shapeClass).filter((one) => !one.optional || keeps(one))) {
    try {
      body[field.name] = await validValue(field.shape, idOf, field.example);
    } catch (error) {
      if (!(error instanceof NothingThereError) || !(field.optional || field.nullable)) throw error;
      if (!field.optional) body[field.name] = null;
    }
  }
  return body;
}

/**
 * Returns such a body in which each optional field is present with a probability of one half; at least one
 * field is present.
 */
export async function validBodyOfSome(shapeClass: ShapeClass, idOf: IdOf): Promise<JsonObject> {
  const optional = fieldsOf(shapeClass).filter((field) => field.optional);
  const kept = new Set([...optional.filter(() => chance(50)), ...(optional.length > 0 ? [oneOf(optional)] : [])]);
  return validBody(shapeClass, idOf, (field) => kept.has(field));
}

async function validValue(shape: Shape, idOf: IdOf, example: Json | undefined): Promise<Json> {
  switch (shape.kind) {
    case 'text':
      return validText(shape, example);
    case 'date':
      return dayBetween('2024-01-01', '2027-12-31');
    case 'date_time':
      return `${dayBetween('2024-01-01', '2027-12-31')}T12:34:56Z`;
    case 'boolean':
      return chance(50);
    case 'integer':
    case 'number': {
      const minimum = Math.max(shape.minimum, shape.maximum - NUMBER_RANGE, Math.min(0, shape.maximum));
      return minimum + randomInt(Math.min(shape.maximum - minimum, NUMBER_RANGE) + 1);
    }
    case 'enumeration':
      return oneOf(shape.values);
    case 'identifier': {
      const id = await idOf(nameOfKind(shape.of));
      if (id === null) throw new NothingThereError(`there is no id of the kind ${shape.of}`);
      return id;
    }
    case 'object':
      return validBody(shape.shapeClass(), idOf);
    case 'list': {
      const length = Math.min(shape.maximumItems, Math.max(shape.minimumItems, 1 + randomInt(3)));
      const items: Json[] = [];
      while (items.length < length)
        items.push(await validValue(shape.item, idOf, Array.isArray(example) ? example[0] : undefined));
      return items;
    }
    case 'one_of':
      return validValue(oneOf(shape.shapes), idOf, example);
  }
}

function validText(shape: Shape & { readonly kind: 'text' }, example: Json | undefined): string {
  // A text with a pattern: only the example certainly matches it.
  if (shape.pattern !== null) {
    if (typeof example !== 'string') throw new Error(`a text that ${shape.pattern.words} has no example`);
    return example;
  }
  if (shape.format === 'email') return `${plainText()}@example.com`;
  if (shape.format === 'uri') return `https://example.com/${plainText()}`;
  const usual = shape.maximumLength < DEFAULT_TEXT_LENGTH ? plainText().slice(-shape.maximumLength) : text();
  return usual.padEnd(shape.minimumLength, 'x');
}
