import { createHmac, timingSafeEqual } from 'node:crypto';
import { currentOf, type Ring } from '#database/key-rings/key-ring.js';
import { API_PREFIX } from '#http/operations/route-table.js';
import { NOTHING, unversioned, versioned } from '#http/cursors/versioned-token.js';
import type { KeyEnvironment } from '#kernel/tenancy.js';
import type { PicturePlace } from './avatar-pictures.js';

/** The settings for creating and verifying links. */
export interface AvatarLinkSettings {
  readonly ring: Ring;
  /** A link from one listener is invalid on the other. */
  readonly environment: KeyEnvironment;
  readonly lifetimeSeconds: number;
  /** The listener's public address, if the operator set one; a trailing slash is ignored. */
  readonly publicUrl: string | null;
}

/** A link to a picture. */
export interface AvatarLink {
  readonly url: string;
  /** The link expires at this time. */
  readonly expiresAt: Date;
}

const SEAL_BYTES = 32;
/** Longer than any token of the service. */
const MAX_TOKEN_LENGTH = 512;

/** The path below which pictures are served, without the prefix of the API. */
export const PICTURES_PATH = 'avatars';

/**
 * Creates and verifies links that show one picture for a short time to any caller with the link. A token is
 * the key's version, as in cursors, and base64url of an HMAC and of the payload that it protects:
 * organisation, person, picture and the time of expiry. The payload is readable, but cannot be changed.
 */
export class AvatarLinks {
  constructor(private readonly settings: AvatarLinkSettings) {}

  /**
   * @param address - the address at which the caller reached the listener, such as `http://127.0.0.1:3000`
   */
  async make({ organisationId, personId, pictureId }: PicturePlace, now: Date, address: string): Promise<AvatarLink> {
    const expiresAt = new Date(now.getTime() + this.settings.lifetimeSeconds * 1_000);
    const content = Buffer.from(JSON.stringify([organisationId, personId, pictureId, expiresAt.getTime()]));
    const { version, secret } = await currentOf(this.settings.ring);
    const token = versioned(version, Buffer.concat([this.seal(secret, content), content]));
    const base = (this.settings.publicUrl ?? address).replace(/\/+$/, '');
    return { url: `${base}/${API_PREFIX}/${PICTURES_PATH}/${token}`, expiresAt };
  }

  /**
   * Returns the picture of a token; null if the token has expired, was edited, or was created for another
   * listener or installation.
   */
  async open(token: string, now: Date): Promise<PicturePlace | null> {
    const { version, bytes } = token.length <= MAX_TOKEN_LENGTH ? unversioned(token) : NOTHING;
    const content = bytes.subarray(SEAL_BYTES);
    const secret = bytes.length > SEAL_BYTES ? await this.settings.ring.find(version) : null;
    if (secret === null || !timingSafeEqual(bytes.subarray(0, SEAL_BYTES), this.seal(secret, content))) return null;
    const [organisationId, personId, pictureId, expiresAt] = JSON.parse(content.toString()) as [
      string,
      string,
      string,
      number,
    ];
    return now.getTime() < expiresAt ? { organisationId, personId, pictureId } : null;
  }

  private seal(secret: Buffer, content: Buffer): Buffer {
    return createHmac('sha256', secret).update(`avatar:${this.settings.environment}:`).update(content).digest();
  }
}
