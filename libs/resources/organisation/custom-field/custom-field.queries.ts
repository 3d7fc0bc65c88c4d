import type { Executor } from '#projections/projection.js';
import type { CustomField } from './custom-field.rules.js';

/** A row of `custom_fields`. */
export interface CustomFieldRow extends CustomField {
  readonly id: string;
  readonly revision: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const READ = `select id, revision, key, label, description, field_type, sensitivity, api_access, display_order, is_required, options, created_at, updated_at
  from custom_fields where organisation_id = $1`;

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
