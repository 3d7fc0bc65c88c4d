import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { currentOf, type Ring } from '#database/key-rings/key-ring.js';
import { openBytes, sealBytes } from '#database/seal.js';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;
/**
 * How many decrypted secrets are remembered, and how long: a retired version of the key holds no longer than
 * a revoked API key.
 */
const REMEMBERED = 1_000;
const REMEMBERED_MILLISECONDS = 1_000;

/**
 * Makes the signing secrets of endpoints, and encrypts them for storage: in events, and in the endpoints'
 * table.
 */
export class WebhookSecrets {
  /**
   * Secrets by endpoint and sealed text: an endpoint that gets many deliveries would have the same one
   * decrypted for each.
   */
  private readonly opened: LRUCache<string, string>;

  /** @param rememberedMs - how long a decrypted secret is remembered; 1,000 by default */
  constructor(
    private readonly ring: Ring,
    rememberedMs = REMEMBERED_MILLISECONDS,
  ) {
    this.opened = new LRUCache({ max: REMEMBERED, ttl: rememberedMs });
  }

  /** A new secret: `whsec_` and the base64 of 32 random bytes. */
  create(): string {
    return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
  }

  /**
   * The secret as it is stored: `k` and the key's version, and base64. It decrypts for this endpoint alone. A
   * command that records it encrypts and records in one turn that shares the ring's lock (`lockOf`), so that
   * the version is not retired between the two.
   */
  async seal(secret: string, webhookId: string): Promise<string> {
    const { version, secret: key } = await currentOf(this.ring, 'fresh');
    return `k${version}.${sealBytes(Buffer.from(secret), key, webhookId).toString('base64')}`;
  }

  /**
   * What {@link seal} sealed. Throws for another endpoint's, an edited one, and a key's version that is not
   * here.
   */
  async open(sealed: string, webhookId: string): Promise<string> {
    const name = `${webhookId} ${sealed}`;
    const known = this.opened.get(name);
    if (known !== undefined) return known;
    const secret = await this.decrypt(sealed, webhookId);
    this.opened.set(name, secret);
    return secret;
  }

  private async decrypt(sealed: string, webhookId: string): Promise<string> {
    const [, version, text] = /^k(\d{1,4})\.(.+)$/.exec(sealed) ?? [];
    const cannot = `the signing secret of ${webhookId} cannot be decrypted`;
    if (version === undefined || text === undefined)
      throw new Error(`${cannot}: it does not begin with the version of a key`);
    const key = await this.ring.find(Number(version));
    if (key === null) throw new Error(`${cannot}: the key ring webhook_secrets has no version ${version}`);
    try {
      return openBytes(Buffer.from(text, 'base64'), key, webhookId).toString();
    } catch (cause) {
      throw new Error(`${cannot}: it was changed, or belongs to another endpoint`, { cause });
    }
  }

  /**
   * What {@link seal} sealed, sealed with the version that seals now; the very text where it is so already.
   */
  async reseal(sealed: string, webhookId: string): Promise<string> {
    const { version } = await currentOf(this.ring, 'fresh');
    return sealed.startsWith(`k${version}.`) ? sealed : this.seal(await this.open(sealed, webhookId), webhookId);
  }
}
