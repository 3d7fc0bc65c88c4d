import type { IdKind } from '#kernel/identifier.js';
import type { Json } from '#kernel/json.js';

/** A class whose fields have decorators of `fields.ts`. */
export type ShapeClass<Instance extends object = object> = new () => Instance;

/** The ids that a field accepts: a prefixed id, or a person id of 12 characters. */
export type IdentifierKind = IdKind | 'person';

export interface TextShape {
  readonly kind: 'text';
  /**
   * In characters (code points), both inclusive. A text with a minimum of 1 or more may not be blank either.
   */
  readonly minimumLength: number;
  readonly maximumLength: number;
  readonly format: 'email' | 'uri' | null;
  /** Whether it may contain tabs and line breaks. */
  readonly isMultiLine: boolean;
  /** Whether it is the text of a file, which may begin with a byte-order mark. */
  readonly isFile?: boolean;
  /** The source of a regular expression, and its rule in plain words. */
  readonly pattern: { readonly source: string; readonly expression: RegExp; readonly words: string } | null;
}

export interface NumericShape {
  readonly kind: 'integer' | 'number';
  readonly minimum: number;
  readonly maximum: number;
}

/**
 * The documented maximum length of a list in a response that grows with the data and is never truncated: the
 * largest 32-bit integer.
 */
export const GROWING_LIST_LENGTH = 2_147_483_647;

export interface ListShape {
  readonly kind: 'list';
  readonly item: Shape;
  readonly minimumItems: number;
  readonly maximumItems: number;
}

/** The shape of a value. Nullability and presence belong to the field. */
export type Shape =
  | TextShape
  | NumericShape
  | ListShape
  | { readonly kind: 'date' | 'date_time' | 'boolean' }
  | { readonly kind: 'enumeration'; readonly values: readonly string[] }
  | { readonly kind: 'identifier'; readonly of: IdentifierKind }
  | { readonly kind: 'object'; readonly shapeClass: () => ShapeClass }
  | { readonly kind: 'one_of'; readonly shapes: readonly Shape[] };

/** The end of an operation or of a field, as the declaration announces it. */
export interface Deprecation {
  /** The day, in UTC, from which clients should stop using it: `YYYY-MM-DD`. */
  readonly since: string;
  /** The day, in UTC, from which it may be gone, if that day is fixed. */
  readonly sunset?: string;
}

/** One field of a class: the single source of validation, documentation, metadata and serialisation. */
export interface Field {
  readonly name: string;
  readonly shape: Shape;
  readonly nullable: boolean;
  /** Requests may leave it out; answers leave it out where its value is undefined. */
  readonly optional: boolean;
  readonly description: string;
  readonly example: Json | undefined;
  /** Undefined unless the field is deprecated. */
  readonly deprecated?: Deprecation | undefined;
}

const fieldsByClass = new WeakMap<object, Map<string, Field>>();

/** Registers a field of a class; only decorators call it. */
export function registerField(shapeClass: object, field: Field): void {
  const known = fieldsByClass.get(shapeClass) ?? new Map<string, Field>();
  fieldsByClass.set(shapeClass, known.set(field.name, field));
}

/** Returns the fields of a class in the order they are written, inherited ones first. */
export function fieldsOf(shapeClass: ShapeClass): readonly Field[] {
  const fields = new Map<string, Field>();
  const lineage: object[] = [];
  for (let at: unknown = shapeClass; typeof at === 'function'; at = Object.getPrototypeOf(at)) lineage.unshift(at);
  for (const ancestor of lineage) {
    for (const [name, field] of fieldsByClass.get(ancestor) ?? []) fields.set(name, field);
  }
  return [...fields.values()];
}
