import { hash } from 'node:crypto';
import { lengthPrefixed } from './length-prefixed.js';

/** The namespace of this product's name-based UUIDs; storage format, never changed. */
const NAMESPACE = Buffer.from('5f0f4d5c1c8e4f6d9d0b6a1f7f3c2b10', 'hex');

/** A name-based UUID (RFC 9562, version 5): the same parts always result in the same id. */
export function nameBasedUuid(...parts: readonly string[]): string {
  const hex = hash('sha1', Buffer.concat([NAMESPACE, Buffer.from(lengthPrefixed(parts))]), 'hex');
  const variant = ((Number.parseInt(hex[16]!, 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
