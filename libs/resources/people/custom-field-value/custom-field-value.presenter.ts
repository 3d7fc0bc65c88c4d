import { createHash } from 'node:crypto';
import type { Answer } from '#http/call.js';
import type { Scope } from '#kernel/scopes.js';
import { scopeOf } from '../../organisation/custom-field/custom-field.rules.js';
import type { PersonCustomFieldsResponse } from './custom-field-value.contract.js';
import type { PersonValues, ShownField } from './custom-field-value.queries.js';
import { openValue } from './custom-field-value.seal.js';

/** A person's values as a key with these scopes sees them, with their entity tag. */
export function answerWith(values: PersonValues, scopes: ReadonlySet<Scope>): Answer {
  return { data: presentValues(values, scopes), entityTag: valuesTag(values, scopes) };
}

/**
 * The entity tag of a person's values: the stream's revision, and which fields are shown in which order, as an
 * administrator, other scopes and erasure change that without an event of the person.
 */
export function valuesTag(values: PersonValues, scopes: ReadonlySet<Scope>): string {
  const shown = [values.person_key === null, ...shownFields(values, scopes).map(({ id }) => id)];
  const mark = createHash('sha256').update(JSON.stringify(shown)).digest('base64url').slice(0, 16);
  return `v${(values.revision ?? -1) + 1}.${mark}`;
}

function presentValues(values: PersonValues, scopes: ReadonlySet<Scope>): PersonCustomFieldsResponse {
  const shown = shownFields(values, scopes).map(({ id, key, field_type }) => {
    const stored = values.sealed_values[id] ?? { sealed: null, updated_at: null };
    const value = stored.sealed === null ? null : openValue(id, stored.sealed, values.person_key);
    return { field_id: id, key, field_type, value, updated_at: stored.updated_at };
  });
  return { person_id: values.person_id, values: shown };
}

function shownFields({ fields }: PersonValues, scopes: ReadonlySet<Scope>): readonly ShownField[] {
  return fields.filter(({ api_access: access, sensitivity }) => {
    const scope = scopeOf(sensitivity);
    return access !== 'hidden' && (scope === null || scopes.has(scope));
  });
}
