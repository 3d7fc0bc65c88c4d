import type { DomainEvent } from '#kernel/aggregate.js';
import { openBytes, sealBytes } from '#database/seal.js';
import type { CustomFieldValuesEvent } from './custom-field-value.decider.js';
import type { FieldValue } from './custom-field-value.rules.js';

/** The event as it is stored: field ids and cleared fields are readable, every value is encrypted separately. Storage format. */
export type SealedValuesEvent = DomainEvent<'PersonCustomFieldsChanged', { values: { readonly [customFieldId: string]: string | null } }>;

/**
 * The plain text is padded to a multiple of this many bytes, so that the length distinguishes neither true from false nor one option from
 * another.
 */
const STEP = 128;

/** Encrypts a value with the person's key and binds it to its field, so that the value of one field cannot replace that of another. */
export function sealValue(customFieldId: string, value: FieldValue, key: Buffer): string {
  const bytes = Buffer.from(JSON.stringify([customFieldId, value]));
  const padded = Buffer.alloc(Math.ceil(bytes.length / STEP) * STEP, ' ');
  bytes.copy(padded);
  return sealBytes(padded, key).toString('base64');
}

/** Decrypts the result of {@link sealValue}; null without the key. Throws where it was encrypted with another key, or for another field. */
export function openValue(customFieldId: string, sealed: string, key: Buffer | null): FieldValue | null {
  if (key === null) return null;
  const [boundTo, value] = JSON.parse(openBytes(Buffer.from(sealed, 'base64'), key).toString('utf8')) as [string, FieldValue];
  if (boundTo !== customFieldId) throw new Error(`a value of custom field ${boundTo} is stored in the place of one of ${customFieldId}`);
  return value;
}

/** An event of the decider as it is stored. */
export function sealValuesEvent({ type, data }: CustomFieldValuesEvent, key: Buffer): SealedValuesEvent {
  return { type, data: { values: eachValue(data.values, (id, value) => sealValue(id, value, key)) } };
}

/** The event as the decider takes it. */
export function openValuesEvent({ type, data }: SealedValuesEvent, key: Buffer): CustomFieldValuesEvent {
  return { type, data: { values: eachValue(data.values, (id, sealed) => openValue(id, sealed, key)) } };
}

function eachValue<From, To>(
  values: { readonly [id: string]: From | null },
  change: (id: string, value: From) => To | null,
): { readonly [id: string]: To | null } {
  return Object.fromEntries(Object.entries(values).map(([id, value]) => [id, value === null ? null : change(id, value)]));
}
