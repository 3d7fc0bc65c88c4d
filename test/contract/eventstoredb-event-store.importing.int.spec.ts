import { EventStoreDbEventStore } from '#event-store/eventstoredb/eventstoredb-event-store.js';
import type { ImportedEvent } from '#event-store/event-store.js';
import { ChildServer } from '../support/eventstoredb/child-server.js';
import type { AppendFault } from '../support/eventstoredb/faults.js';
import { describeOnTestServer } from '../support/eventstoredb/outside-server.js';
import { PATIENCE } from '../support/eventstoredb/patience.js';
import { EventStoreDbTestServer } from '../support/eventstoredb/test-server.js';
import { eventually, freshStream, newEvent, newEvents, readAllAfter, untilAvailable } from './event-store.support.js';

const APPENDS = 100;
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

describeOnTestServer('EventStoreDbEventStore, with many appends', 'fail an append', () => {
  let server: EventStoreDbTestServer;
  let store: EventStoreDbEventStore;

  beforeEach(async () => {
    server = await EventStoreDbTestServer.start();
    // Calls give up soon where a fault leaves them without an answer, and are repeated for long.
    store = new EventStoreDbEventStore({
      connectionString: server.connectionString,
      ...PATIENCE,
      attemptMilliseconds: 1_000,
    });
  });

  afterEach(async () => {
    await store.close();
    await server.stop();
  });

  const failLater = (fault: AppendFault): void => {
    const original = server.faults.nextAppendFault.bind(server.faults);
    let seen = 0;
    server.faults.nextAppendFault = () => ((seen += 1) === APPENDS / 2 ? fault : original());
  };
  const FAULTS: readonly AppendFault[] = [
    'before-writing',
    'after-writing',
    'unanswered-after-writing',
    'unanswered-before-writing',
  ];

  it.each(FAULTS)('has each once where one fails %s', async (fault) => {
    failLater(fault);
    const requested = upTo(APPENDS).map(() => ({
      stream: freshStream(),
      expected: 'none' as const,
      events: newEvents(2),
    }));
    const results = await Promise.all(
      requested.map(({ stream, expected, events }) => store.append(stream, expected, events)),
    );
    expect(results.every(({ revision }) => revision === 1)).toBe(true);
    expect((await readAllAfter(store, null)).map(({ id }) => id).sort()).toEqual(
      requested.flatMap(({ events }) => events.map(({ id }) => id)).sort(),
    );
  });

  it.each(FAULTS)('keeps the order of an import where one fails %s', async (fault) => {
    failLater(fault);
    const events = history(APPENDS);
    await store.importEvents(events, NO_NEED);
    expect(namesOf(await readAllAfter(store, null))).toEqual(namesOf(events));
  });

  it('gives the positions of an import that are wanted, and cuts no append for the others', async () => {
    const stream = freshStream();
    const events = upTo(10).map((revision) => ({
      ...newEvent({ revision }),
      stream,
      revision,
      recordedAt: '2020-01-01T00:00:00.000Z',
    }));
    const positions = await store.importEvents(events, ({ revision }) => revision === 3);
    expect(server.calls.get('append')).toBe(2);
    const read = await store.readStream(stream);
    expect(positions).toEqual(
      read.map(({ revision, position }) => (revision === 3 || revision === 9 ? position : null)),
    );
  });
});

describeOnTestServer('EventStoreDbEventStore, killed in the middle of an import', 'be killed', () => {
  it('keeps the order of an import that is begun again, and has each event once', async () => {
    const server = await ChildServer.start({ notReadyMilliseconds: 50 });
    const store = new EventStoreDbEventStore({ connectionString: server.connectionString, totalMilliseconds: 2_000 });
    try {
      const events = history(3_000, 50);
      let isOver = false;
      const importing = untilAvailable(() => store.importEvents(events, NO_NEED)).finally(() => (isOver = true));
      for (let kills = 0, before = 0; kills < 3 && !isOver; kills += 1) {
        await eventually(
          async () => isOver || (await untilAvailable(() => readAllAfter(store, null))).length > before + 200,
        );
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
