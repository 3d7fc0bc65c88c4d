import type { Pool } from 'pg';
import type { ReadTable } from '#projections/projection.js';
import { contentColumns } from '#projections/table-hash.js';
import { peopleProjection } from '#people/record/people.js';

/** Returns a hash of each table's rows, by person and table. Two equal builds have equal hashes. */
export async function contentByPerson(
  pool: Pool,
  organisationIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const table of peopleProjection.tables) {
    const { rows } = await pool.query<{ person: string; hash: string }>(statementOf(table), [organisationIds]);
    for (const { person, hash } of rows) found.set(`${table.name} ${person}`, hash);
  }
  return found;
}

function statementOf(table: ReadTable): string {
  const row = `row(${contentColumns(table).join(', ')})::text`;
  return `select organisation_id || '.' || person_id as person, count(*) || ' ' || md5(string_agg(${row}, ' ' order by ${table.primaryKey.join(', ')})) as hash
            from ${table.name} where organisation_id = any($1::text[]) group by 1`;
}

/** Deletes the rows of an organisation's people, as if nothing had been projected. */
export async function forgetPeople(pool: Pool, organisationId: string): Promise<void> {
  for (const { name } of peopleProjection.tables)
    await pool.query(`delete from ${name} where organisation_id = $1`, [organisationId]);
}
