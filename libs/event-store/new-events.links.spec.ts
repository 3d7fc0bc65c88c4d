import { chain, type UnchainedEvent } from './new-events.js';
import { firstBrokenLink } from '../../test/support/hash-chain.js';
import { MemoryEventStore } from '../../test/support/memory-event-store.js';
import type { RecordedEvent } from './event-store.js';

const STREAM = 'person-org_a.b';

function unchained(name: string): UnchainedEvent {
  const nothing = { request_id: null, idempotency_key: null, fingerprint: null, causation_id: null };
  const metadata = { schema_version: 1, actor: { type: 'system', id: 'test' }, ...nothing } as const;
  return { id: crypto.randomUUID(), type: 'person_named', data: { name, nested: { b: 1, a: [2, null] } }, metadata };
}

async function storedChain(): Promise<readonly RecordedEvent[]> {
  const store = new MemoryEventStore();
  const first = chain(STREAM, null, [unchained('Ada'), unchained('Grace')]);
  await store.append(STREAM, 'none', first);
  await store.append(STREAM, 1, chain(STREAM, first.at(-1)!.metadata.hash, [unchained('Barbara'), unchained('Radia')]));
  return store.readStream(STREAM);
}

describe('the hash chain of a stream', () => {
  it('starts without a previous hash, and each event names the hash of the one before it', async () => {
    const events = await storedChain();
    expect(events.map(({ metadata }) => metadata.previous_hash)).toEqual([
      null,
      ...events.slice(0, -1).map(({ metadata }) => metadata.hash),
    ]);
    for (const { metadata } of events) expect(metadata.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is intact as it was written, whatever the order of members in its JSON', async () => {
    const events = await storedChain();
    const reordered = events.map((event) => ({
      ...event,
      data: Object.fromEntries(Object.entries(event.data).reverse()),
      metadata: Object.fromEntries(Object.entries(event.metadata).reverse()) as unknown as RecordedEvent['metadata'],
    }));
    expect(firstBrokenLink(events)).toBeNull();
    expect(firstBrokenLink(reordered)).toBeNull();
    expect(firstBrokenLink([])).toBeNull();
  });

  it.each<[string, (event: RecordedEvent) => RecordedEvent]>([
    ['its data is changed', (event) => ({ ...event, data: { name: 'Mallory' } })],
    ['its type is changed', (event) => ({ ...event, type: 'person_renamed' })],
    ['its id is changed', (event) => ({ ...event, id: crypto.randomUUID() })],
    ['it is moved to another stream', (event) => ({ ...event, stream: 'person-org_a.c' })],
    [
      'its actor is changed',
      (event) => ({ ...event, metadata: { ...event.metadata, actor: { type: 'operator', id: 'mallory' } } }),
    ],
    ['its hash is changed', (event) => ({ ...event, metadata: { ...event.metadata, hash: '0'.repeat(64) } })],
    [
      'it is cut off from what was before',
      (event) => ({ ...event, metadata: { ...event.metadata, previous_hash: null } }),
    ],
  ])('breaks at an event when %s', async (_, tamper) => {
    const events = await storedChain();
    const tampered = events.map((event, index) => (index === 2 ? tamper(event) : event));
    expect(firstBrokenLink(tampered)).toBe(tampered[2]);
  });
});
