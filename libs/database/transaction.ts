import type { Pool, PoolClient } from 'pg';
import { messageOf } from './error-code.js';

/** What differs from PostgreSQL's defaults. */
export interface TransactionOptions {
  /** `false`: the answer does not wait for the disk, and a crash may lose it. Only for what can be derived again. */
  readonly synchronousCommit?: boolean;
  /** `read committed` where not given. */
  readonly isolation?: 'repeatable read' | 'serializable';
  readonly readOnly?: boolean;
}

/**
 * Runs `work` in a transaction on one connection: committed where it returns, rolled back where it throws. The connection
 * is thrown away where its state is not known any more.
 */
export async function inTransaction<T>(
  pool: Pool,
  work: (connection: PoolClient) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const connection = await pool.connect();
  let broken: Error | undefined;
  try {
    await connection.query(beginning(options));
    const result = await work(connection);
    await commit(connection);
    return result;
  } catch (error) {
    broken = await rollBack(connection);
    throw error;
  } finally {
    connection.release(broken);
  }
}

function beginning(options: TransactionOptions): string {
  const isolation = options.isolation === undefined ? '' : ` isolation level ${options.isolation}`;
  const access = options.readOnly === true ? ' read only' : '';
  const commit = options.synchronousCommit === false ? '; set local synchronous_commit to off' : '';
  return `begin${isolation}${access}${commit}`;
}

/** A commit of a transaction that failed is answered with ROLLBACK, not with an error: work that hid a failure ends here. */
async function commit(connection: PoolClient): Promise<void> {
  const { command } = await connection.query('commit');
  if (command !== 'COMMIT') throw new Error('the transaction had failed before its commit and was rolled back');
}

async function rollBack(connection: PoolClient): Promise<Error | undefined> {
  try {
    await connection.query('rollback');
    return undefined;
  } catch (error) {
    return new Error(messageOf(error));
  }
}
