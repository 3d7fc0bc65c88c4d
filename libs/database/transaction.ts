import type { Pool, PoolClient, QueryResult, QueryResultRow } from 'pg';
import { messageOf } from './error-code.js';
import { sqlState } from './errors.js';

/** The options that differ from PostgreSQL's defaults. */
export interface TransactionOptions {
  /**
   * `false`: the commit does not wait for the disk, and a crash may lose it. Only for data that can be
   * derived again.
   */
  readonly synchronousCommit?: boolean;
  /** `read committed` by default. */
  readonly isolation?: 'repeatable read' | 'serializable';
  readonly readOnly?: boolean;
}

/** A transaction that its owner ends. Ending it a second time has no effect. */
export interface OpenTransaction {
  readonly connection: PoolClient;
  /** Throws PostgreSQL's errors; the outcome is unknown if it did not answer. */
  commit(): Promise<void>;
  rollBack(): Promise<void>;
}

/**
 * Begins a transaction on a connection of the pool. A connection whose state is unknown afterwards is closed.
 *
 * @param ended - called once, when the connection is released
 */
export async function beginTransaction(
  pool: Pick<Pool, 'connect'>,
  ended: () => void = () => undefined,
  options: TransactionOptions = {},
): Promise<OpenTransaction> {
  const connection = await pool.connect();
  let isOpen = true;
  const release = (broken?: Error): void => {
    isOpen = false;
    connection.release(broken);
    ended();
  };
  const transaction: OpenTransaction = {
    connection,
    commit: async () => {
      await commit(connection);
      release();
    },
    rollBack: async () => {
      if (isOpen) release(await rollBack(connection));
    },
  };
  try {
    await connection.query(beginning(options));
    return transaction;
  } catch (error) {
    await transaction.rollBack();
    throw error;
  }
}

/**
 * Runs `work` in a transaction on one connection. It commits if the work returns, and rolls back if it
 * throws.
 */
export async function inTransaction<T>(
  pool: Pick<Pool, 'connect'>,
  work: (connection: PoolClient) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const transaction = await beginTransaction(pool, undefined, options);
  try {
    const result = await work(transaction.connection);
    await transaction.commit();
    return result;
  } catch (error) {
    await transaction.rollBack();
    throw error;
  }
}

function beginning(options: TransactionOptions): string {
  const isolation = options.isolation === undefined ? '' : ` isolation level ${options.isolation}`;
  const access = options.readOnly === true ? ' read only' : '';
  const commit = options.synchronousCommit === false ? '; set local synchronous_commit to off' : '';
  return `begin${isolation}${access}${commit}`;
}

/**
 * PostgreSQL answers the commit of a failed transaction with ROLLBACK and no error. This check finds work
 * that swallowed an error.
 */
async function commit(connection: PoolClient): Promise<void> {
  const { command } = await connection.query('commit');
  if (command !== 'COMMIT') throw new Error('the transaction had failed before its commit and was rolled back');
}

/** In milliseconds. A server that hangs does not answer; it rolls back when the connection closes. */
const ROLLBACK_MILLISECONDS = 500;

async function rollBack(connection: PoolClient): Promise<Error | undefined> {
  try {
    await connection.query({ text: 'rollback', query_timeout: ROLLBACK_MILLISECONDS } as { text: string });
    return undefined;
  } catch (error) {
    return new Error(messageOf(error));
  }
}

/** A statement that each connection prepares once, with its values. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

/**
 * SQL of an array in a statement that is planned once, for any number of elements. PostgreSQL plans again for
 * each array of known length, which can cost more than the statement; it does not look into a sub-select.
 *
 * @param array - an SQL expression of an array type, such as `$2::text[]`
 */
export function ofAnyLength(array: string): string {
  return `(select ${array})`;
}

/**
 * The errors of a statement that runs while a rebuild swaps tables, and has done nothing: a deadlock, or a
 * missing row type (`internal_error`), because PostgreSQL looked up the row type of a table (`null::people`)
 * and then waited for the lock on the table.
 */
const FAILED_BY_SWAP: ReadonlySet<string | null> = new Set(['40P01', 'XX000']);
const FAILED_TRANSACTION = '25P02';
const ATTEMPTS = 5;

/**
 * Repeats work that is safe to repeat, such as a projection, if it failed because the swap of a rebuild ended
 * it. Throws its error otherwise, and after the last attempt.
 */
async function retryAfterSwap<T>(failure: unknown, work: () => Promise<T>): Promise<T> {
  let error = failure;
  for (let attempt = 1; attempt < ATTEMPTS && FAILED_BY_SWAP.has(sqlState(error)); attempt += 1) {
    try {
      return await work();
    } catch (next) {
      // A statement within a transaction cannot be repeated alone: the transaction's owner receives the
      // error.
      if (sqlState(next) === FAILED_TRANSACTION) break;
      error = next;
    }
  }
  throw error;
}

/** Runs a statement that is safe to repeat as {@link retryAfterSwap} does. Throws PostgreSQL's errors. */
export function queryThroughSwaps<Row extends QueryResultRow>(
  executor: Pick<Pool, 'query'>,
  statement: Statement,
): Promise<QueryResult<Row>> {
  const query = (): Promise<QueryResult<Row>> => executor.query<Row>(statement);
  return query().catch((error) => retryAfterSwap(error, query));
}
