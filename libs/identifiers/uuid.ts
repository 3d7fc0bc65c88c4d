import { createHash } from 'node:crypto';

/** The namespace of this product's name-based UUIDs; storage format, never changed. */
const NAMESPACE = Buffer.from('5f0f4d5c1c8e4f6d9d0b6a1f7f3c2b10', 'hex');

/** A name-based UUID (RFC 9562, version 5): the same parts always give the same id. */
export function nameBasedUuid(...parts: readonly string[]): string {
  const hash = createHash('sha1').update(NAMESPACE);
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:${part}`);
  const bytes = hash.digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
