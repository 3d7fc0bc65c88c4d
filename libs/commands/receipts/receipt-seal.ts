import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts a receipt with a secret that only the caller has: the API key or the token of a session, of which
 * the service stores only a hash. A repeat of the request decrypts it; access to the table alone does not
 * suffice (AES-256-GCM; docs/reference/personal-data.md).
 */
export class ReceiptSeal {
  private readonly key: Buffer;

  /** @param credential - the API key, or the token of a session */
  constructor(credential: string) {
    this.key = Buffer.from(hkdfSync('sha256', credential, '', 'receipts of writes', KEY_BYTES));
  }

  /** The fingerprint in stored form. A plain hash of a body with few possible values could be guessed. */
  fingerprint(fingerprint: string): string {
    return createHmac('sha256', this.key).update(fingerprint).digest('hex');
  }

  /** Encrypts the body of a response: base64 of nonce, tag and ciphertext. */
  seal(body: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce);
    const encrypted = Buffer.concat([cipher.update(body, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64');
  }

  /** Decrypts the result of {@link seal}. Throws for a text that was encrypted with another secret. */
  open(sealed: string): string {
    const bytes = Buffer.from(sealed, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', this.key, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
  }
}
