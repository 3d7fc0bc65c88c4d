import { createHmac, timingSafeEqual } from 'node:crypto';
import { currentOf, type Ring } from '#database/key-rings/key-ring.js';
import { API_PREFIX } from '#http/operations/route-table.js';
import { NOTHING, unversioned, versioned } from '#http/cursors/versioned-token.js';
import type { KeyEnvironment } from '#kernel/tenancy.js';
import type { PicturePlace } from './avatar-pictures.js';

/** What links are made with. */
export interface AvatarLinkSettings {
  readonly ring: Ring;
  /** A link of one listener is of no use on the other. */
  readonly environment: KeyEnvironment;
  readonly lifetimeSeconds: number;
  /** Where the listener is reached from outside, where the operator says so; a slash at its end does not matter. */
  readonly publicUrl: string | null;
}

/** A link to a picture. */
export interface AvatarLink {
  readonly url: string;
  /** The link works before this moment. */
  readonly expiresAt: Date;
}

const SEAL_BYTES = 32;
/** Longer than any token that we make. */
const LONGEST_TOKEN = 512;

/** The path that pictures are served below. */
export const PICTURES_PATH = `/${API_PREFIX}/avatars`;

/**
 * Makes and checks links that show one picture for a short time to callers who have them. A token is base64url of an HMAC and
 * of what it is for, which can be read but not changed: organisation, person, picture and the moment it expires. In front is the
 * version of the key, as in cursors.
 */
export class AvatarLinks {
  constructor(private readonly settings: AvatarLinkSettings) {}

  /** @param address - where the caller reached the listener, such as `http://127.0.0.1:3000` */
  async make({ organisationId, personId, pictureId }: PicturePlace, now: Date, address: string): Promise<AvatarLink> {
    const expiresAt = new Date(now.getTime() + this.settings.lifetimeSeconds * 1_000);
    const content = Buffer.from(JSON.stringify([organisationId, personId, pictureId, expiresAt.getTime()]));
    const { version, secret } = await currentOf(this.settings.ring);
    const token = versioned(version, Buffer.concat([this.seal(secret, content), content]));
    const base = (this.settings.publicUrl ?? address).replace(/\/+$/, '');
    return { url: `${base}${PICTURES_PATH}/${token}`, expiresAt };
  }

  /** What a token of ours is for; null where it expired, was edited, or was made for another listener or installation. */
  async open(token: string, now: Date): Promise<PicturePlace | null> {
    const { version, bytes } = token.length <= LONGEST_TOKEN ? unversioned(token) : NOTHING;
    const content = bytes.subarray(SEAL_BYTES);
    const secret = bytes.length > SEAL_BYTES ? await this.settings.ring.find(version) : null;
    if (secret === null || !timingSafeEqual(bytes.subarray(0, SEAL_BYTES), this.seal(secret, content))) return null;
    const [organisationId, personId, pictureId, expiresAt] = JSON.parse(content.toString()) as [string, string, string, number];
    return now.getTime() < expiresAt ? { organisationId, personId, pictureId } : null;
  }

  private seal(secret: Buffer, content: Buffer): Buffer {
    return createHmac('sha256', secret).update(`avatar:${this.settings.environment}:`).update(content).digest();
  }
}
