import {
  EventStoreDbEventStore,
  type EventStoreDbOptions,
} from '#event-store/eventstoredb/eventstoredb-event-store.js';
import { StoreUnavailableError, type NewEvent } from '#event-store/event-store.js';
import { describeOnTestServer } from '../support/eventstoredb/outside-server.js';
import { PATIENCE } from '../support/eventstoredb/patience.js';
import { TestCluster } from '../support/eventstoredb/test-cluster.js';
import {
  eventually,
  expectOrdered,
  Follower,
  freshStream,
  newEvent,
  newEvents,
  untilAvailable,
} from './event-store.support.js';

let cluster: TestCluster;
let store: EventStoreDbEventStore;

function open(connectionString: string, options: Partial<EventStoreDbOptions> = {}): void {
  store = new EventStoreDbEventStore({
    connectionString,
    attemptMilliseconds: 1_000,
    totalMilliseconds: PATIENCE.totalMilliseconds,
    ...options,
  });
}

const appendsAt = (node: number): number => cluster.node(node).calls.get('append') ?? 0;

describeOnTestServer('EventStoreDbEventStore, in a cluster', 'elect a leader', () => {
  beforeEach(async () => {
    cluster = await TestCluster.start();
  });

  afterEach(async () => {
    await store.close();
    cluster.stop();
  });

  describe.each([
    ['all nodes by name', () => cluster.connectionString],
    ['discovery through a follower', () => cluster.connectionStringOf(2, 'esdb+discover')],
    ['a follower by name', () => cluster.connectionStringOf(1)],
  ])('with %s', (_, connectionString) => {
    it('writes to and reads from the leader', async () => {
      open(connectionString());
      const stream = freshStream();
      await store.append(stream, 'none', newEvents(2));
      expect(await store.readStream(stream)).toHaveLength(2);
      expect(appendsAt(0)).toBe(1);
    });

    it('goes with the leader when it changes, and misses and doubles nothing', async () => {
      open(connectionString());
      const follower = new Follower(store, null);
      const stream = freshStream();
      const written: NewEvent[] = [];
      for (let revision = 0; revision < 60; revision += 1) {
        if (revision % 20 === 10) cluster.elect((revision % 30) / 10);
        const event = newEvent({ revision });
        expect(await store.append(stream, revision === 0 ? 'none' : revision - 1, [event])).toMatchObject({
          revision,
          repeated: false,
        });
        written.push(event);
      }
      expect((await store.readStream(stream)).map(({ id }) => id)).toEqual(written.map(({ id }) => id));
      expect((await follower.until(60)).map(({ id }) => id)).toEqual(written.map(({ id }) => id));
      await follower.end();
      expectOrdered(follower.events);
      expect([appendsAt(0), appendsAt(1), appendsAt(2)].every((count) => count > 0)).toBe(true);
    });
  });

  describe('whose nodes fail', () => {
    it('goes to the next leader when the one before was killed, and to it when it leads again', async () => {
      open(cluster.connectionString);
      const follower = new Follower(store, null);
      const stream = freshStream();
      await store.append(stream, 'none', newEvents(1));
      cluster.kill(0);
      cluster.elect(1);
      await store.append(stream, 0, newEvents(1));
      await cluster.startNode(0);
      cluster.elect(0);
      cluster.kill(1);
      await store.append(stream, 1, newEvents(1));
      expect(appendsAt(0)).toBe(1);
      await follower.until(3);
      await follower.end();
    });

    it('leaves a leader that takes calls and answers none, once another one leads', async () => {
      open(cluster.connectionString, { watchdogMilliseconds: 500 });
      const follower = new Follower(store, null);
      const stream = freshStream();
      await store.append(stream, 'none', newEvents(1));
      await follower.until(1);
      cluster.node(0).faults.hanging = true;
      cluster.elect(2);
      expect(await store.append(stream, 0, newEvents(1))).toMatchObject({ revision: 1, repeated: false });
      expect(appendsAt(2)).toBe(1);
      await follower.until(2);
      await follower.end();
    });

    it('is away while there is no node, says so, and is there again by itself', async () => {
      open(cluster.connectionString, { totalMilliseconds: 1_500 });
      const stream = freshStream();
      const first = newEvents(1);
      await untilAvailable(() => store.append(stream, 'none', first));
      for (const node of [0, 1, 2]) cluster.kill(node);
      const event = newEvent();
      await expect(store.append(stream, 0, [event])).rejects.toThrow(StoreUnavailableError);
      const { message, remedy } = (await store
        .append(stream, 0, [event])
        .catch((error: StoreUnavailableError) => error)) as StoreUnavailableError;
      expect([message, remedy]).toEqual([
        'no node of EventStoreDB named the leader of the cluster',
        expect.stringContaining('EVENTSTORE_URL'),
      ]);
      for (const node of [0, 1, 2]) await cluster.startNode(node);
      await eventually(() => store.append(stream, 0, [event]).catch(() => null));
      expect(await store.readStream(stream)).toHaveLength(2);
    });
  });
});
