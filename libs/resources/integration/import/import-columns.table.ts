import type { Executor } from '#projections/projection.js';
import { defineTable } from '#projections/table.js';
import type { ColumnMapping } from '../../importing/columns.js';
import type { FileKind } from './import-files.js';
import { importColumnsAggregate, type MappedColumn } from './import-columns.decider.js';

type Columns = { readonly mapping: readonly MappedColumn[] };

/** How organisations read the headers of files; the id is the kind of file. */
export const importColumnsTable = defineTable<Columns>()(importColumnsAggregate, {
  name: 'import_columns',
  columns: { mapping: 'list' },
  row: ({ mapping }) => ({ mapping }),
  order: 'id',
});

/** The organisation's own mapping of one kind of file. */
export async function mappingOf(executor: Executor, organisationId: string, kind: FileKind): Promise<readonly MappedColumn[]> {
  return (await importColumnsTable.find(executor, organisationId, kind))?.mapping ?? [];
}

/** Mappings as imports read headers; later ones go before earlier ones. */
export function asMapping(...mappings: readonly (readonly MappedColumn[])[]): ColumnMapping {
  return Object.fromEntries(mappings.flat().map(({ header, column }) => [header, column]));
}

export const IMPORT_COLUMNS_SQL = `
create table import_columns (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  revision bigint not null,
  mapping jsonb not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organisation_id, id)
);
`;
