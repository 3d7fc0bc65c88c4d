import { raw, type Sql, sql } from '#database/sql.js';
import { MAX_PAGE_SIZE } from '#kernel/page-size.js';

/**
 * The first rows of a query in its order. PostgreSQL estimates a parameter limit as a tenth of all rows,
 * which makes every generic plan too bad to be cached. So a literal limit follows below it, the same for
 * pages of every size; rows are fetched only as far as they are needed.
 */
export function firstRows(query: Sql, count: number): Sql {
  return sql`select * from (${query} limit ${raw(String(Math.max(count, MAX_PAGE_SIZE + 1)))}) r limit ${count}`;
}
