import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { currentOf, type Ring } from '#database/key-rings/key-ring.js';
import { openBytes, sealBytes } from '#database/seal.js';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;
/**
 * The maximum number of cached decrypted secrets, and their lifetime: the retirement of a key version takes
 * effect as fast as the revocation of an API key.
 */
const REMEMBERED = 1_000;
const REMEMBERED_MILLISECONDS = 1_000;

/**
 * Creates the signing secrets of endpoints, and encrypts them for storage: in events, and in the endpoints'
 * table.
 */
export class WebhookSecrets {
  /**
   * Secrets by endpoint and encrypted text: otherwise, each delivery of a busy endpoint would decrypt the
   * same secret.
   */
  private readonly opened: LRUCache<string, string>;

  /** @param rememberedMs - how long a decrypted secret is cached; 1,000 by default */
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
   * The secret in stored form: `k` and the key's version, and base64. Only this endpoint can decrypt it. A
   * command that records it encrypts and records under the ring's shared lock (`lockOf`), so that the version
   * is not retired in between.
   */
  async seal(secret: string, webhookId: string): Promise<string> {
    return sealedWith(await currentOf(this.ring, 'fresh'), secret, webhookId);
  }

  /**
   * Decrypts the result of {@link seal}. Throws for a secret of another endpoint, an edited one, and an
   * unknown version of the key.
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
    const cannot = `the signing secret of ${webhookId} cannot be decrypted`;
    const parts = partsOf(sealed);
    if (parts === null) throw new Error(`${cannot}: it does not begin with the version of a key`);
    const key = await this.ring.find(parts.version);
    if (key === null) throw new Error(`${cannot}: the key ring webhook_secrets has no version ${parts.version}`);
    try {
      return openBytes(parts.bytes, key, webhookId).toString();
    } catch (cause) {
      throw new Error(`${cannot}: it was changed, or belongs to another endpoint`, { cause });
    }
  }

  /**
   * Encrypts a text that is stored for a short time, such as the response of a receiver. The version of the
   * key may be up to two seconds old.
   *
   * @param boundTo - its owner; it cannot be decrypted for another one
   */
  async conceal(text: string, boundTo: string): Promise<string> {
    return sealedWith(await currentOf(this.ring), text, boundTo);
  }

  /** Decrypts the result of {@link conceal}; null if the version of the key has been retired since. */
  async reveal(concealed: string, boundTo: string): Promise<string | null> {
    const { version, bytes } = partsOf(concealed)!;
    const key = await this.ring.find(version);
    return key === null ? null : openBytes(bytes, key, boundTo).toString();
  }

  /**
   * Encrypts the result of {@link seal} with the current version; returns the text unchanged if it already
   * has that version.
   */
  async reseal(sealed: string, webhookId: string): Promise<string> {
    const { version } = await currentOf(this.ring, 'fresh');
    return sealed.startsWith(`k${version}.`) ? sealed : this.seal(await this.open(sealed, webhookId), webhookId);
  }
}

/** The stored form: `k` and the key's version, and base64. */
function sealedWith(
  { version, secret: key }: Awaited<ReturnType<typeof currentOf>>,
  text: string,
  boundTo: string,
): string {
  return `k${version}.${sealBytes(Buffer.from(text), key, boundTo).toString('base64')}`;
}

function partsOf(sealed: string): { readonly version: number; readonly bytes: Buffer } | null {
  const [, version, text] = /^k(\d{1,4})\.(.+)$/.exec(sealed) ?? [];
  if (version === undefined || text === undefined) return null;
  return { version: Number(version), bytes: Buffer.from(text, 'base64') };
}
