import {
  InvalidAppendError,
  WrongExpectedRevisionError,
  type ImportedEvent,
  type RecordedEvent,
} from '#event-store/event-store.js';
import { Follower, freshStream, newEvent, readable, type Opened } from './event-store.support.js';

/** Times in the past, different for every event; no store's own clock returns them. */
const LONG_AGO = Date.parse('2019-03-01T08:00:00.000Z');

function imported(stream: string, revision: number, minutes = revision): ImportedEvent {
  return {
    ...newEvent({ revision }),
    stream,
    revision,
    recordedAt: new Date(LONG_AGO + minutes * 60_000).toISOString(),
  };
}

const withoutPosition = ({ position: _, ...event }: RecordedEvent): unknown => event;

/** Events that another store recorded. */
export function importingContract({ store, second }: Opened): void {
  describe('an import', () => {
    it('keeps revisions, ids, metadata, recorded times and the order over streams', async () => {
      const [left, right] = [freshStream('imported'), freshStream('imported')];
      const events = [
        imported(left, 0, 1),
        imported(left, 1, 5),
        imported(right, 0, 3),
        imported(left, 2, 2),
        imported(right, 1, 7),
        imported(right, 2, 8),
        imported(right, 3, 9),
      ];
      const before = await store().head();
      const positions = await store().importEvents(events);
      await readable(store(), positions.at(-1)!);
      const read = (await second().readAll(before, 1_000)).filter(({ stream }) => stream === left || stream === right);
      expect(read.map(withoutPosition)).toEqual(events);
      expect(read.map(({ position }) => position)).toEqual(positions);
      expect((await second().readStream(left)).map(({ recordedAt }) => recordedAt)).toEqual(
        [events[0], events[1], events[3]].map((event) => event!.recordedAt),
      );
      const follower = new Follower(second(), before);
      const followed = await follower.until(events.length, ({ stream }) => stream === left || stream === right);
      await follower.end();
      expect(followed.map(withoutPosition)).toEqual(events);
      const scanned: RecordedEvent[] = [];
      for await (const batch of store().scanCategory('imported', positions.at(-1)!))
        scanned.push(...batch.filter(({ stream }) => stream === right));
      expect(scanned.map(withoutPosition)).toEqual(events.filter(({ stream }) => stream === right));
    });

    it('may be repeated, and goes on where it ended, however it is cut', async () => {
      const stream = freshStream();
      const events = Array.from({ length: 7 }, (_, revision) => imported(stream, revision));
      const first = await store().importEvents(events.slice(0, 3));
      expect(await second().importEvents(events.slice(0, 3))).toEqual(first);
      const whole = await store().importEvents(events.slice(1));
      expect(whole.slice(0, 2)).toEqual(first.slice(1));
      expect(await store().importEvents(events)).toEqual([first[0], ...whole]);
      expect((await second().readStream(stream)).map(withoutPosition)).toEqual(events);
    });

    it("is gone on from by appends, whose time is the store's again", async () => {
      const stream = freshStream();
      await store().importEvents([imported(stream, 0), imported(stream, 1)]);
      const appended = await store().append(stream, 1, [newEvent()]);
      expect(appended.revision).toBe(2);
      expect(Date.parse(appended.recordedAt)).toBeGreaterThan(Date.parse('2025-01-01T00:00:00Z'));
      expect((await store().readStream(stream)).at(-1)).toMatchObject({ revision: 2, recordedAt: appended.recordedAt });
    });

    it("does not take the time of an event that is appended for more than the caller's wish", async () => {
      const stream = freshStream();
      const { recordedAt } = await store().append(stream, 'none', [imported(stream, 0)]);
      expect(Date.parse(recordedAt)).toBeGreaterThan(Date.parse('2025-01-01T00:00:00Z'));
    });

    it('refuses another event at the same place, and one whose place is not reached yet', async () => {
      const stream = freshStream();
      await store().importEvents([imported(stream, 0), imported(stream, 1)]);
      await expect(store().importEvents([imported(stream, 1)])).rejects.toThrow(WrongExpectedRevisionError);
      await expect(store().importEvents([imported(stream, 3)])).rejects.toMatchObject({
        name: 'WrongExpectedRevisionError',
        stream,
        expected: 2,
      });
      await expect(store().importEvents([imported(freshStream(), 1)])).rejects.toThrow(WrongExpectedRevisionError);
      expect(await second().readStream(stream)).toHaveLength(2);
    });

    it('refuses what no append could have recorded, and takes nothing for none', async () => {
      await expect(store().importEvents([{ ...imported(freshStream(), 0), id: 'no id' }])).rejects.toThrow(
        InvalidAppendError,
      );
      expect(await store().importEvents([])).toEqual([]);
    });
  });
}
