import { type EventStore, WrongExpectedRevisionError } from '#event-store/event-store.js';
import { newEvent } from '../../../test/contract/event-store.support.js';
import { MemoryEventStore } from '../../../test/support/memory-event-store.js';
import { recordedAt } from './recorded-at.js';

const STREAM = 'person-org_a.one';

describe('a store that records at a past instant', () => {
  let store: EventStore;
  const at = (instant: string): EventStore => recordedAt(store, instant);

  beforeEach(() => {
    store = new MemoryEventStore();
  });

  it('records events at that instant, a millisecond later for each revision', async () => {
    const first = await at('2021-05-01T09:00:00.000Z').append(STREAM, 'none', [newEvent(), newEvent()]);
    const next = await at('2022-01-31T09:00:00.000Z').append(STREAM, 1, [newEvent()]);
    const last = await at('2022-01-31T09:00:00.000Z').append(STREAM, 2, [newEvent()]);
    expect([first, next, last].map(({ revision, recordedAt: instant }) => [revision, instant])).toEqual([
      [1, '2021-05-01T09:00:00.001Z'],
      [2, '2022-01-31T09:00:00.002Z'],
      [3, '2022-01-31T09:00:00.003Z'],
    ]);
    expect((await store.readStream(STREAM)).map(({ recordedAt: instant }) => instant)).toEqual([
      '2021-05-01T09:00:00.000Z',
      '2021-05-01T09:00:00.001Z',
      '2022-01-31T09:00:00.002Z',
      '2022-01-31T09:00:00.003Z',
    ]);
  });

  it('refuses another revision than the expected one, and accepts a repeat', async () => {
    const past = at('2021-05-01T09:00:00.000Z');
    const event = newEvent();
    await past.append(STREAM, 'none', [event]);
    await past.append(STREAM, 'none', [event]);
    await expect(past.append(STREAM, 'none', [newEvent()])).rejects.toThrow(WrongExpectedRevisionError);
    expect(await store.readStream(STREAM)).toHaveLength(1);
  });
});
