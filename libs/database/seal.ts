import { createCipheriv, createDecipheriv, randomFillSync } from 'node:crypto';

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

/** Random bytes for the next nonces: generating each nonce alone costs nearly as much as encrypting. */
const nonces = Buffer.alloc(256 * NONCE_BYTES);
let nextNonce = nonces.length;

/**
 * Encrypts bytes with a key of 32 bytes (AES-256-GCM). Returns a version byte, a nonce, a tag and the
 * ciphertext; this is a storage format. Each call returns different bytes.
 *
 * @param boundTo - the owner of the bytes; they cannot be decrypted for another owner
 */
export function sealBytes(bytes: Buffer, key: Buffer, boundTo = ''): Buffer {
  const sealed = Buffer.allocUnsafe(HEAD_BYTES + bytes.length);
  sealed[0] = VERSION;
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  fillNonce(nonce);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  if (boundTo !== '') cipher.setAAD(Buffer.from(boundTo));
  cipher.update(bytes).copy(sealed, HEAD_BYTES);
  cipher.final();
  cipher.getAuthTag().copy(sealed, 1 + NONCE_BYTES);
  return sealed;
}

function fillNonce(nonce: Buffer): void {
  if (nextNonce === nonces.length) {
    randomFillSync(nonces);
    nextNonce = 0;
  }
  nextNonce += nonces.copy(nonce, 0, nextNonce, nextNonce + NONCE_BYTES);
}

/**
 * Decrypts the result of {@link sealBytes}. Throws for another key, an altered byte and an unknown version.
 */
export function openBytes(sealed: Buffer, key: Buffer, boundTo = ''): Buffer {
  if (sealed[0] !== VERSION)
    throw new Error(`data is encrypted in format ${sealed[0]}, which this program does not support`);
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const tag = sealed.subarray(1 + NONCE_BYTES, HEAD_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  if (boundTo !== '') decipher.setAAD(Buffer.from(boundTo));
  decipher.setAuthTag(tag);
  // GCM has no final block: the end only checks the tag.
  const opened = decipher.update(sealed.subarray(HEAD_BYTES));
  decipher.final();
  return opened;
}
