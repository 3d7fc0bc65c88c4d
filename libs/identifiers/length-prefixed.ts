/**
 * Parts as one text from which they can be told again: each has its length in bytes before it. What ids
 * derive from; storage format, never changed.
 */
export function lengthPrefixed(parts: readonly string[]): string {
  let text = '';
  for (const part of parts) text += `${Buffer.byteLength(part)}:${part}`;
  return text;
}
