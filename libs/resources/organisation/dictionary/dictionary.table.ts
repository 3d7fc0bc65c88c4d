import { type Aggregate, defineAggregate } from '#kernel/aggregate.js';
import type { IdKind } from '#kernel/identifier.js';
import type { Executor } from '#projections/projection.js';
import { defineTable } from '#projections/table.js';
import { nameKey } from '../../naming/name-key.js';
import { type EntryEvent, type EntryState, evolveEntry, initialEntry } from './entry.decider.js';

/** The table of each dictionary. */
export type DictionaryName = 'work_places' | 'work_types' | 'document_types';
export type DictionaryTable = ReturnType<typeof dictionaryTable>;

export const workPlaceTable = dictionaryTable('work_places', 'work-place', 'workPlace');
export const workTypeTable = dictionaryTable('work_types', 'work-type', 'workType');
export const documentTypeTable = dictionaryTable('document_types', 'document-type', 'documentType');

/** Declares a dictionary: its aggregate and its entries, the inactive ones included. */
function dictionaryTable(name: DictionaryName, category: string, idKind: IdKind) {
  const aggregate: Aggregate<EntryState, EntryEvent> = defineAggregate({ category, idKind, initial: initialEntry, evolve: evolveEntry });
  return defineTable<{ readonly label: string; readonly is_active: boolean }>()(aggregate, {
    name,
    columns: { label: 'value', is_active: 'value' },
    row: ({ label, status }) => ({ label, is_active: status === 'active' }),
    lookUps: { name_key: ({ label }) => nameKey(label) },
    naming: { column: 'label', isArchived: 'not is_active' },
    order: 'name_key, id',
  });
}

/** The read table of one dictionary: entries with a label, in use or not. */
export function dictionarySchema(table: string): string {
  return `
create table ${table} (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  revision bigint not null,
  label text not null,
  name_key text collate "C" not null,
  is_active boolean not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organisation_id, id)
);
create index ${table}_by_label on ${table} (organisation_id, name_key);
`;
}

/** An entry of a dictionary. */
export interface EntryRow {
  readonly id: string;
  readonly label: string;
  readonly is_active: boolean;
}

/** All entries of an organisation in the dictionary with this table, the inactive ones included, by label. */
export async function listEntries(executor: Executor, table: string, organisationId: string): Promise<readonly EntryRow[]> {
  const { rows } = await executor.query<EntryRow>({
    name: `list-entries-of-${table}`,
    text: `select id, label, is_active from ${table} where organisation_id = $1 order by name_key, id`,
    values: [organisationId],
  });
  return rows;
}
