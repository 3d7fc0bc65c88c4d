import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { WrittenRows } from '../children/bare-statements.js';

/** Rows and bytes of every table. */
export type Sizes = ReadonlyMap<string, { readonly rows: number; readonly bytes: number }>;

const EVENTS = 'events';
const RECEIPTS = 'idempotency_receipts';
const POLL_MILLISECONDS = 300;
/** A write is published and caught up with after its answer; then nothing changes any more. */
const STEADY_READINGS = 3;

/** Calls a read of the product and gives its JSON. Throws where it is refused. */
export async function readJson<T>(url: string, apiKey: string): Promise<T> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

/** Makes one request of the product, and gives the rows that it inserted: in all tables, or only those of events and receipts. */
export async function rowsWritten(pool: Pool, request: () => Promise<Response>, which: 'all' | 'event and receipt'): Promise<WrittenRows> {
  const before = await steadySizes(pool);
  const response = await request();
  const answer = await response.text();
  if (!response.ok) throw new Error(`the sample of a write was answered with ${response.status}: ${answer}`);
  const after = await steadySizes(pool);
  const written = [...after]
    .map(([table, { rows, bytes }]) => {
      const added = rows - (before.get(table)?.rows ?? 0);
      return { table, rows: added, bytes: (bytes - (before.get(table)?.bytes ?? 0)) / added };
    })
    .filter(({ table, rows }) => rows > 0 && (which === 'all' || table === EVENTS || table === RECEIPTS));
  const receipts = written.filter(({ table }) => table === RECEIPTS);
  if (receipts.length !== 1 || receipts[0]!.rows !== 1) throw new Error('the sample of a write did not write one receipt');
  return { tables: [...written.filter(({ table }) => table !== RECEIPTS), ...receipts], answer };
}

/** The mean length of a table's rows in bytes. */
export async function rowLength(pool: Pool, table: string): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>(`select avg(pg_column_size(t.*))::float8 as bytes from ${table} t`);
  return rows[0]!.bytes;
}

async function steadySizes(pool: Pool): Promise<Sizes> {
  let sizes = await sizesOf(pool);
  for (let steady = 0; steady < STEADY_READINGS;) {
    await wait(POLL_MILLISECONDS);
    const now = await sizesOf(pool);
    steady = rowsIn(now) === rowsIn(sizes) ? steady + 1 : 0;
    sizes = now;
  }
  return sizes;
}

function rowsIn(sizes: Sizes): number {
  return [...sizes.values()].reduce((sum, { rows }) => sum + rows, 0);
}

async function sizesOf(pool: Pool): Promise<Sizes> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname`,
  );
  const texts = tables.map(
    ({ name }) =>
      `select '${name}' as name, count(*)::float8 as rows, coalesce(sum(pg_column_size(t.*)), 0)::float8 as bytes from ${name} t`,
  );
  const { rows } = await pool.query<{ name: string; rows: number; bytes: number }>(texts.join(' union all '));
  return new Map(rows.map(({ name, ...size }) => [name, size]));
}
