import pg from 'pg';
import { CLIENT_TIMEOUT_MARGIN_MILLISECONDS } from './errors.js';

/** How a pool behaves. */
export interface PoolSettings {
  /** Shown in `pg_stat_activity`, so that a stuck session can be traced to its process. */
  readonly applicationName: string;
  /** The most connections at once, 1 or more. */
  readonly maximum: number;
  /** What a statement may take, in milliseconds; 30,000 where not given, 0 for no limit (rebuilds, migrations). */
  readonly statementTimeout?: number;
  /** Further settings of its sessions by their names in PostgreSQL; values without spaces. */
  readonly sessionSettings?: Readonly<Record<string, string>>;
}

const DATE = 1082;
const INT8 = 20;
const DATE_ARRAY = 1182;
const TEXT_ARRAY: number = 1009;

/** A number where it is exact, else a bigint: a rounded count would be wrong without a sign. */
function parseInt8(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

/**
 * Dates stay `YYYY-MM-DD` text (a JS Date would move them over midnight), int8 is a number where that is exact. All else
 * is as pg has it: timestamptz a Date of milliseconds, numeric and ranges text, json parsed.
 */
export const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (format !== 'binary') {
      if (oid === DATE) return (text: string) => text;
      if (oid === INT8) return parseInt8;
      if (oid === DATE_ARRAY) return pg.types.getTypeParser(TEXT_ARRAY, 'text');
    }
    return pg.types.getTypeParser(oid, format ?? 'text');
  }) as pg.CustomTypesConfig['getTypeParser'],
};

/** The settings of a single connection of our own making (a listener, a cursor), the same as in a pool. */
export function connectionSettings(url: string, settings: Omit<PoolSettings, 'maximum'>): pg.ClientConfig {
  const statementTimeout = settings.statementTimeout ?? 30_000;
  return {
    connectionString: url,
    application_name: settings.applicationName,
    types: TYPES,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    statement_timeout: statementTimeout,
    // The server ends a slow statement; the client's own limit is for a server that hangs and ends nothing.
    ...(statementTimeout > 0 ? { query_timeout: statementTimeout + CLIENT_TIMEOUT_MARGIN_MILLISECONDS } : {}),
    // An idle writing transaction anywhere stalls the fence of the event store's readers.
    idle_in_transaction_session_timeout: 10_000,
    options: Object.entries({ TimeZone: 'UTC', DateStyle: 'ISO', ...settings.sessionSettings })
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  };
}

/**
 * A pool of connections. A connection that breaks, idle or in use, never ends the process: its statements fail (see
 * `isUnavailable`), and the next one gets a new connection.
 */
export function createPool(url: string, settings: PoolSettings): pg.Pool {
  const pool = new pg.Pool(poolOptions(url, settings));
  ignoreConnectionErrors(pool);
  return pool;
}

/** What a pool is made with. */
export function poolOptions(url: string, settings: PoolSettings): pg.PoolConfig {
  return { ...connectionSettings(url, settings), max: settings.maximum, idleTimeoutMillis: 60_000 };
}

/** Keeps a connection that breaks from ending the process. */
export function ignoreConnectionErrors(pool: pg.Pool): void {
  // Whoever waits for a statement learns of the break by its failure; an 'error' event nobody hears would end the process.
  pool.on('error', ignore);
  pool.on('connect', (connection) => connection.on('error', ignore));
}

function ignore(): void {}
