import pg from 'pg';

/** The settings of a pool. */
export interface PoolSettings {
  /** Shown in `pg_stat_activity`, so that an operator can trace a stuck session to its process. */
  readonly applicationName: string;
  /** The maximum number of connections, 1 or more. */
  readonly maximum: number;
  /** Connections that stay open when idle; none by default. */
  readonly minimum?: number;
  /** The statement timeout in milliseconds; 30,000 by default, 0 for no limit (rebuilds, migrations). */
  readonly statementTimeout?: number;
  /**
   * The maximum time for opening a connection, and for waiting until one is free, in milliseconds; 5,000 by
   * default.
   */
  readonly connectTimeout?: number;
  /** Further settings of its sessions, by their PostgreSQL names; values without spaces. */
  readonly sessionSettings?: Readonly<Record<string, string>>;
}

const DATE = 1082;
const INT8 = 20;
const DATE_ARRAY = 1182;
const TEXT_ARRAY: number = 1009;

/** Returns a number if it is exact, otherwise a bigint: a rounded count would be silently wrong. */
function parseInt8(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

/**
 * Dates stay `YYYY-MM-DD` text, because a JavaScript Date could shift them to another day. An int8 is a
 * number if that is exact. All other types are pg's: timestamptz is a Date in milliseconds, numeric and
 * ranges are text, json is parsed.
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

/**
 * The cost of a random page relative to a sequential one on a solid-state disk or in memory; PostgreSQL
 * assumes 4.
 */
const SSD_PAGE_COST = '1.1';

/**
 * Settings for the sessions of servers, which cache the plans of their statements. Scanning a table of one
 * page costs 1, and a look-up through its index two random pages. At 0.3 the index is always cheaper.
 * Otherwise a plan that was made when the table had one page would scan thousands of pages, until autovacuum
 * analyses the table about a minute later. Sessions that read whole tables (rebuilds, backups) plan with
 * {@link SSD_PAGE_COST}.
 */
export const SERVER_SESSION: Readonly<Record<string, string>> = { random_page_cost: '0.3' };

/**
 * Limits for requests that wait for responses: a hanging PostgreSQL leads to 503 within five seconds, whether
 * its statement had begun (then the rollback may take half a second more), or it waited for a connection and
 * then for another one to open.
 */
export const REQUEST_LIMITS = { statementTimeout: 4_000, connectTimeout: 2_400 };
/**
 * The client's statement timeout is longer than the server's by this number of milliseconds: it applies only
 * if the server hangs.
 */
const CLIENT_MARGIN_MILLISECONDS = 250;

/** Returns the settings of a single connection (a listener, a cursor), the same as in a pool. */
function connectionSettings(url: string, settings: Omit<PoolSettings, 'minimum' | 'maximum'>): pg.ClientConfig {
  const { statementTimeout = 30_000, connectTimeout = 5_000 } = settings;
  return {
    connectionString: url,
    application_name: settings.applicationName,
    types: TYPES,
    keepAlive: true,
    connectionTimeoutMillis: connectTimeout,
    statement_timeout: statementTimeout,
    ...(statementTimeout > 0 ? { query_timeout: statementTimeout + CLIENT_MARGIN_MILLISECONDS } : {}),
    // An idle transaction that has written, in any database of the server, delays the readers of the event
    // log.
    idle_in_transaction_session_timeout: 10_000,
    options: Object.entries({
      TimeZone: 'UTC',
      DateStyle: 'ISO',
      random_page_cost: SSD_PAGE_COST,
      ...settings.sessionSettings,
    })
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  };
}

/**
 * The idle time after which a connection is closed, unless it is in the pool's minimum, so that an idle
 * process keeps few.
 */
const IDLE_MILLISECONDS = 10_000;

/**
 * Creates a pool of connections. A connection that breaks, idle or in use, never ends the process: its
 * statements fail (see `isUnavailable`), and the next statement gets a new connection.
 */
export function createPool(url: string, settings: PoolSettings): pg.Pool {
  const { minimum = 0, maximum } = settings;
  const pool = new pg.Pool({
    ...connectionSettings(url, settings),
    min: minimum,
    max: maximum,
    idleTimeoutMillis: IDLE_MILLISECONDS,
  });
  // The pending statement fails and informs its caller; an unhandled 'error' event would end the process.
  pool.on('error', ignore);
  pool.on('connect', (connection) => connection.on('error', ignore));
  return pool;
}

function ignore(): void {}
