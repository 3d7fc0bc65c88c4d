import type { Pool } from 'pg';

/**
 * Returns the number of rows that statements read from tables and indexes, according to their plans. Each
 * statement runs a second time for its result.
 */
export async function rowsRead(pool: Pool, run: (executor: Pool) => Promise<unknown>): Promise<number> {
  let read = 0;
  const explaining = {
    query: async ({ text, values }: { text: string; values: unknown[] }) => {
      const { rows } = await pool.query<{ 'QUERY PLAN': readonly [{ Plan: PlanNode }] }>(
        `explain (analyze, buffers, format json) ${text}`,
        values,
      );
      read += readBy(rows[0]!['QUERY PLAN'][0].Plan);
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

function readBy(node: PlanNode): number {
  const own =
    /Scan/.test(node['Node Type']) && !/CTE|Subquery|Function/.test(node['Node Type'])
      ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
      : 0;
  return own + (node.Plans ?? []).reduce((sum, child) => sum + readBy(child), 0);
}
