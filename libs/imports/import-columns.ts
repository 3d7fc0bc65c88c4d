import type { ColumnMapping } from '#csv-import/columns.js';
import { accept, type Decision, defineAggregate, type DomainEvent } from '#kernel/aggregate.js';
import { canonicalJson } from '#kernel/json.js';
import type { Executor } from '#projections/projection.js';
import { defineTable } from '#projections/table.js';
import type { FileKind } from './import-files.js';

/** A header of files with its column; null for a column to ignore. */
export type MappedColumn = { readonly header: string; readonly column: string | null };

// This name and its fields are the storage format: add new ones, never rename or remove.
export type ImportColumnsEvent = DomainEvent<'ImportColumnsMapped', { mapping: readonly MappedColumn[] }>;

/** The mapping of headers of one kind of file in an organisation. */
export interface ImportColumnsState {
  readonly mapping: readonly MappedColumn[];
}

const initialImportColumns: ImportColumnsState = { mapping: [] };

/** The state with one more event. */
function evolveImportColumns(_state: ImportColumnsState, event: ImportColumnsEvent): ImportColumnsState {
  return { mapping: event.data.mapping };
}

/** The events of a new mapping. A repeat of the current mapping records nothing. */
export function decideImportColumns(
  mapping: readonly MappedColumn[],
  state: ImportColumnsState,
): Decision<ImportColumnsEvent> {
  return canonicalJson(mapping) === canonicalJson(state.mapping)
    ? accept()
    : accept({ type: 'ImportColumnsMapped', data: { mapping } });
}

export const importColumnsAggregate = defineAggregate({
  category: 'import-columns',
  initial: initialImportColumns,
  evolve: evolveImportColumns,
});

type Columns = { readonly mapping: readonly MappedColumn[] };

/** The mappings of headers in organisations; the id is the kind of file. */
export const importColumnsTable = defineTable<Columns>()(importColumnsAggregate, {
  name: 'import_columns',
  columns: { mapping: 'list' },
  row: ({ mapping }) => ({ mapping }),
  order: 'id',
});

/** The organisation's own mapping of one kind of file. */
export async function mappingOf(
  executor: Executor,
  organisationId: string,
  kind: FileKind,
): Promise<readonly MappedColumn[]> {
  return (await importColumnsTable.find(executor, organisationId, kind))?.mapping ?? [];
}

/** Mappings in the form of imports; later ones take precedence over earlier ones. */
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
