import { InstantAheadError, MAX_CLOCK_SKEW_MILLISECONDS, type EventStore } from '#event-store/event-store.js';
import { appendAtEnd, freshStream, newEvent, newEvents, type Opened } from './event-store.support.js';

/**
 * How many times each race reads the revision at an instant. The race needs the store's full speed, not more
 * rounds.
 */
const INSTANTS = 200;

const PAGE = 20;

/** Returns the last revision recorded at or before an instant; -1 where there is none. */
async function lastRecordedBy(store: EventStore, stream: string, instant: string): Promise<number> {
  for (let from: number | undefined; ;) {
    const page = await store.readStream(stream, {
      direction: 'backwards',
      limit: PAGE,
      ...(from === undefined ? {} : { from }),
    });
    const last = page.find(({ recordedAt }) => recordedAt <= instant);
    if (last !== undefined) return last.revision;
    if (page.length < PAGE || page.at(-1)!.revision === 0) return -1;
    from = page.at(-1)!.revision - 1;
  }
}

const shifted = (instant: string, milliseconds: number): string =>
  new Date(Date.parse(instant) + milliseconds).toISOString();

/**
 * Appends to a stream, one event after the other in competition with other writers, until `isOver` returns
 * true. It waits for the time that was recorded: events of a stream are a millisecond apart, so with more of
 * them in one the recorded times would run ahead of the clock, and the search for the last one before an
 * instant would grow without end.
 */
async function keepAppending(store: EventStore, stream: string, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const { recordedAt } = await appendAtEnd(store, stream, [newEvent()]);
    do await new Promise(setImmediate);
    while (Date.now() < Date.parse(recordedAt));
  }
}

/**
 * The guarantee behind an answer about an instant: once the stream is settled, no event recorded by then can
 * still appear.
 */
export function settlingContract({ store, second }: Opened): void {
  describe('settling', () => {
    it('gives the revision of the last event, also of a stream that is not there', async () => {
      const stream = freshStream();
      const now = new Date().toISOString();
      expect(await store().settle(stream, now)).toBeNull();
      const { recordedAt } = await store().append(stream, 'none', newEvents(3));
      expect(await store().settle(stream, recordedAt)).toBe(2);
      expect(await second().settle(stream, shifted(recordedAt, -1))).toBe(2);
      expect(await second().settle(stream, '2020-01-01T00:00:00.000Z')).toBe(2);
    });

    it.each([1, 2])(
      `never lets what was recorded by an instant change, with %p writing (${INSTANTS} instants)`,
      async (writers) => {
        const stream = freshStream();
        await store().append(stream, 'none', [newEvent()]);
        let isOver = false;
        const writing = [store(), second()].slice(0, writers).map((one) => keepAppending(one, stream, () => isOver));
        const answers: { readonly instant: string; readonly last: number }[] = [];
        for (let asked = 0; asked < INSTANTS; asked += 1) {
          // From slightly in the past to slightly in the future, because only the end of the stream changes.
          const instant = shifted(new Date().toISOString(), (asked % 22) - 20);
          const revision = await second().settle(stream, instant);
          const last = await lastRecordedBy(second(), stream, instant);
          expect(last).toBeLessThanOrEqual(revision ?? -1);
          answers.push({ instant, last });
        }
        isOver = true;
        await Promise.all(writing);
        const all = await store().readStream(stream);
        const laterAnswers = answers.map(({ instant }) => ({
          instant,
          last: all.findLastIndex(({ recordedAt }) => recordedAt <= instant),
        }));
        expect(laterAnswers).toEqual(answers);
      },
    );

    it('waits for an instant that lies a little ahead: whatever is recorded afterwards is later', async () => {
      const stream = freshStream();
      const instant = shifted(new Date().toISOString(), 150);
      expect(await store().settle(stream, instant)).toBeNull();
      const { recordedAt } = await second().append(stream, 'none', [newEvent()]);
      expect(recordedAt > instant).toBe(true);
    });

    it('refuses an instant that lies further ahead', async () => {
      const ahead = shifted(new Date().toISOString(), MAX_CLOCK_SKEW_MILLISECONDS + 60_000);
      for (const instant of [ahead, '9999-12-31T23:59:59.999Z'])
        await expect(store().settle(freshStream(), instant)).rejects.toThrow(InstantAheadError);
    });

    it('shows nobody that it looked: what follows and reads all events gets those that were appended', async () => {
      const before = await store().head();
      await store().settle(freshStream(), new Date().toISOString());
      const stream = freshStream();
      await store().append(stream, 'none', [newEvent()]);
      const events = await store().readAll(before, 100);
      expect(events.filter(({ stream: name }) => !name.includes('-org_'))).toEqual([]);
    });
  });
}
