import { BinaryRows } from './binary-rows.js';

const USUAL_BYTES = 64 * 1_024;
/** A larger buffer is not kept, because one write of that size may be the only one. */
const MOST_KEPT_BYTES = 1_024 * 1_024;

let scratch = new BinaryRows(USUAL_BYTES);

/**
 * A value for a parameter of the type `text[]`, in PostgreSQL's binary format; undefined counts as null. As text, the array would have to be escaped here and
 * parsed there, character by character, which JSON with its quotes makes dear.
 */
export function textArray(values: readonly (string | null | undefined)[]): Buffer {
  // A call that failed may have left some.
  scratch.clear();
  scratch.texts(values);
  const array = scratch.copy();
  if (array.length > MOST_KEPT_BYTES) scratch = new BinaryRows(USUAL_BYTES);
  return array;
}

/** A value for a parameter of an array type whose elements need no quotes: numbers, or UUIDs. */
export function plainArray(values: readonly (number | string)[]): string {
  return `{${values.join(',')}}`;
}
