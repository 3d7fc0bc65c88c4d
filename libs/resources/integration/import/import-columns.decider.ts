import { accept, type Decision, defineAggregate, type DomainEvent } from '#kernel/aggregate.js';
import { canonicalJson } from '#kernel/json.js';

/** A header of files with the column that it means; null for a column to leave out. */
export type MappedColumn = { readonly header: string; readonly column: string | null };

// This name and its fields are the storage format: add new ones, never rename or remove.
export type ImportColumnsEvent = DomainEvent<'ImportColumnsMapped', { mapping: readonly MappedColumn[] }>;

/** How an organisation reads the headers of one kind of file. */
export interface ImportColumnsState {
  readonly mapping: readonly MappedColumn[];
}

export const initialImportColumns: ImportColumnsState = { mapping: [] };

/** The state with one more event. */
export function evolveImportColumns(_state: ImportColumnsState, event: ImportColumnsEvent): ImportColumnsState {
  return { mapping: event.data.mapping };
}

/** What mapping the columns records. The same mapping records nothing. */
export function decideImportColumns(mapping: readonly MappedColumn[], state: ImportColumnsState): Decision<ImportColumnsEvent> {
  return canonicalJson(mapping) === canonicalJson(state.mapping) ? accept() : accept({ type: 'ImportColumnsMapped', data: { mapping } });
}

export const importColumnsAggregate = defineAggregate({
  category: 'import-columns',
  initial: initialImportColumns,
  evolve: evolveImportColumns,
});
