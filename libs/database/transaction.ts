import type { Pool, PoolClient } from 'pg';
import { messageOf } from './error-code.js';
import { sqlState } from './errors.js';

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

/** A statement that each connection prepares once, with its values. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

/** A statement's text with every parameter moved up by so many places, to stand behind those of another one. */
export function movedBy(places: number, text: string): string {
  return text.replace(/\$(\d+)/g, (_, number: string) => `$${Number(number) + places}`);
}

/**
 * What a statement can meet while a rebuild puts new tables in place, with nothing done: a deadlock, and, where PostgreSQL looked up the row type
 * of a table (`null::people`) and then waited for the lock on the table, a row type that is gone (`internal_error`).
 */
const OVERTAKEN_BY_A_SWAP: ReadonlySet<string | null> = new Set(['40P01', 'XX000']);
const ATTEMPTS = 5;

/** Does work that writes the same when it is done again, such as a projection, and does it again where the swap of a rebuild ended it. */
export async function retryingAfterSwap<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!OVERTAKEN_BY_A_SWAP.has(sqlState(error)) || attempt === ATTEMPTS) throw error;
    }
  }
}
