import fc from 'fast-check';
import type { RecordedEvent } from '#event-store/event-store.js';
import { type StoredValues, storedValues } from './custom-field-value.js';

const FIELDS = ['cfd_a', 'cfd_b', 'cfd_c'];
const set = fc.dictionary(fc.constantFrom(...FIELDS), fc.option(fc.base64String({ minLength: 4 })), { minKeys: 1 });

function recorded(values: Readonly<Record<string, string | null>>, revision: number): RecordedEvent {
  const recordedAt = new Date(Date.UTC(2026, 0, 1, 0, 0, 0, revision)).toISOString();
  return { type: 'PersonCustomFieldsChanged', data: { values }, revision, recordedAt } as unknown as RecordedEvent;
}

it('contains the last event of each field, projected as a whole and event by event', () => {
  fc.assert(
    fc.property(fc.array(set, { minLength: 1, maxLength: 12 }), (sets) => {
      const stream = sets.map(recorded);
      const naive = FIELDS.flatMap((field): [string, StoredValues[string]][] => {
        const last = stream.findLast(({ data }) => Object.hasOwn((data as { values: object }).values, field));
        return last === undefined
          ? []
          : [
              [
                field,
                {
                  sealed: (last.data as { values: Record<string, string | null> }).values[field]!,
                  updated_at: last.recordedAt,
                },
              ],
            ];
      });
      expect(storedValues(stream)).toEqual(Object.fromEntries(naive));
      const incremental = stream.reduce<StoredValues>((before, event) => ({ ...before, ...storedValues([event]) }), {});
      expect(storedValues(stream)).toEqual(incremental);
    }),
    { numRuns: 300 },
  );
});
