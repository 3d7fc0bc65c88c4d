import { raw, type Sql, sql } from '#database/sql.js';
import { MAX_PAGE_SIZE } from '#kernel/page-size.js';

/**
 * The first rows of a query in its order. PostgreSQL takes a limit that is a parameter for a tenth of all
 * rows: no plan for any values would then be good enough to be kept. So a literal limit stands below it, one
 * for pages of every size; rows are fetched only as far as they are needed.
 */
export function firstRows(query: Sql, count: number): Sql {
  return sql`select * from (${query} limit ${raw(String(Math.max(count, MAX_PAGE_SIZE + 1)))}) r limit ${count}`;
}
