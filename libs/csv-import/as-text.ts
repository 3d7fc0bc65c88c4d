/** A value in the form of import reports; null for none. */
export function asText(value: string | number | null | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}
