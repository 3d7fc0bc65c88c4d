import { databaseForSpec } from '../support/postgres.js';
import { PROJECTIONS } from '#composition/registry.js';

describe('the read tables', () => {
  const database = databaseForSpec();

  it.each(PROJECTIONS.flatMap((projection) => projection.tables))(
    'have the columns that projections and triggers write: $name',
    async (table) => {
      const { rows } = await database.pool.query<{ column_name: string; is_generated: string }>(
        'select column_name, is_generated from information_schema.columns where table_name = $1',
        [table.name],
      );
      const written = rows.filter((row) => row.is_generated === 'NEVER').map((row) => row.column_name);
      expect([...table.columns, ...(table.setByTrigger ?? [])].sort()).toEqual(written.sort());
    },
  );
});
