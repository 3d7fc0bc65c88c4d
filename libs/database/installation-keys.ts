import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';

/** Secrets of one installation, made on its first start and kept in its database. 32 random bytes each. */
export interface InstallationKeys {
  /** Authenticates public ids (HMAC). */
  readonly ids: Buffer;
  /** Authenticates list cursors (HMAC). */
  readonly cursors: Buffer;
}

const NAMES = ['ids', 'cursors'] as const;

/** The installation's keys, made where they are missing. Processes that start at once all get the same ones. */
export async function loadInstallationKeys(pool: Pool): Promise<InstallationKeys> {
  const stored = await read(pool);
  const missing = NAMES.filter((name) => !stored.has(name));
  if (missing.length > 0) {
    await pool.query(
      'insert into installation_keys (name, secret) select * from unnest($1::text[], $2::bytea[]) on conflict do nothing',
      [missing, missing.map(() => randomBytes(32))],
    );
  }
  const keys = missing.length > 0 ? await read(pool) : stored;
  return { ids: required(keys, 'ids'), cursors: required(keys, 'cursors') };
}

async function read(pool: Pool): Promise<Map<string, Buffer>> {
  const { rows } = await pool.query<{ name: string; secret: Buffer }>('select name, secret from installation_keys');
  return new Map(rows.map((row) => [row.name, row.secret]));
}

function required(keys: ReadonlyMap<string, Buffer>, name: (typeof NAMES)[number]): Buffer {
  const key = keys.get(name);
  if (key === undefined) throw new Error(`the installation key ${name} disappeared while it was read`);
  return key;
}
