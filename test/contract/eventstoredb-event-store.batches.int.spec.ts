import { EventStoreDbEventStore } from '#event-store/eventstoredb/eventstoredb-event-store.js';
import { ImportOrderError, StoreUnavailableError, WrongExpectedRevisionError, type ImportedEvent } from '#event-store/event-store.js';
import { ChildServer } from '../support/eventstoredb/child-server.js';
import type { AppendFault } from '../support/eventstoredb/faults.js';
import { PATIENCE } from '../support/eventstoredb/patience.js';
import { EventStoreDbTestServer } from '../support/eventstoredb/test-server.js';
import { eventually, freshStream, newEvent, newEvents, readAllAfter, untilAvailable } from './event-store.support.js';

const APPENDS = 400;
const NO_NEED = (): boolean => false;
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Events of some streams in turn, so that no two that follow each other are one append. */
function history(length: number, streams = 7): readonly ImportedEvent[] {
  const names = upTo(streams).map(() => freshStream());
  return upTo(length).map((number) => ({
    ...newEvent({ number }),
    stream: names[number % streams]!,
    revision: Math.floor(number / streams),
    recordedAt: new Date(Date.UTC(2020, 0, 1) + number * 1_000).toISOString(),
  }));
}

const namesOf = (events: readonly { readonly stream: string; readonly revision: number }[]): readonly string[] =>
  events.map(({ stream, revision }) => `${stream}@${revision}`);

describe('EventStoreDbEventStore, with many appends in one call', () => {
  let server: EventStoreDbTestServer;
  let store: EventStoreDbEventStore;

  const open = (deadlines = PATIENCE): EventStoreDbEventStore =>
    new EventStoreDbEventStore({ connectionString: server.connectionString, ...deadlines });

  beforeEach(async () => {
    server = await EventStoreDbTestServer.start();
    store = open();
  });

  afterEach(async () => {
    await store.close();
    await server.stop();
  });

  const appends = (count: number) => upTo(count).map(() => ({ stream: freshStream(), expected: 'none' as const, events: newEvents(2) }));
  /** For faults that leave a call without an answer: calls give up soon, and are repeated for long. */
  const reopenFor = async (fault: AppendFault): Promise<void> => {
    if (!fault.startsWith('unanswered')) return;
    await store.close();
    store = open({ attemptMilliseconds: 1_000, totalMilliseconds: PATIENCE.totalMilliseconds });
  };
  const failLater = (...faults: readonly AppendFault[]): void => {
    const original = server.faults.nextAppendFault.bind(server.faults);
    let seen = 0;
    server.faults.nextAppendFault = () => ((seen += 1) === 100 ? (faults[0] ?? null) : original());
  };

  it('reads nothing for each of them, and answers when each was recorded', async () => {
    const wanted = appends(APPENDS);
    const results = await store.appendMany(wanted);
    expect(server.calls.get('append')).toBeUndefined();
    expect(server.calls.get('batchAppend')).toBe(1);
    expect(server.calls.get('read')).toBe(1);
    for (const [index, result] of results.entries()) {
      const [, last] = await store.readStream(wanted[index]!.stream);
      expect(result).toEqual({ revision: 1, position: last!.position, recordedAt: last!.recordedAt, repeated: false });
    }
  });

  it.each([
    ['many events each', 9, 0, 1],
    ['more events than a page has', 60, 0, 2],
    ['events of other writers between them', 1, 60, 2],
  ])('finds all of them at the end of the log with %s', async (_, length, others, reads) => {
    const original = server.faults.nextAppendFault.bind(server.faults);
    let seen = 0;
    server.faults.nextAppendFault = () => {
      if ((seen += 1) === 50) upTo(others).forEach(() => server.log.tombstone(freshStream()));
      return original();
    };
    const wanted = upTo(100).map(() => ({ stream: freshStream(), expected: 'none' as const, events: newEvents(length) }));
    const results = await store.appendMany(wanted);
    expect(server.calls.get('read')).toBe(reads);
    const recorded = new Map((await readAllAfter(store, null)).map((event) => [`${event.stream}@${event.revision}`, event]));
    for (const [index, result] of results.entries()) {
      const { position, recordedAt } = recorded.get(`${wanted[index]!.stream}@${length - 1}`)!;
      expect(result).toEqual({ revision: length - 1, position, recordedAt, repeated: false });
    }
  });

  it('answers repeats and conflicts by themselves, wherever they are in the log', async () => {
    const first = appends(3);
    const before = await store.appendMany(first);
    await store.appendMany(appends(APPENDS));
    const other = { ...first[1]!, events: newEvents(2) };
    const results = await store.appendMany([first[0]!, other, ...appends(1), first[2]!]);
    expect(results[0]).toEqual({ ...before[0], repeated: true });
    expect(results[1]).toEqual(new WrongExpectedRevisionError(other.stream, 'none', 1));
    expect(results[2]).toMatchObject({ revision: 1, repeated: false });
    expect(results[3]).toEqual({ ...before[2], repeated: true });
  });

  it.each<AppendFault>(['before-writing', 'after-writing', 'unanswered-after-writing', 'unanswered-before-writing'])(
    'has each once where one fails %s',
    async (fault) => {
      await reopenFor(fault);
      failLater(fault);
      const wanted = appends(APPENDS);
      const results = await store.appendMany(wanted);
      expect(results.every((result) => !(result instanceof Error) && result.revision === 1)).toBe(true);
      expect((await readAllAfter(store, null)).map(({ id }) => id).sort()).toEqual(
        wanted.flatMap(({ events }) => events.map(({ id }) => id)).sort(),
      );
    },
  );

  it('gives up on a server that answers nothing, and has each once when they are repeated', async () => {
    const wanted = appends(20);
    const hasty = open({ attemptMilliseconds: 300, totalMilliseconds: 1_000 });
    server.faults.hanging = true;
    await expect(hasty.appendMany(wanted)).rejects.toThrow(StoreUnavailableError);
    server.faults.hanging = false;
    await hasty.close();
    await untilAvailable(() => store.appendMany(wanted));
    expect(await readAllAfter(store, null)).toHaveLength(40);
  });

  it.each<AppendFault>(['after-writing', 'unanswered-after-writing'])('keeps the order of an import where one fails %s', async (fault) => {
    await reopenFor(fault);
    failLater(fault);
    const events = history(APPENDS);
    await store.importEvents(events, NO_NEED);
    expect(namesOf(await readAllAfter(store, null))).toEqual(namesOf(events));
  });

  it('keeps the order of an import whose first append fails before it is written', async () => {
    await reopenFor('unanswered-before-writing');
    server.faults.failAppends('before-writing', 'unanswered-before-writing');
    const events = history(APPENDS);
    await store.importEvents(events, NO_NEED);
    expect(namesOf(await readAllAfter(store, null))).toEqual(namesOf(events));
  });

  it('tells of an import whose order the server did not keep', async () => {
    failLater('before-writing');
    await expect(store.importEvents(history(APPENDS), NO_NEED)).rejects.toThrow(ImportOrderError);
  });

  it('gives the positions of an import that are wanted, and cuts no append for the others', async () => {
    const stream = freshStream();
    const events = upTo(10).map((revision) => ({ ...newEvent({ revision }), stream, revision, recordedAt: '2020-01-01T00:00:00.000Z' }));
    const positions = await store.importEvents(events, ({ revision }) => revision === 3);
    const read = await store.readStream(stream);
    expect(positions).toEqual(read.map(({ revision, position }) => (revision === 3 || revision === 9 ? position : null)));
    expect(server.calls.get('read')).toBe(1);
  });
});

describe('EventStoreDbEventStore, killed in the middle of many appends', () => {
  it('keeps the order of an import that is begun again, and has each event once', async () => {
    const server = await ChildServer.start({ notReadyMilliseconds: 50 });
    const store = new EventStoreDbEventStore({ connectionString: server.connectionString, totalMilliseconds: 2_000 });
    try {
      const events = history(6_000, 50);
      let isOver = false;
      const importing = untilAvailable(() => store.importEvents(events, NO_NEED)).finally(() => (isOver = true));
      for (let kills = 0, before = 0; kills < 3 && !isOver; kills += 1) {
        await eventually(async () => isOver || (await untilAvailable(() => readAllAfter(store, null))).length > before + 300);
        await server.kill();
        await server.restart();
        before = (await untilAvailable(() => readAllAfter(store, null))).length;
      }
      await importing;
      expect(namesOf(await readAllAfter(store, null))).toEqual(namesOf(events));
    } finally {
      await store.close();
      await server.stop();
    }
  });
});
