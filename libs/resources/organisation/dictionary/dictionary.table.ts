import { type Aggregate, defineAggregate } from '#kernel/aggregate.js';
import type { IdKind } from '#kernel/identifier.js';
import type { Executor } from '#projections/projection.js';
import { defineTable } from '#projections/table.js';
import { nameKey } from '../../naming/name-key.js';
import { type EntryEvent, type EntryState, evolveEntry, initialEntry } from './entry.decider.js';

/** The aggregate of one dictionary's entries. */
export function dictionaryAggregate(category: string, idKind: IdKind): Aggregate<EntryState, EntryEvent> {
  return defineAggregate({ category, idKind, initial: initialEntry, evolve: evolveEntry });
}

/** The entries of one dictionary, the inactive ones included. */
export function dictionaryTable(name: string, aggregate: Aggregate<EntryState, EntryEvent>) {
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
