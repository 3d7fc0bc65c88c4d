import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts bytes with a key of 32 bytes (AES-256-GCM). Returns a version byte, a nonce, a tag and the ciphertext; this is a
 * storage format. Each call returns different bytes.
 *
 * @param boundTo - the owner of the bytes; they cannot be decrypted for another owner
 */
export function sealBytes(bytes: Buffer, key: Buffer, boundTo = ''): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(boundTo));
  const encrypted = [cipher.update(bytes), cipher.final()];
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), ...encrypted]);
}

/** Decrypts what {@link sealBytes} encrypted. Throws for another key, an altered byte and an unknown version. */
export function openBytes(sealed: Buffer, key: Buffer, boundTo = ''): Buffer {
  if (sealed[0] !== VERSION) throw new Error(`data is encrypted in format ${sealed[0]}, which this program does not support`);
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(boundTo));
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(sealed.subarray(1 + NONCE_BYTES + TAG_BYTES)), decipher.final()]);
}
