import type { Pool } from 'pg';

/** What counts as read: rows of tables and indexes, or also those of expressions of the statement. */
type Counted = 'tables' | 'everything';

/**
 * Returns the number of rows that statements read, according to their plans. Each statement runs a second
 * time for its result.
 */
export async function rowsRead(
  pool: Pool,
  run: (executor: Pool) => Promise<unknown>,
  counted: Counted = 'tables',
): Promise<number> {
  let read = 0;
  const explaining = {
    query: async (statement: { readonly text: string; readonly values: unknown[] } | string, more: unknown[] = []) => {
      const { text, values } = typeof statement === 'string' ? { text: statement, values: more } : statement;
      const { rows } = await pool.query<{ 'QUERY PLAN': readonly [{ Plan: PlanNode }] }>(
        `explain (analyze, buffers, format json) ${text}`,
        values,
      );
      read += readBy(rows[0]!['QUERY PLAN'][0].Plan, counted);
      return pool.query(text, values);
    },
  };
  await run(explaining as unknown as Pool);
  return read;
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

function readBy(node: PlanNode, counted: Counted): number {
  const isOfTable = /Scan/.test(node['Node Type']) && !/CTE|Subquery|Function/.test(node['Node Type']);
  const own =
    isOfTable || counted === 'everything'
      ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
      : 0;
  return own + (node.Plans ?? []).reduce((sum, child) => sum + readBy(child, counted), 0);
}
