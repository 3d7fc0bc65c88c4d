import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { boundTo, currentOf, KeyRing, type Ring, type RingName } from './key-rings/key-ring.js';
import { masterKeys } from './key-rings/master-keys.js';

/** Secrets of one installation, made on its first start and kept in its database: 32 random bytes a version. */
export interface InstallationKeys {
  /** Authenticates public ids (HMAC). It never changes: ids do not. */
  readonly ids: Buffer;
  /** Authenticates list cursors (HMAC). */
  readonly cursors: Ring;
  /** Authenticates links to pictures (HMAC). */
  readonly avatarLinks: Ring;
  /** Seals the signing secrets of webhook endpoints (AES-256-GCM). */
  readonly webhookSecrets: Ring;
}

/** Bytes of a key. */
export const SECRET_BYTES = 32;

/** Rings that have a version from the first start on. */
const FIRST: readonly RingName[] = ['ids', 'cursors', 'avatar_links', 'webhook_secrets'];

/**
 * The installation's keys, made where they are missing. Processes that start at once all get the same ones. Throws
 * `MasterKeyMissingError` where they are wrapped and this process cannot unwrap them.
 */
export async function loadInstallationKeys(pool: Pool): Promise<InstallationKeys> {
  const made = FIRST.map((name) => masterKeys().wrap(randomBytes(SECRET_BYTES), boundTo(name, 1)));
  await pool.query(
    `insert into key_rings (ring, version, secret, wrapped_by)
     select made.ring, 1, made.secret, made.wrapped_by from unnest($1::text[], $2::bytea[], $3::text[]) as made(ring, secret, wrapped_by)
      where not exists (select from key_rings known where known.ring = made.ring)
     on conflict do nothing`,
    [FIRST, made.map(({ secret }) => secret), made.map(({ wrappedBy }) => wrappedBy)],
  );
  const [ids, cursors, avatarLinks, webhookSecrets] = FIRST.map((name) => new KeyRing(pool, name)) as [KeyRing, KeyRing, KeyRing, KeyRing];
  const [{ secret }] = (await Promise.all([ids, cursors, avatarLinks, webhookSecrets].map((ring) => currentOf(ring)))) as [
    { secret: Buffer },
    ...unknown[],
  ];
  return { ids: secret, cursors, avatarLinks, webhookSecrets };
}
