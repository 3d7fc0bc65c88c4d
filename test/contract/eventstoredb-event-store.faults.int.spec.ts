import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import {
  EventStoreDbEventStore,
  type EventStoreDbOptions,
} from '#event-store/eventstoredb/eventstoredb-event-store.js';
import { StoreUnavailableError, WrongExpectedRevisionError, type RecordedEvent } from '#event-store/event-store.js';
import { rpcError } from '../support/eventstoredb/wire.js';
import { describeOnTestServer } from '../support/eventstoredb/outside-server.js';
import { PATIENCE } from '../support/eventstoredb/patience.js';
import { EventStoreDbTestServer, type TestServerOptions } from '../support/eventstoredb/test-server.js';
import {
  appendAtEnd,
  eventually,
  expectOrdered,
  Follower,
  freshStream,
  newEvent,
  newEvents,
  readAllAfter,
} from './event-store.support.js';

const UNAVAILABLE = 14;
const revisionsOf = (events: readonly RecordedEvent[]) => events.map(({ revision }) => revision);
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

let server: EventStoreDbTestServer;
let store: EventStoreDbEventStore;

async function open(serverOptions: TestServerOptions = {}, options: Partial<EventStoreDbOptions> = {}): Promise<void> {
  server = await EventStoreDbTestServer.start(serverOptions);
  store = new EventStoreDbEventStore({ connectionString: server.connectionString, ...PATIENCE, ...options });
}

afterEach(async () => {
  await store.close();
  await server.stop();
});

describeOnTestServer(
  'EventStoreDbEventStore, where events become visible later than they are stamped',
  'be made to fail',
  () => {
    it('is settled only when they are visible, however many wait', async () => {
      await open();
      const stream = freshStream();
      server.faults.commitDelay = 60;
      let isOver = false;
      const writing = [1, 2].map(async () => {
        while (!isOver) await appendAtEnd(store, stream, [newEvent()]);
      });
      const answers: { readonly instant: string; readonly revisions: readonly number[] }[] = [];
      const recordedBy = async (instant: string) =>
        revisionsOf((await store.readStream(stream)).filter(({ recordedAt }) => recordedAt <= instant));
      for (let asked = 0; asked < 40; asked += 1) {
        const instant = new Date().toISOString();
        await store.settle(stream, instant);
        answers.push({ instant, revisions: await recordedBy(instant) });
      }
      isOver = true;
      await Promise.all(writing);
      for (const { instant, revisions } of answers) expect(await recordedBy(instant)).toEqual(revisions);
    });

    it('says that it is unavailable where that takes too long', async () => {
      await open({}, { attemptMilliseconds: 200, totalMilliseconds: 400 });
      const stream = freshStream();
      await store.append(stream, 'none', newEvents(1));
      server.faults.commitDelay = 600_000;
      const hanging = store.append(stream, 0, newEvents(1)).catch((error: unknown) => error);
      await eventually(() => (server.calls.get('append') ?? 0) > 1);
      await expect(store.settle(stream, new Date().toISOString())).rejects.toThrow(StoreUnavailableError);
      expect(await hanging).toBeInstanceOf(StoreUnavailableError);
    });

    it('leaves no mark where the log has moved on since, and one for all who ask at once where it has not', async () => {
      await open();
      const stream = freshStream();
      const { recordedAt } = await store.append(stream, 'none', newEvents(1));
      await eventually(() => new Date().toISOString() > recordedAt);
      await store.append(stream, 0, newEvents(1));
      const appends = server.calls.get('append')!;
      expect(await store.settle(stream, recordedAt)).toBe(1);
      expect(server.calls.get('append')).toBe(appends);
      const past = new Date(Date.now() - 1).toISOString();
      const behind = (await store.readStream(stream)).at(-1)!.recordedAt >= past;
      await Promise.all(Array.from({ length: 20 }, () => store.settle(stream, past)));
      expect(server.calls.get('append')! - appends).toBeLessThanOrEqual(behind ? 0 : 2);
      expect(await store.readAll(null, 100)).toHaveLength(2);
    });
  },
);

describeOnTestServer('EventStoreDbEventStore, when an append fails', 'be made to fail', () => {
  beforeEach(() => open({}, { attemptMilliseconds: 300, totalMilliseconds: 2_000 }));

  it.each(['after-writing', 'unanswered-after-writing', 'before-writing', 'unanswered-before-writing'] as const)(
    'sends it again, and has it once: %s',
    async (fault) => {
      const stream = freshStream();
      server.faults.failAppends(fault, fault);
      expect(await store.append(stream, 'none', newEvents(2))).toMatchObject({ revision: 1, repeated: false });
      expect(server.calls.get('append')).toBe(3);
      expect(revisionsOf(await store.readStream(stream))).toEqual([0, 1]);
    },
  );

  it('tells a repeat by a later caller from its own', async () => {
    const stream = freshStream();
    const events = newEvents(1);
    server.faults.failAppends(...Array.from({ length: 100 }, () => 'after-writing' as const));
    await expect(store.append(stream, 'none', events)).rejects.toThrow(StoreUnavailableError);
    server.faults.mendAppends();
    expect(await store.append(stream, 'none', events)).toMatchObject({ revision: 0, repeated: true });
    await expect(store.append(stream, 'none', newEvents(1))).rejects.toThrow(WrongExpectedRevisionError);
  });

  it('gives up on a server that accepts and never answers, and works again when it does', async () => {
    const stream = freshStream();
    const events = newEvents(1);
    server.faults.hanging = true;
    await expect(store.append(stream, 'none', events)).rejects.toThrow(StoreUnavailableError);
    await expect(store.readStream(stream)).rejects.toThrow(StoreUnavailableError);
    await expect(store.head()).rejects.toThrow(StoreUnavailableError);
    server.faults.hanging = false;
    expect(await store.append(stream, 'none', events)).toMatchObject({ revision: 0, repeated: false });
  });

  it('has it once where answers come after the deadline', async () => {
    const stream = freshStream();
    const events = newEvents(1);
    server.faults.appendDelay = 400;
    await expect(store.append(stream, 'none', events)).rejects.toThrow(StoreUnavailableError);
    server.faults.appendDelay = 0;
    expect(await store.append(stream, 'none', events)).toMatchObject({ revision: 0, repeated: true });
    expect(await store.readStream(stream)).toHaveLength(1);
  });
});

describeOnTestServer('EventStoreDbEventStore, under pressure', 'be made to fail', () => {
  it('has so many appends under way, lets so many wait, and refuses the rest at once', async () => {
    await open({}, { attemptMilliseconds: 20_000, totalMilliseconds: 20_000, appendsAtOnce: 4, maxWaiting: 6 });
    server.faults.appendDelay = 300;
    const outcomes: unknown[] = [];
    await Promise.all(
      upTo(30).map(async () => {
        const error: unknown = await store.append(freshStream(), 'none', newEvents(1)).then(
          () => null,
          (caught: unknown) => caught,
        );
        outcomes.push(error);
      }),
    );
    // In the order of the answers: a refused call does not wait for an accepted one.
    expect(outcomes.slice(0, 20)).toEqual(upTo(20).map(() => expect.any(StoreUnavailableError)));
    expect(outcomes.slice(20)).toEqual(upTo(10).map(() => null));
    expect(server.log.events.filter(({ type }) => !type.startsWith('$'))).toHaveLength(10);
    server.faults.appendDelay = 0;
    expect(await store.append(freshStream(), 'none', newEvents(1))).toMatchObject({ revision: 0 });
  });

  it('makes those who come while the server is away wait no longer than a second, but for one now and then', async () => {
    await open({}, { attemptMilliseconds: 8_000, totalMilliseconds: 10_000 });
    server.faults.hanging = true;
    await expect(store.readStream(freshStream())).rejects.toThrow(StoreUnavailableError);
    const newcomer = new EventStoreDbEventStore({
      connectionString: server.connectionString,
      attemptMilliseconds: 8_000,
      totalMilliseconds: 10_000,
    });
    let hasGivenUp = false;
    const patient = newcomer.readStream(freshStream()).catch(() => (hasGivenUp = true));
    await Promise.all(
      upTo(5).map(() => expect(store.readStream(freshStream())).rejects.toThrow('accepts calls and does not answer')),
    );
    // A store that does not know yet that the server is away waits for a whole attempt.
    expect(hasGivenUp).toBe(false);
    await patient;
    await newcomer.close();
    server.faults.hanging = false;
    // Too late for the calls that wait for a second only.
    server.faults.readDelay = 1_200;
    await eventually(async () => (await store.readStream(freshStream()).catch(() => null)) !== null);
  });
});

describeOnTestServer('EventStoreDbEventStore, when a subscription breaks', 'be made to fail', () => {
  /** Writes 200 events one by one, breaks the subscription after every 40, and expects each event once. */
  async function expectNoneMissing(breakIt: () => void): Promise<void> {
    const follower = new Follower(store, null, { batchSize: 16 });
    const stream = freshStream();
    for (let revision = 0; revision < 200; revision += 1) {
      if (revision % 40 === 20) {
        await eventually(() => server.subscriptions.count > 0);
        breakIt();
      }
      await store.append(stream, revision === 0 ? 'none' : revision - 1, newEvents(1));
    }
    expect(revisionsOf(await follower.until(200))).toEqual(upTo(200));
    await follower.end();
    expectOrdered(follower.events);
  }

  it('resumes after an error', async () => {
    await open();
    await expectNoneMissing(() => server.subscriptions.drop(rpcError(UNAVAILABLE, 'dropped as told')));
  });

  it('resumes after an end without an error', async () => {
    await open();
    await expectNoneMissing(() => server.subscriptions.drop(null));
  });

  it('resumes when it was too slow, again and again', async () => {
    await open({ liveBuffer: 8 });
    const follower = new Follower(store, null, { batchSize: 10, pause: 1 });
    const stream = freshStream();
    for (let append = 0; append < 30; append += 1)
      await store.append(stream, append === 0 ? 'none' : append * 50 - 1, newEvents(50));
    expect(revisionsOf(await follower.until(1_500))).toEqual(upTo(1_500));
    await follower.end();
    expectOrdered(follower.events);
  });

  it('notices one that only looks alive, by reading the log', async () => {
    await open({}, { watchdogMilliseconds: 100 });
    const follower = new Follower(store, null);
    const stream = freshStream();
    await store.append(stream, 'none', newEvents(1));
    await follower.until(1);
    server.faults.stalled = true;
    await store.append(stream, 0, newEvents(3));
    expect(revisionsOf(await follower.until(4))).toEqual([0, 1, 2, 3]);
    await follower.end();
  });

  it('ends where its position is none of the log, rather than trying for ever', async () => {
    await open();
    const { position } = await store.append(freshStream(), 'none', newEvents(1));
    const between = position.replaceAll(/\d{20}/g, (offset) => String(BigInt(offset) + 1n).padStart(20, '0'));
    await store.append(freshStream(), 'none', newEvents(1));
    const batches = store.subscribe({ after: between, signal: new AbortController().signal })[Symbol.asyncIterator]();
    await expect(batches.next()).rejects.toThrow(/EVENTSTORE_URL names an EventStoreDB with another log/);
    await expect(store.readAll(between, 1)).rejects.toThrow(/EVENTSTORE_URL names an EventStoreDB with another log/);
    expect(await store.holds(between)).toBe(false);
  });

  it('closes the call at the server when it is left', async () => {
    await open();
    const follower = new Follower(store, null);
    await eventually(() => server.subscriptions.count === 1);
    await follower.end();
    await eventually(() => server.subscriptions.count === 0);
  });
});

describeOnTestServer('EventStoreDbEventStore, among events of the system and of others', 'be made to fail', () => {
  beforeEach(() => open());

  it('hides them from the log, the head and subscriptions', async () => {
    const client = EventStoreDBClient.connectionString(server.connectionString);
    const [kept, deleted, ended] = [freshStream(), freshStream(), freshStream()];
    for (const stream of [kept, deleted, ended]) await store.append(stream, 'none', newEvents(2));
    await client.deleteStream(deleted);
    await client.tombstoneStream(ended);
    await client.appendToStream('$settings', jsonEvent({ type: 'UserTyped', data: {} }));
    await client.setStreamMetadata(kept, { maxCount: 100 });
    const last = (await store.readStream(kept)).at(-1)!;
    expect(server.log.events.filter(({ type, stream }) => type.startsWith('$') || stream.startsWith('$'))).toHaveLength(
      5,
    );
    const all = await readAllAfter(store, null, 2);
    expect(all.map(({ stream }) => stream)).toEqual([kept, kept, deleted, deleted, ended, ended]);
    expect(await store.head()).toBe(all.at(-1)!.position);
    expect(await store.readAll(last.position, 100)).toEqual(all.slice(2));
    const follower = new Follower(store, null);
    expect(await follower.until(6)).toEqual(all);
    await follower.end();
    expect(await store.readStream(deleted)).toEqual([]);
    await expect(store.readStream(ended)).rejects.toMatchObject({ type: 'stream-deleted' });
    await client.dispose();
  });

  it('has no head where there is nothing of ours', async () => {
    expect(await store.head()).toBeNull();
    expect(await store.readAll(null, 10)).toEqual([]);
  });

  it('reads an event that the product did not write', async () => {
    const client = EventStoreDBClient.connectionString(server.connectionString);
    const stream = freshStream();
    await client.appendToStream(stream, jsonEvent({ type: 'Imported', data: { name: 'Ada' } }));
    expect(await store.readStream(stream)).toMatchObject([
      { type: 'Imported', data: { name: 'Ada' }, metadata: {}, revision: 0 },
    ]);
    await expect(store.append(stream, 'none', [newEvent()])).rejects.toMatchObject({ actual: 0 });
    await client.dispose();
  });
});

describeOnTestServer('EventStoreDbEventStore, at a server that is starting', 'be made to fail', () => {
  it('waits until the server is ready', async () => {
    await open({ notReadyMilliseconds: 400 });
    const follower = new Follower(store, null);
    expect(await store.append(freshStream(), 'none', newEvents(1))).toMatchObject({ revision: 0, repeated: false });
    await follower.until(1);
    await follower.end();
  });

  it('finds it by discovery', async () => {
    await open();
    const discovering = new EventStoreDbEventStore({
      connectionString: server.connectionString.replace('esdb:', 'esdb+discover:'),
    });
    expect((await discovering.append(freshStream(), 'none', newEvents(1))).revision).toBe(0);
    expect(server.calls.get('gossip')).toBeGreaterThan(0);
    await discovering.close();
  });
});
