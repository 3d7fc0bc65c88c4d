import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts a receipt with a key that only the caller has: the API key or the token of a session, of which the
 * service stores only a hash. A repeat of the request decrypts it, and access to the table alone does not
 * (AES-256-GCM; docs/reference/personal-data.md).
 */
export class ReceiptSeal {
  private readonly key: Buffer;

  /** @param credential - the API key, or the token of a session */
  constructor(credential: string) {
    this.key = Buffer.from(hkdfSync('sha256', credential, '', 'receipts of writes', KEY_BYTES));
  }

  /**
   * The fingerprint as stored. A plain hash of the body would reveal a choice among few values to anybody who
   * tries them all.
   */
  fingerprint(fingerprint: string): string {
    return createHmac('sha256', this.key).update(fingerprint).digest('hex');
  }

  /** Encrypts the body of an answer: base64 of nonce, tag and ciphertext. */
  seal(body: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce);
    const encrypted = Buffer.concat([cipher.update(body, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64');
  }

  /** Decrypts what {@link seal} encrypted. Throws for a text encrypted with another API key. */
  open(sealed: string): string {
    const bytes = Buffer.from(sealed, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', this.key, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
  }
}
