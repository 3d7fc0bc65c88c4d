import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { boundTo, currentOf, KeyRing, type Ring, type RingName } from './key-rings/key-ring.js';
import { masterKeys } from './key-rings/master-keys.js';

/**
 * The secrets of one installation, created on its first start and stored in its database: 32 random bytes per
 * version.
 */
export interface InstallationKeys {
  /** Authenticates public ids (HMAC). It never changes, because ids never change. */
  readonly ids: Buffer;
  /** Authenticates list cursors (HMAC). */
  readonly cursors: Ring;
  /** Authenticates links to pictures (HMAC). */
  readonly avatarLinks: Ring;
  /** Encrypts the signing secrets of webhook endpoints (AES-256-GCM). */
  readonly webhookSecrets: Ring;
}

/** Bytes of a key. */
export const SECRET_BYTES = 32;

/** The rings that have a version from the first start on. */
const FIRST: readonly RingName[] = ['ids', 'cursors', 'avatar_links', 'webhook_secrets'];

/**
 * Loads the installation's keys and creates the missing ones. Processes that start at the same time all get
 * the same keys. Throws `MasterKeyMissingError` if a key is wrapped and this process cannot unwrap it.
 */
export async function loadInstallationKeys(pool: Pool): Promise<InstallationKeys> {
  const created = FIRST.map((name) => masterKeys().wrap(randomBytes(SECRET_BYTES), boundTo(name, 1)));
  await pool.query(
    `insert into key_rings (ring, version, secret, wrapped_by)
     select created.ring, 1, created.secret, created.wrapped_by
       from unnest($1::text[], $2::bytea[], $3::text[]) as created(ring, secret, wrapped_by)
      where not exists (select from key_rings known where known.ring = created.ring)
     on conflict do nothing`,
    [FIRST, created.map(({ secret }) => secret), created.map(({ wrappedBy }) => wrappedBy)],
  );
  const [ids, cursors, avatarLinks, webhookSecrets] = FIRST.map((name) => new KeyRing(pool, name)) as [
    KeyRing,
    KeyRing,
    KeyRing,
    KeyRing,
  ];
  const [{ secret }] = (await Promise.all(
    [ids, cursors, avatarLinks, webhookSecrets].map((ring) => currentOf(ring)),
  )) as [{ secret: Buffer }, ...unknown[]];
  return { ids: secret, cursors, avatarLinks, webhookSecrets };
}
