import type { Executor } from '#projections/projection.js';
import { defineTable, type Stored } from '#projections/table.js';
import { customFieldAggregate } from './custom-field.decider.js';
import type { CustomField } from './custom-field.rules.js';

/** A row of `custom_fields`. */
export type CustomFieldRow = Stored<CustomField>;

/** Custom fields, the hidden ones included. */
export const customFieldTable = defineTable<CustomField>()(customFieldAggregate, {
  name: 'custom_fields',
  columns: {
    key: 'value',
    label: 'value',
    description: 'value',
    field_type: 'value',
    sensitivity: 'value',
    api_access: 'value',
    display_order: 'value',
    is_required: 'value',
    options: 'list',
  },
  row: ({ field }) => field,
  order: 'display_order, key',
});

/** `options` has the form of the decider, retired ones last. `key` sorts by code units, so that lists have the same order on every server. */
export const CUSTOM_FIELDS_SCHEMA = `
create table custom_fields (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  revision bigint not null,
  key text collate "C" not null,
  label text not null,
  description text,
  field_type text not null,
  sensitivity text not null,
  api_access text not null,
  display_order integer not null,
  is_required boolean not null,
  options jsonb not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organisation_id, id)
);
`;

const READ = `select ${customFieldTable.selectList()} from custom_fields where organisation_id = $1`;

/** The organisation's custom fields in their order: all, or those that the API may show. */
export async function listCustomFields(
  executor: Executor,
  organisationId: string,
  which: 'all' | 'visible',
): Promise<readonly CustomFieldRow[]> {
  const { rows } = await executor.query<CustomFieldRow>({
    name: `list-custom-fields-${which}`,
    text: `${READ}${which === 'all' ? '' : " and api_access <> 'hidden'"} order by display_order, key`,
    values: [organisationId],
  });
  return rows;
}

/** The custom field of this id or key; null where this organisation has none. */
export async function findCustomField(executor: Executor, organisationId: string, idOrKey: string): Promise<CustomFieldRow | null> {
  const { rows } = await executor.query<CustomFieldRow>({
    name: 'find-custom-field',
    text: `${READ} and (id = $2 or key = $2)`,
    values: [organisationId, idOrKey],
  });
  return rows[0] ?? null;
}
