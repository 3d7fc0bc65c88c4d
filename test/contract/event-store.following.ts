import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import {
  expectOrdered,
  Follower,
  freshStream,
  newEvents,
  readable,
  readAllAfter,
  type Opened,
} from './event-store.support.js';

const WRITERS = 16;
const APPENDS_EACH = 64;

/** Subscriptions deliver every event exactly once and in order. */
export function followingContract({ store, second }: Opened): void {
  describe('a subscription', () => {
    it('misses nothing while many write, and agrees with what is read afterwards', async () => {
      const before = await store().head();
      const followers = [new Follower(store(), before), new Follower(second(), before, { batchSize: 7 })];
      const streams = await writeConcurrently([store(), second()]);
      const belongs = (event: RecordedEvent): boolean => streams.has(event.stream);
      const followed = await Promise.all(
        followers.map((follower) => follower.until(WRITERS * APPENDS_EACH * 2, belongs)),
      );
      await Promise.all(followers.map((follower) => follower.end()));
      const read = (await readAllAfter(store(), before)).filter(belongs);
      expect(read).toHaveLength(WRITERS * APPENDS_EACH * 2);
      for (const follower of followers) expectOrdered(follower.events);
      for (const events of followed)
        expect(events.map(({ position }) => position)).toEqual(read.map(({ position }) => position));
      for (const stream of streams) expect(read.find((event) => event.stream === stream)?.revision).toBe(0);
    });

    it('goes on from a position, exclusive, and then lives on', async () => {
      const stream = freshStream();
      await store().append(stream, 'none', newEvents(6));
      const third = (await store().readStream(stream))[2]!;
      const follower = new Follower(second(), third.position);
      const ours = (event: RecordedEvent): boolean => event.stream === stream;
      expect((await follower.until(3, ours)).map(({ revision }) => revision)).toEqual([3, 4, 5]);
      await store().append(stream, 5, newEvents(2));
      expect((await follower.until(5, ours)).map(({ revision }) => revision)).toEqual([3, 4, 5, 6, 7]);
      await follower.end();
    });

    it('begins at the beginning of the log', async () => {
      const { position } = await store().append(freshStream(), 'none', newEvents(1));
      await readable(store(), position);
      const all = await readAllAfter(store(), null);
      const follower = new Follower(store(), null, { batchSize: 4_096 });
      const followed = await follower.until(all.length);
      await follower.end();
      expect(followed.slice(0, all.length).map((event) => event.position)).toEqual(all.map((event) => event.position));
    });

    it('gives non-empty batches of at most the size asked for', async () => {
      const before = await store().head();
      const stream = freshStream();
      await store().append(stream, 'none', newEvents(50));
      const follower = new Follower(store(), before, { batchSize: 5 });
      await follower.until(50, (event) => event.stream === stream);
      await follower.end();
      expect(Math.max(...follower.batchSizes)).toBeLessThanOrEqual(5);
      expect(Math.min(...follower.batchSizes)).toBeGreaterThan(0);
    });

    it('ends without an error when its signal aborts: idle, before it began, and inside a batch', async () => {
      await new Follower(store(), await store().head()).end();
      const ended = AbortSignal.abort();
      for await (const batch of store().subscribe({ after: null, signal: ended })) expect(batch).toBeUndefined();
      await store().append(freshStream(), 'none', newEvents(20));
      const ending = new AbortController();
      let batches = 0;
      for await (const batch of store().subscribe({ after: null, signal: ending.signal, batchSize: 1 })) {
        batches += batch.length;
        ending.abort();
      }
      expect(batches).toBe(1);
    });
  });
}

/**
 * Sixteen writers append one to three events at a time, each writer to separate streams; returns the names of
 * the streams.
 */
async function writeConcurrently(stores: readonly EventStore[]): Promise<ReadonlySet<string>> {
  const streams = new Set<string>();
  const write = async (writer: number): Promise<void> => {
    const names = [freshStream(), freshStream()];
    const next = [0, 0];
    for (let append = 0; append < APPENDS_EACH; append += 1) {
      const place = append % 2;
      streams.add(names[place]!);
      const size = 1 + (Math.floor(append / 2) % 2) * 2;
      await stores[writer % stores.length]!.append(
        names[place]!,
        next[place] === 0 ? 'none' : next[place]! - 1,
        newEvents(size),
      );
      next[place] = next[place]! + size;
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  return streams;
}
