import type { Pool, PoolClient } from 'pg';
import { pause } from '#projections/leadership.js';

/** The advisory lock of commands that fill or delete tenants. */
const SANDBOX_LOCK = 7_310_010;
const TIMEOUT_MILLISECONDS = 30_000;
const POLL_MILLISECONDS = 100;

/** The number of tenants whose rows one statement deletes. */
const TENANTS_AT_ONCE = 20;

/** Another process has been refreshing a sandbox for longer than a refresh takes. */
export class SandboxBusyError extends Error {
  constructor() {
    super('Another process is refreshing a sandbox: try again in a few seconds.');
    this.name = 'SandboxBusyError';
  }
}

/**
 * Runs exclusively in the installation: no other process refreshes a sandbox at the same time. Throws {@link
 * SandboxBusyError} after half a minute.
 */
export async function withSandboxLock<T>(pool: Pool, work: () => Promise<T>): Promise<T> {
  const done = await holdingLock(pool, TIMEOUT_MILLISECONDS, async () => ({ result: await work() }));
  if (done === null) throw new SandboxBusyError();
  return done.result;
}

/** Runs the work under the lock; null if another process still holds it after the timeout. */
async function holdingLock<T>(pool: Pool, timeoutMilliseconds: number, work: () => Promise<T>): Promise<T | null> {
  const connection = await pool.connect();
  let broken: Error | undefined;
  try {
    const until = performance.now() + timeoutMilliseconds;
    while (!(await tryLock(connection))) {
      if (performance.now() >= until) return null;
      await pause(POLL_MILLISECONDS, NEVER);
    }
    return await work();
  } finally {
    await connection.query('select pg_advisory_unlock($1)', [SANDBOX_LOCK]).catch((error: Error) => (broken = error));
    connection.release(broken);
  }
}

const NEVER = new AbortController().signal;

async function tryLock(connection: PoolClient): Promise<boolean> {
  const { rows } = await connection.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
    SANDBOX_LOCK,
  ]);
  return rows[0]!.locked;
}

/**
 * Deletes the read-table rows, receipts, reservations, deliveries and keys of tenants that no key acts for:
 * former ones, and those whose refresh did not complete. Their events stay, and encrypted data in them is
 * unreadable. Only call it under {@link withSandboxLock}. It is safe to repeat, and after a crash the next
 * call deletes the rest. Returns the number of tenants.
 */
export async function purgeSandboxes(pool: Pool, forget: 'rows' | 'tenants'): Promise<number> {
  const { rows: found } = await pool.query<{ id: string }>(RETIRED);
  const tables = found.length === 0 ? [] : await tablesOfOrganisations(pool);
  for (let start = 0; start < found.length; start += TENANTS_AT_ONCE) {
    const tenants = found.slice(start, start + TENANTS_AT_ONCE).map(({ id }) => id);
    for (const table of tables)
      await pool.query(`delete from ${table} where organisation_id = any($1::text[])`, [tenants]);
    // A request that began before the refresh may end after it, so the row of a tenant stays until the next
    // purge.
    if (forget === 'tenants') await pool.query('delete from organisations where id = any($1::text[])', [tenants]);
  }
  return found.length;
}

/**
 * The periodic purge of the worker. It also deletes the rows of requests that were in progress when their
 * tenant was purged. While a sandbox is being refreshed, it does nothing.
 */
export async function purgeFormerSandboxes(pool: Pool): Promise<number> {
  return (await holdingLock(pool, 0, () => purgeSandboxes(pool, 'tenants'))) ?? 0;
}

const RETIRED = `
select o.id from sandboxes s
  cross join lateral jsonb_array_elements_text(s.former_tenants || s.prepared_tenants) as tenant(id)
  join organisations o on o.id = tenant.id
 order by o.id`;

/**
 * Every table whose rows name an organisation. The rows of sandboxes and API keys belong to their owner,
 * which is never a tenant.
 */
async function tablesOfOrganisations(pool: Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ name: string }>(`
    select quote_ident(c.table_name) as name
      from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = current_schema() and c.column_name = 'organisation_id' and t.table_type = 'BASE TABLE'
       and c.table_name not in ('sandboxes', 'api_keys') and not starts_with(c.table_name, 'rebuild_')
     order by c.table_name`);
  return rows.map(({ name }) => name);
}
