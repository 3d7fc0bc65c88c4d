import { openPersonKey } from '#database/key-rings/person-key-seal.js';
import type { Executor } from '#projections/projection.js';
import type { Definition } from '../../organisation/custom-field/custom-field.rules.js';
import type { StoredValues } from './custom-field-value.projection.js';

/** The part of a custom field that showing its values needs. */
export type ShownField = Pick<Definition, 'id' | 'key' | 'field_type' | 'sensitivity' | 'api_access'>;

/** A person's values in custom fields. */
export interface PersonValues {
  readonly person_id: string;
  /** The key that encrypts the values; null after erasure. */
  readonly person_key: Buffer | null;
  /** The revision of the stream of values; null where no value was ever set. */
  readonly revision: number | null;
  readonly sealed_values: StoredValues;
  /** Custom fields in their order. */
  readonly fields: readonly ShownField[];
}

const FIND = `
select p.person_id, k.key as person_key, v.revision, coalesce(v.sealed_values, '{}') as sealed_values,
    (select coalesce(json_agg(json_build_object('id', f.id, 'key', f.key, 'field_type', f.field_type, 'sensitivity', f.sensitivity,
        'api_access', f.api_access) order by f.display_order, f.key), '[]')
       from custom_fields f where f.organisation_id = $1 and f.api_access <> 'hidden') as fields
  from people p
  left join person_keys k on k.organisation_id = p.organisation_id and k.person_id = p.person_id
  left join person_custom_fields v on v.organisation_id = p.organisation_id and v.person_id = p.person_id
 where p.organisation_id = $1 and p.person_id = $2 and p.identity_revision is not null`;

/** The person's values in the fields that the API may show; null where this organisation has no such person. */
export async function findPersonValues(executor: Executor, organisationId: string, personId: string): Promise<PersonValues | null> {
  const { rows } = await executor.query<PersonValues>({
    name: 'find-person-custom-fields',
    text: FIND,
    values: [organisationId, personId],
  });
  const row = rows[0];
  return row === undefined ? null : { ...row, person_key: await openPersonKey(executor, { organisationId, personId }, row.person_key) };
}
