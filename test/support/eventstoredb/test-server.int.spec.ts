import {
  ANY,
  EventStoreDBClient,
  eventTypeFilter,
  jsonEvent,
  NO_STREAM,
  START,
  STREAM_EXISTS,
  type AppendExpectedRevision,
  type AppendToStreamOptions,
  type EventData,
} from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';
import { eventually } from '../../contract/event-store.support.js';
import { ChildServer } from './child-server.js';
import { EventStoreDbTestServer } from './test-server.js';

/** The results measured on a real 23.10 server, checked against this one through the same client. */
let server: EventStoreDbTestServer;
let client: EventStoreDBClient;

const single: AppendToStreamOptions = { credentials: { username: 'a', password: 'b' } };
const event = (id: string = randomUUID()) => jsonEvent({ id, type: 'Happened', data: { some: 'data' } });
const events = (count: number) => Array.from({ length: count }, () => event());
const fresh = (): string => `stream-${randomUUID()}`;

beforeEach(async () => {
  server = await EventStoreDbTestServer.start();
  client = EventStoreDBClient.connectionString(server.connectionString);
});

afterEach(async () => {
  await client.dispose();
  await server.stop();
});

describe('the test server, by single appends', () => {
  const append = (stream: string, proposed: EventData[], expectedRevision: AppendExpectedRevision) =>
    client.appendToStream(stream, proposed, { ...single, expectedRevision });

  it('answers with the last revision and position', async () => {
    const stream = fresh();
    const { success, nextExpectedRevision, position } = await append(stream, events(3), NO_STREAM);
    expect([success, nextExpectedRevision, position?.commit === position?.prepare]).toEqual([true, 2n, true]);
    for await (const { event: read } of client.readStream(stream, { fromRevision: 2n }))
      expect(read?.position).toEqual(position);
  });

  it.each<[AppendExpectedRevision, number, AppendExpectedRevision | 'no_stream']>([
    [NO_STREAM, 2, 1n],
    [5n, 0, 'no_stream'],
    [5n, 3, 2n],
    [2n, 6, 5n],
    [STREAM_EXISTS, 0, 'no_stream'],
  ])('refuses %s at a stream of %s events', async (expectedVersion, length, actualVersion) => {
    const stream = fresh();
    if (length > 0) await append(stream, events(length), NO_STREAM);
    const refusal = { type: 'wrong-expected-version', streamName: stream, expectedVersion, actualVersion };
    await expect(append(stream, events(1), expectedVersion)).rejects.toMatchObject(refusal);
  });

  it('continues a soft-deleted stream, and refuses a tombstoned one', async () => {
    const [deleted, ended] = [fresh(), fresh()];
    for (const stream of [deleted, ended]) await append(stream, events(3), NO_STREAM);
    await client.deleteStream(deleted);
    await client.tombstoneStream(ended);
    await expect(append(deleted, events(1), 5n)).rejects.toMatchObject({ expectedVersion: 5n, actualVersion: 2n });
    await expect(append(deleted, events(1), STREAM_EXISTS)).rejects.toMatchObject({ type: 'stream-deleted' });
    expect((await append(deleted, events(1), NO_STREAM)).nextExpectedRevision).toBe(3n);
    await expect(append(ended, events(1), ANY)).rejects.toMatchObject({ type: 'stream-deleted' });
  });

  it('knows repeats, in part and whole, and refuses what overlaps', async () => {
    const stream = fresh();
    const known = events(3);
    const first = await append(stream, known, NO_STREAM);
    await append(stream, events(2), 2n);
    expect(await append(stream, known, NO_STREAM)).toEqual(first);
    expect(await append(stream, known.slice(1), 0n)).toEqual(first);
    expect(await append(stream, known, ANY)).toEqual(first);
    await expect(append(stream, [...known, event(), event(), event()], NO_STREAM)).rejects.toMatchObject({
      actualVersion: 4n,
    });
    await expect(append(stream, [...known].reverse(), NO_STREAM)).rejects.toMatchObject({ actualVersion: 4n });
    expect((await append(stream, [known[0]!], 4n)).nextExpectedRevision).toBe(5n);
  });

  it('refuses what is too big, and leaves the connection as it was', async () => {
    const big = Array.from({ length: 3 }, () => jsonEvent({ type: 'Big', data: { text: 'x'.repeat(400_000) } }));
    await expect(append(fresh(), big, ANY)).rejects.toMatchObject({
      type: 'maximum-append-size-exceeded',
      maxAppendSize: 1_048_576,
    });
    expect((await append(fresh(), events(1), ANY)).success).toBe(true);
  });
});

describe('the test server', () => {
  it('answers an append of nothing, and refuses bad ids and an empty name', async () => {
    expect((await client.appendToStream(fresh(), [], single)).nextExpectedRevision).toBe(0n);
    for (const id of ['seven', '00000000-0000-0000-0000-000000000000']) {
      await expect(client.appendToStream(fresh(), event(id), single)).rejects.toMatchObject({
        type: 'unknown',
        code: 2,
      });
    }
    await expect(client.appendToStream('', event(), single)).rejects.toMatchObject({ code: 2 });
  });

  it("has the system's event first, reads forwards inclusive and backwards exclusive", async () => {
    const { position } = await client.appendToStream(fresh(), events(2), single);
    const read = async (options: Parameters<typeof client.readAll>[0]) => {
      const types: (string | undefined)[] = [];
      for await (const { event: found } of client.readAll(options)) types.push(found?.type);
      return types;
    };
    expect(await read({})).toEqual(['$metadata', 'Happened', 'Happened']);
    expect(await read({ fromPosition: position! })).toEqual(['Happened']);
    expect(await read({ fromPosition: position!, direction: 'backwards' })).toEqual(['Happened', '$metadata']);
    expect(await read({ fromPosition: { commit: 10n ** 12n, prepare: 10n ** 12n } })).toEqual([]);
    const between = { commit: position!.commit - 1n, prepare: position!.prepare - 1n };
    await expect(read({ fromPosition: between })).rejects.toMatchObject({ type: 'unknown', code: 2 });
  });

  it('never answers a read of nothing from the log, and refuses one from a stream', async () => {
    const stream = fresh();
    await client.appendToStream(stream, events(2), single);
    const heard: string[] = [];
    const nothing = client.readAll({ maxCount: 0 });
    for (const name of ['data', 'end', 'close', 'error'] as const) nothing.on(name, () => heard.push(name));
    // Requested later on the same connection, which still answers.
    for (let round = 0; round < 20; round += 1) {
      const types: (string | undefined)[] = [];
      for await (const { event: found } of client.readAll({ maxCount: 1 })) types.push(found?.type);
      expect(types).toEqual(['$metadata']);
    }
    expect(heard).toEqual([]);
    await nothing.cancel();
    const ofStream = async (): Promise<void> => {
      for await (const { event: found } of client.readStream(stream, { maxCount: 0 })) heard.push(String(found?.type));
    };
    await expect(ofStream()).rejects.toMatchObject({ code: 2 });
  });

  it('confirms a subscription, sends checkpoints and says once that it has caught up', async () => {
    const { position } = await client.appendToStream(fresh(), events(1), single);
    await client.appendToStream(fresh(), events(70), single);
    const checkpoints: bigint[] = [];
    const checkpointReached = (_: unknown, reached: { commit: bigint }): void => void checkpoints.push(reached.commit);
    const filter = eventTypeFilter({ regex: '^[^$]', checkpointInterval: 1, checkpointReached });
    const subscription = client.subscribeToAll({ fromPosition: position!, filter });
    const heard: string[] = [];
    for (const name of ['confirmation', 'caughtUp'] as const) subscription.on(name, () => heard.push(name));
    let received = 0;
    subscription.on('data', () => (received += 1));
    await eventually(() => heard.includes('caughtUp') && received === 70);
    await client.appendToStream(fresh(), events(3), single);
    await eventually(() => received === 73);
    expect(heard).toEqual(['confirmation', 'caughtUp']);
    expect(checkpoints).toHaveLength(2);
    await subscription.unsubscribe();
  });

  it('drops a live subscriber that does not keep up', async () => {
    const subscription = client.subscribeToAll({ fromPosition: START });
    const dropped = new Promise((resolve) => subscription.once('error', resolve));
    await new Promise((resolve) => subscription.once('caughtUp', resolve).on('data', () => undefined));
    await client.appendToStream(fresh(), events(500), single);
    expect(await dropped).toMatchObject({
      type: 'timeout',
      code: 10,
      message: expect.stringContaining('Consumer too slow'),
    });
  });
});

describe('the test server, after a kill and a restart', () => {
  it('knows repeats with a revision, and writes those with any again', async () => {
    const child = await ChildServer.start();
    const connected = EventStoreDBClient.connectionString(child.connectionString);
    const stream = fresh();
    const known = events(2);
    const first = await connected.appendToStream(stream, known, { ...single, expectedRevision: NO_STREAM });
    await child.kill();
    await expect(connected.appendToStream(stream, known, single)).rejects.toMatchObject({ code: 14 });
    await child.restart();
    const repeat = () =>
      connected.appendToStream(stream, known, { ...single, expectedRevision: NO_STREAM }).catch(() => null);
    expect(await eventually(repeat)).toEqual(first);
    expect(
      (await connected.appendToStream(stream, known, { ...single, expectedRevision: ANY })).nextExpectedRevision,
    ).toBe(3n);
    await connected.dispose();
    await child.stop();
  });
});
