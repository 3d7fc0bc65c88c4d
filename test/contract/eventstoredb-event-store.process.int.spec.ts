import { EventStoreDbEventStore } from '#event-store/eventstoredb/eventstoredb-event-store.js';
import { StoreUnavailableError, type NewEvent } from '#event-store/event-store.js';
import { ChildServer } from '../support/eventstoredb/child-server.js';
import { describeOnTestServer } from '../support/eventstoredb/outside-server.js';
import { PATIENCE } from '../support/eventstoredb/patience.js';
import {
  eventually,
  expectOrdered,
  Follower,
  freshStream,
  newEvent,
  newEvents,
  untilAvailable,
} from './event-store.support.js';

let server: ChildServer;
let store: EventStoreDbEventStore;

const open = ({ totalMilliseconds }: { readonly totalMilliseconds: number } = PATIENCE): EventStoreDbEventStore =>
  new EventStoreDbEventStore({
    connectionString: server.connectionString,
    attemptMilliseconds: 1_000,
    totalMilliseconds,
  });

beforeEach(async () => {
  server = await ChildServer.start({ notReadyMilliseconds: 50 });
  store = open();
});

afterEach(async () => {
  await store.close();
  await server.stop();
});

describeOnTestServer('EventStoreDbEventStore, when the server is killed', 'be killed and paused', () => {
  it('keeps every acknowledged append, writes a repeated one once, and resumes its subscriptions', async () => {
    const follower = new Follower(store, null);
    const written = new Map<string, NewEvent[]>();
    let kills = 0;
    const write = async (): Promise<void> => {
      const stream = freshStream();
      written.set(stream, []);
      for (let revision = 0; revision < 100 || kills < 3; revision += 1) {
        const event = newEvent({ revision });
        const appended = await untilAvailable(() =>
          store.append(stream, revision === 0 ? 'none' : revision - 1, [event]),
        );
        expect(appended.revision).toBe(revision);
        written.get(stream)!.push(event);
      }
    };
    const kill = async (): Promise<void> => {
      for (; kills < 3; kills += 1) {
        const before = follower.events.length;
        await eventually(() => follower.events.length > before + 50);
        await server.kill();
        await server.restart();
      }
    };
    await Promise.all([kill(), ...Array.from({ length: 6 }, write)]);
    for (const [stream, events] of written) {
      expect((await store.readStream(stream)).map(({ id }) => id)).toEqual(events.map(({ id }) => id));
    }
    const total = [...written.values()].flat().length;
    const followed = await follower.until(total);
    await follower.end();
    expect(followed).toHaveLength(total);
    expectOrdered(follower.events);
  });

  it('knows a repeat after the restart', async () => {
    const stream = freshStream();
    const events = newEvents(2);
    const first = await store.append(stream, 'none', events);
    await store.append(stream, 1, newEvents(3));
    await server.kill();
    await server.restart();
    expect(await untilAvailable(() => store.append(stream, 'none', events))).toEqual({ ...first, repeated: true });
    expect(await store.readStream(stream)).toHaveLength(5);
  });
});

describeOnTestServer('EventStoreDbEventStore, when the server is paused', 'be killed and paused', () => {
  it('gives up in time, and has the append once when the server goes on', async () => {
    const stream = freshStream();
    await store.append(stream, 'none', newEvents(1));
    const events = newEvents(1);
    const hasty = open({ totalMilliseconds: 2_000 });
    server.pause();
    await expect(hasty.append(stream, 0, events)).rejects.toThrow(StoreUnavailableError);
    server.resume();
    await hasty.close();
    expect(await untilAvailable(() => store.append(stream, 0, events))).toMatchObject({ revision: 1 });
    expect(await store.readStream(stream)).toHaveLength(2);
  });
});
