import { accept, type Aggregate, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import type { IdKind } from '#kernel/identifier.js';
import { defineFields, name } from '#kernel/field-list.js';
import { nameKey } from '#kernel/names.js';
import { conflict, notFound } from '#kernel/rejection.js';
import { unreachable } from '#kernel/unreachable.js';
import type { Executor } from '#projections/projection.js';
import { defineTable } from '#projections/table.js';

/** The fields of an entry. */
export const DICTIONARY_ENTRY = defineFields({ label: name({}) });

// These names and fields are the storage format: add new ones, never rename or remove. Which dictionary an
// entry belongs to follows from its stream's category.
export type EntryEvent =
  | DomainEvent<'DictionaryEntryCreated', { label: string }>
  | DomainEvent<'DictionaryEntryRelabelled', { label: string }>
  | DomainEvent<'DictionaryEntryDeactivated', Record<string, never>>
  | DomainEvent<'DictionaryEntryReactivated', Record<string, never>>;

export type EntryState =
  { readonly status: 'none' } | { readonly status: 'active' | 'inactive'; readonly label: string };

export const initialEntry: EntryState = { status: 'none' };

/** The state with one more event. */
export function evolveEntry(state: EntryState, event: EntryEvent): EntryState {
  if (event.type === 'DictionaryEntryCreated') return { status: 'active', label: event.data.label };
  if (state.status === 'none') return state;
  switch (event.type) {
    case 'DictionaryEntryRelabelled':
      return { ...state, label: event.data.label };
    case 'DictionaryEntryDeactivated':
      return { ...state, status: 'inactive' };
    case 'DictionaryEntryReactivated':
      return { ...state, status: 'active' };
    default:
      return unreachable(event);
  }
}

export type EntryCommand =
  | { readonly type: 'create'; readonly label: string }
  | { readonly type: 'relabel'; readonly label: string }
  | { readonly type: 'deactivate' }
  | { readonly type: 'reactivate' };

/**
 * The events of a command, or the reason for its refusal. A command that would not change the state records
 * nothing.
 */
export function decideEntry(command: EntryCommand, state: EntryState): Decision<EntryEvent> {
  const rejection = 'label' in command ? DICTIONARY_ENTRY.rejection({ label: command.label }) : null;
  if (rejection !== null) return reject(rejection);
  if (command.type === 'create') {
    if (state.status !== 'none') return reject(conflict('id', 'an entry with this id exists already'));
    return accept({ type: 'DictionaryEntryCreated', data: { label: command.label } });
  }
  if (state.status === 'none') return reject(notFound('id', 'there is no such entry'));
  switch (command.type) {
    case 'relabel':
      return command.label === state.label
        ? accept()
        : accept({ type: 'DictionaryEntryRelabelled', data: { label: command.label } });
    case 'deactivate':
      return state.status === 'inactive' ? accept() : accept({ type: 'DictionaryEntryDeactivated', data: {} });
    case 'reactivate':
      return state.status === 'active' ? accept() : accept({ type: 'DictionaryEntryReactivated', data: {} });
    default:
      return unreachable(command);
  }
}

/** The table of each dictionary. */
export type DictionaryName = 'work_places' | 'work_types' | 'document_types';
export type DictionaryTable = ReturnType<typeof dictionaryTable>;

export const workPlaceTable = dictionaryTable('work_places', 'work-place', 'workPlace');
export const workTypeTable = dictionaryTable('work_types', 'work-type', 'workType');
export const documentTypeTable = dictionaryTable('document_types', 'document-type', 'documentType');

/** Declares a dictionary: its aggregate, and the table of its entries, including inactive ones. */
function dictionaryTable(name: DictionaryName, category: string, idKind: IdKind) {
  const aggregate: Aggregate<EntryState, EntryEvent> = defineAggregate({
    category,
    idKind,
    initial: initialEntry,
    evolve: evolveEntry,
  });
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

/** All entries of an organisation in the dictionary with this table, including inactive ones, by label. */
export async function listEntries(
  executor: Executor,
  table: string,
  organisationId: string,
): Promise<readonly EntryRow[]> {
  const { rows } = await executor.query<EntryRow>({
    name: `list-entries-of-${table}`,
    text: `select id, label, is_active from ${table} where organisation_id = $1 order by name_key, id`,
    values: [organisationId],
  });
  return rows;
}
