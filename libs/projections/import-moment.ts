import type { Executor } from './projection.js';

const LATEST = `
select greatest((select max(moved_at) from event_store_moves), (select max(finished_at) from installation_steps)) as moment`;

/**
 * The moment at which the last import of history ended: `workforce events import`, or the demo's history at the first start. Null where
 * there was none. Imported events keep the recorded times of another store or of the past, and no worker runs during an import, so no
 * projection could have handled them earlier than this moment.
 */
export async function lastImportEnd(executor: Executor): Promise<Date | null> {
  const { rows } = await executor.query<{ moment: Date | null }>(LATEST);
  return rows[0]!.moment;
}
