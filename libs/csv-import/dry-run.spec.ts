import type { NewEvent } from '#event-store/event-store.js';
import { MemoryEventStore } from '../../test/support/memory-event-store.js';
import { nameBasedUuid } from '#identifiers/uuid.js';
import type { CommandServices } from '#commands/services.js';
import { dryRunOf } from './dry-run.js';

const ONE = 'widget-org_a.1';
const OTHER = 'widget-org_a.2';

function event(name: string): NewEvent {
  const metadata = {
    schema_version: 1,
    actor: { type: 'operator', id: 'tester' },
    request_id: null,
    idempotency_key: null,
    fingerprint: null,
    causation_id: null,
    hash: name,
    previous_hash: null,
  } as const;
  return { id: nameBasedUuid(name), type: 'WidgetMade', data: { name }, metadata };
}

async function openDryRun() {
  const store = new MemoryEventStore();
  await store.append(ONE, 'none', [event('a'), event('b')]);
  const dryRun = dryRunOf({ store } as unknown as CommandServices);
  return { store, dryStore: dryRun.store, dryRun };
}

const names = (events: readonly { readonly data: object }[]) =>
  events.map(({ data }) => (data as { name: string }).name);

describe('a dry run', () => {
  it('returns recorded events, and after them those that would be recorded, however a stream is read', async () => {
    const { dryStore } = await openDryRun();
    expect(await dryStore.append(ONE, 1, [event('c'), event('d')])).toMatchObject({ revision: 3, repeated: false });
    expect(await dryStore.append(OTHER, 'none', [event('x')])).toMatchObject({ revision: 0 });
    expect((await dryStore.readStream(ONE)).map(({ revision }) => revision)).toEqual([0, 1, 2, 3]);
    expect(names(await dryStore.readStream(ONE, { from: 1, limit: 2 }))).toEqual(['b', 'c']);
    expect(names(await dryStore.readStream(ONE, { direction: 'backwards', limit: 3 }))).toEqual(['d', 'c', 'b']);
    expect(names(await dryStore.readStream(ONE, { direction: 'backwards', from: 1 }))).toEqual(['b', 'a']);
    expect((await dryStore.readStreams([OTHER, ONE, 'widget-org_a.3'])).map(names)).toEqual([
      ['x'],
      ['a', 'b', 'c', 'd'],
      [],
    ]);
  });

  it('refuses an append that comes too late, as the store would', async () => {
    const { dryStore } = await openDryRun();
    for (const expected of ['none', 0, 2] as const)
      await expect(dryStore.append(ONE, expected, [event('c')])).rejects.toThrow('is at 1');
    await dryStore.append(ONE, 1, [event('c')]);
    await expect(dryStore.append(ONE, 1, [event('d')])).rejects.toThrow('is at 2');
    expect(await dryStore.append(OTHER, 'none', [event('x')])).toMatchObject({ revision: 0 });
    await expect(dryStore.append(ONE, 2, [])).rejects.toThrow('at least one event');
  });

  it('writes nothing, and the next one does not see its events', async () => {
    const { store, dryStore } = await openDryRun();
    await dryStore.append(ONE, 1, [event('c')]);
    await dryStore.append(OTHER, 'none', [event('x')]);
    expect(names(await store.readAll(null, 10))).toEqual(['a', 'b']);
    expect(names(await dryStore.readAll(null, 10))).toEqual(['a', 'b']);
    expect(names(await dryRunOf({ store } as unknown as CommandServices).store.readStream(ONE))).toEqual(['a', 'b']);
  });

  it('projects nothing', async () => {
    const { dryRun } = await openDryRun();
    expect(dryRun.projector.projections).toEqual([]);
  });
});
