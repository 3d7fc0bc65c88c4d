import fc from 'fast-check';
import type { JsonObject } from '#kernel/json.js';
import { InvalidAppendError, MAX_APPEND_BYTES, type NewEvent } from './event-store.js';
import { serialiseAppend } from './new-events.js';

const STREAM = 'person-org_a.b';

function event(change: Partial<NewEvent> = {}): NewEvent {
  const nothing = {
    request_id: null,
    idempotency_key: null,
    fingerprint: null,
    causation_id: null,
    previous_hash: null,
  };
  const metadata = { schema_version: 1, actor: { type: 'system', id: 'test' }, hash: 'hash', ...nothing } as const;
  return { id: crypto.randomUUID(), type: 'person_named', data: { name: 'Ada' }, metadata, ...change };
}

function throwing(): JsonObject {
  return {
    toJSON: () => {
      throw new Error('no');
    },
  } as unknown as JsonObject;
}

describe('an append before it is sent', () => {
  it('becomes the text of its events, in their order', () => {
    const events = [event(), event({ data: {} })];
    expect(serialiseAppend(STREAM, events)).toEqual(
      events.map(({ id, type, data, metadata }) => ({
        id,
        type,
        data: JSON.stringify(data),
        metadata: JSON.stringify(metadata),
      })),
    );
  });

  it('preserves any JSON', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (data) => {
        const [serialised] = serialiseAppend(STREAM, [event({ data: data as JsonObject })]);
        expect(serialised!.data).toBe(JSON.stringify(data));
      }),
    );
  });

  const twice = event();
  it.each<[string, string, readonly NewEvent[]]>([
    ['there is no event', STREAM, []],
    ['the stream has no name', '', [event()]],
    ['an id is no UUID', STREAM, [event({ id: 'evt_1' })]],
    ['an id has capitals', STREAM, [event({ id: 'A987FBC9-4BED-4078-8F07-9141BA07C9F3' })]],
    ['an id is all zeros', STREAM, [event({ id: '00000000-0000-0000-0000-000000000000' })]],
    ['an id stands twice', STREAM, [twice, event(), twice]],
    ['a type is empty', STREAM, [event({ type: '' })]],
    ['data is undefined', STREAM, [event({ data: undefined as unknown as JsonObject })]],
    ['data holds a BigInt', STREAM, [event({ data: { big: 1n } as unknown as JsonObject })]],
    ['data throws as it is written', STREAM, [event({ data: throwing() })]],
  ])('is refused where %s', (_, stream, events) => {
    expect(() => serialiseAppend(stream, events)).toThrow(InvalidAppendError);
  });

  it('may have exactly the maximum size, in bytes rather than characters, and no more', () => {
    const empty = event({ data: { text: '' } });
    const rest =
      MAX_APPEND_BYTES -
      Buffer.byteLength(JSON.stringify(empty.data)) -
      Buffer.byteLength(JSON.stringify(empty.metadata));
    const text = `${'é'.repeat(Math.floor(rest / 2))}${'x'.repeat(rest % 2)}`;
    expect(serialiseAppend(STREAM, [{ ...empty, data: { text } }])).toHaveLength(1);
    expect(() => serialiseAppend(STREAM, [{ ...empty, data: { text: `${text}x` } }])).toThrow(
      /over the limit of 1000000/,
    );
  });
});
