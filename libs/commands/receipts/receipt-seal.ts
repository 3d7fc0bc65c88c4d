import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals the receipt of one caller with what only the caller brings: the API key itself, of which the service keeps nothing
 * but a hash. A repeat opens it, and nobody who holds the table does (AES-256-GCM; docs/reference/personal-data.md).
 */
export class ReceiptSeal {
  private readonly key: Buffer;

  /** @param authorization - the header of a request that was let in */
  constructor(authorization: string) {
    this.key = Buffer.from(hkdfSync('sha256', authorization.trim().replace(/^\S+ +/, ''), '', 'receipts of writes', KEY_BYTES));
  }

  /** The fingerprint as it rests: from a hash of the body one could find a choice among a few by trying them all. */
  fingerprint(fingerprint: string): string {
    return createHmac('sha256', this.key).update(fingerprint).digest('hex');
  }

  /** The body of an answer as it rests: base64 of nonce, tag and what was encrypted. */
  seal(body: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce);
    const encrypted = Buffer.concat([cipher.update(body, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64');
  }

  /** What {@link seal} sealed. Throws for what another API key sealed. */
  open(sealed: string): string {
    const bytes = Buffer.from(sealed, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', this.key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
  }
}
