import { randomUUID } from 'node:crypto';
import {
  InvalidAppendError,
  WrongExpectedRevisionError,
  type EventStore,
  type NewEvent,
} from '#event-store/event-store.js';
import type { JsonObject } from '#kernel/json.js';
import { freshStream, newEvent, newEvents, type Opened } from './event-store.support.js';

/** Expected revisions, repeats, races between writers, refusals. */
export function appendingContract({ store, second }: Opened): void {
  describe('an append', () => {
    it('starts a stream that must not exist, and goes on from its last revision', async () => {
      const stream = freshStream();
      const first = await store().append(stream, 'none', newEvents(2));
      expect(first).toMatchObject({ revision: 1, repeated: false });
      const next = await store().append(stream, 1, newEvents(3));
      expect(next.revision).toBe(4);
      expect(next.position > first.position).toBe(true);
      expect(next.recordedAt >= first.recordedAt).toBe(true);
    });

    it('takes the time from the store, to the millisecond, and answers as the event reads', async () => {
      const stream = freshStream();
      const { position, recordedAt, revision } = await store().append(stream, 'none', newEvents(2));
      expect(recordedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect((await second().readStream(stream)).at(-1)).toMatchObject({ position, recordedAt, revision, stream });
    });

    it.each<[string, number, 'none' | number, number | null]>([
      ['none on a stream that exists', 2, 'none', 1],
      ['a revision of a stream that does not exist', 0, 5, null],
      ['a revision that the stream has not reached', 2, 5, 1],
      ['a revision that the stream has left', 3, 0, 2],
    ])('refuses %s', async (_, present, expected, actual) => {
      const stream = freshStream();
      if (present > 0) await store().append(stream, 'none', newEvents(present));
      const refused = store().append(stream, expected, newEvents(1));
      await expect(refused).rejects.toThrow(WrongExpectedRevisionError);
      await expect(refused).rejects.toMatchObject({ stream, expected, actual });
      expect(await store().readStream(stream)).toHaveLength(present);
    });
  });

  repeatsContract({ store, second });
  racesContract({ store, second });
  invalidAppendsContract({ store, second });
}

function repeatsContract({ store, second }: Opened): void {
  describe('a repeated append', () => {
    it('answers as the first did and writes nothing', async () => {
      const stream = freshStream();
      const events = newEvents(2);
      const first = await store().append(stream, 'none', events);
      expect(await second().append(stream, 'none', events)).toEqual({ ...first, repeated: true });
      expect(await store().readStream(stream)).toHaveLength(2);
    });

    it('answers as the first did when the stream has moved on', async () => {
      const stream = freshStream();
      await store().append(stream, 'none', newEvents(2));
      const events = newEvents(2);
      const first = await store().append(stream, 1, events);
      await store().append(stream, 3, newEvents(4));
      expect(await store().append(stream, 1, events)).toEqual({ ...first, repeated: true });
      expect(await store().readStream(stream)).toHaveLength(8);
    });

    it('knows events by their ids alone', async () => {
      const stream = freshStream();
      const event = newEvent({ name: 'Ada' });
      await store().append(stream, 'none', [event]);
      expect((await store().append(stream, 'none', [newEvent({ name: 'Grace' }, event.id)])).repeated).toBe(true);
      expect((await store().readStream(stream))[0]?.data).toEqual({ name: 'Ada' });
    });

    it.each<[string, (events: readonly NewEvent[]) => readonly NewEvent[], 'none' | number]>([
      ['known events followed by new ones', (events) => [...events, newEvent()], 'none'],
      ['known events after new ones', (events) => [newEvent(), ...events], 'none'],
      ['known events in another order', (events) => [...events].reverse(), 'none'],
      ['known events at another revision', (events) => events.slice(0, 1), 0],
    ])('is refused where it holds %s', async (_, change, expected) => {
      const stream = freshStream();
      const events = newEvents(3);
      await store().append(stream, 'none', events);
      const refused = store().append(stream, expected, change(events));
      await expect(refused).rejects.toMatchObject({ name: 'WrongExpectedRevisionError', actual: 2 });
      expect(await store().readStream(stream)).toHaveLength(3);
    });

    it('is a new event in another stream', async () => {
      const event = newEvent();
      await store().append(freshStream(), 'none', [event]);
      expect((await store().append(freshStream(), 'none', [event])).repeated).toBe(false);
    });
  });
}

function racesContract({ store, second }: Opened): void {
  describe('concurrent writers', () => {
    it('start a stream only once', async () => {
      const stream = freshStream();
      const appends = Array.from({ length: 32 }, (_, writer) =>
        (writer % 2 ? store() : second()).append(stream, 'none', [newEvent({ writer })]),
      );
      const settled = await Promise.allSettled(appends);
      const refused = settled.filter((result) => result.status === 'rejected');
      expect(refused).toHaveLength(31);
      for (const { reason } of refused) expect(reason).toMatchObject({ name: 'WrongExpectedRevisionError', actual: 0 });
      const events = await store().readStream(stream);
      expect(events).toHaveLength(1);
      expect(events[0]?.data).toEqual({ writer: settled.findIndex((result) => result.status === 'fulfilled') });
    });

    it('repeat one and the same append without writing it twice', async () => {
      const stream = freshStream();
      const events = newEvents(3);
      const appended = await Promise.all(Array.from({ length: 8 }, () => store().append(stream, 'none', events)));
      expect(appended.filter(({ repeated }) => !repeated)).toHaveLength(1);
      expect(new Set(appended.map(({ position }) => position)).size).toBe(1);
      expect(await store().readStream(stream)).toHaveLength(3);
    });

    it('lose no update where each goes on from what it read', async () => {
      const stream = freshStream();
      await Promise.all(Array.from({ length: 8 }, (_, writer) => count(writer % 2 ? store() : second(), stream, 5)));
      const events = await store().readStream(stream);
      expect(events.map(({ data }) => data['count'])).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    });

    it('do not hinder one another in different streams', async () => {
      const streams = Array.from({ length: 50 }, () => freshStream());
      const appended = await Promise.all(streams.map((stream) => store().append(stream, 'none', newEvents(2))));
      expect(appended.every(({ revision }) => revision === 1)).toBe(true);
      expect(new Set(appended.map(({ position }) => position)).size).toBe(50);
    });
  });
}

/** Adds one to the number in the stream's last event, `times` times, in competition with other writers. */
async function count(store: EventStore, stream: string, times: number): Promise<void> {
  for (let done = 0; done < times;) {
    const [last] = await store.readStream(stream, { direction: 'backwards', limit: 1 });
    const next = newEvent({ count: last === undefined ? 1 : Number(last.data['count']) + 1 });
    try {
      await store.append(stream, last?.revision ?? 'none', [next]);
      done += 1;
    } catch (error) {
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
    }
  }
}

function invalidAppendsContract({ store }: Opened): void {
  describe('an append that could never succeed', () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const twice = newEvent();

    it.each<[string, readonly NewEvent[]]>([
      ['without events', []],
      ['with an id that is no UUID', [newEvent({}, 'seven')]],
      ['with an id of zeros', [newEvent({}, '00000000-0000-0000-0000-000000000000')]],
      ['with an id in capitals', [newEvent({}, randomUUID().toUpperCase())]],
      ['with an id twice', [twice, twice]],
      ['without a type', [{ ...newEvent(), type: '' }]],
      ['with data that JSON cannot carry', [newEvent(circular as JsonObject)]],
      ['with a BigInt', [newEvent({ big: 1n } as unknown as JsonObject)]],
      [
        'without data',
        [newEvent(undefined as unknown as JsonObject), { ...newEvent(), data: undefined as unknown as JsonObject }],
      ],
      ['over the limit of one event', [newEvent({ text: 'x'.repeat(1_000_001) })]],
      ['over the limit together', [1, 2, 3].map(() => newEvent({ text: 'x'.repeat(400_000) }))],
    ])('is refused %s', async (_, events) => {
      const stream = freshStream();
      await expect(store().append(stream, 'none', events)).rejects.toThrow(InvalidAppendError);
      expect(await store().readStream(stream)).toEqual([]);
    });

    it('is refused without a stream', async () => {
      await expect(store().append('', 'none', newEvents(1))).rejects.toThrow(InvalidAppendError);
    });

    it('leaves the store able to append', async () => {
      await expect(store().append(freshStream(), 'none', [newEvent({}, 'seven')])).rejects.toThrow(InvalidAppendError);
      expect((await store().append(freshStream(), 'none', newEvents(1))).revision).toBe(0);
    });
  });
}
