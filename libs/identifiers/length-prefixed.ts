/**
 * Joins parts into one unambiguous text: each is preceded by its length in bytes. Ids derive from it; storage
 * format, never changed.
 */
export function lengthPrefixed(parts: readonly string[]): string {
  let text = '';
  for (const part of parts) text += `${Buffer.byteLength(part)}:${part}`;
  return text;
}
