import type { RecordedEvent } from '#event-store/event-store.js';
import type { Stream } from '#projections/projection.js';
import { oneRowProjection, type Projectable } from '#projections/one-row-table.js';
import { customFieldValuesAggregate } from './custom-field-value.decider.js';
import { ROWS_OF_PEOPLE } from '../person/rows-of-people.js';
import type { SealedValuesEvent } from './custom-field-value.seal.js';

/** A person's values as the row stores them: encrypted, by the ids of their fields. */
export type StoredValues = { readonly [customFieldId: string]: { readonly sealed: string | null; readonly updated_at: string } };

/** Values stay encrypted as in the events, so that projecting and rebuilding need no keys: rows come from the events, not from a state. */
const SEALED: Projectable<null, SealedValuesEvent> = { category: customFieldValuesAggregate.category, initial: null, evolve: () => null };

/** People's values in custom fields, encrypted. */
export const customFieldValueProjection = oneRowProjection(SEALED, {
  table: 'person_custom_fields',
  keys: ROWS_OF_PEOPLE,
  columns: ['sealed_values'],
  row: (_, stream) => ({ sealed_values: storedValues(stream) }),
});

/** The values after the whole stream, each with the time at which it was set. */
export function storedValues(stream: Stream): StoredValues {
  return stream.reduce<StoredValues>((before, event) => ({ ...before, ...valuesOf(event) }), {});
}

function valuesOf({ data, recordedAt }: RecordedEvent): StoredValues {
  const { values } = data as SealedValuesEvent['data'];
  return Object.fromEntries(Object.entries(values).map(([id, sealed]) => [id, { sealed, updated_at: recordedAt }]));
}
