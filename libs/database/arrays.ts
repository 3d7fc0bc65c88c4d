/** A value for a parameter of the type `text[]`; undefined counts as null. */
export function textArray(values: readonly (string | null | undefined)[]): readonly (string | null)[] {
  return values.map((value) => value ?? null);
}

/** A value for a parameter of an array type whose elements need no quotes: numbers, or UUIDs. */
export function plainArray(values: readonly (number | string)[]): string {
  return `{${values.join(',')}}`;
}
