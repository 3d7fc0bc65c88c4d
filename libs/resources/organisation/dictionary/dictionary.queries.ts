import type { Executor } from '#projections/projection.js';

/** An entry of a dictionary. */
export interface EntryRow {
  readonly id: string;
  readonly label: string;
  readonly is_active: boolean;
}

/** All entries of an organisation in the dictionary with this table, the inactive ones included, by label. */
export async function listEntries(executor: Executor, table: string, organisationId: string): Promise<readonly EntryRow[]> {
  const { rows } = await executor.query<EntryRow>({
    name: `list-${table}`,
    text: `select id, label, is_active from ${table} where organisation_id = $1 order by name_key, id`,
    values: [organisationId],
  });
  return rows;
}
