import type { PoolClient } from 'pg';
import { to as copyTo } from 'pg-copy-streams';

/**
 * Copies the rows of a query to the program (COPY) and yields the bytes. It occupies the connection until
 * all are read. Throws PostgreSQL's error, and an error if a connection with `query_timeout` does not reach
 * the end in time.
 */
export async function* copyOut(connection: PoolClient, select: string): AsyncGenerator<Buffer> {
  const stream = connection.query(copyTo(`copy (${select}) to stdout`));
  try {
    for await (const chunk of stream) yield chunk as Buffer;
  } finally {
    // pg measures the time of a query until this callback, which pg-copy-streams omits: the timer would keep
    // the process alive.
    (stream as { callback?: () => void }).callback?.();
  }
}
