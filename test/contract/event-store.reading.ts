import type { RecordedEvent } from '#event-store/event-store.js';
import { chain, hasItsOwnHash } from '#event-store/new-events.js';
import { asStored, registerUpcaster } from '#event-store/upcasters.js';
import type { JsonObject } from '#kernel/json.js';
import {
  eventually,
  expectOrdered,
  freshName,
  freshStream,
  newEvent,
  newEvents,
  readable,
  readAllAfter,
  type Opened,
} from './event-store.support.js';

const numbersOf = (events: readonly RecordedEvent[]) => events.map(({ data }) => data['number']);

/** Streams, the log, categories, and the possible contents of events. */
export function readingContract({ store, second }: Opened): void {
  describe('a stream', () => {
    it('is empty where nothing was appended', async () => {
      expect(await store().readStream(freshStream())).toEqual([]);
      expect(await store().readStream(freshStream(), { direction: 'backwards', limit: 1 })).toEqual([]);
      expect(await store().readStreams([])).toEqual([]);
    });

    it('reads forwards and backwards, from a revision and in pages', async () => {
      const stream = freshStream();
      await store().append(stream, 'none', newEvents(10));
      const read = async (range: Parameters<ReturnType<typeof store>['readStream']>[1]) =>
        numbersOf(await store().readStream(stream, range));
      expect(await read({})).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      expect(await read({ from: 7 })).toEqual([7, 8, 9]);
      expect(await read({ from: 3, limit: 2 })).toEqual([3, 4]);
      expect(await read({ from: 10 })).toEqual([]);
      expect(await read({ direction: 'backwards', limit: 3 })).toEqual([9, 8, 7]);
      expect(await read({ direction: 'backwards', from: 2 })).toEqual([2, 1, 0]);
      expect(await read({ direction: 'backwards', from: 50, limit: 1 })).toEqual([9]);
      for (const direction of ['forwards', 'backwards'] as const)
        expect(await read({ direction, limit: 0 })).toEqual([]);
    });

    it('reads whole, however long', async () => {
      const stream = freshStream();
      await store().append(stream, 'none', newEvents(2_500));
      await store().append(stream, 2_499, newEvents(2_500));
      const events = await second().readStream(stream);
      expect(events).toHaveLength(5_000);
      expectOrdered(events);
    });

    it('has its events at positions that the log holds, and at no others', async () => {
      const stream = freshStream();
      await store().append(stream, 'none', newEvents(2));
      for (const { position } of await store().readStream(stream)) {
        expect(await second().holds(position)).toBe(true);
        expect(await second().holds(position.replace(/^0/, '9'))).toBe(false);
      }
    });

    it('is read with others in the order of the names given, one name twice too', async () => {
      const [left, right, none] = [freshStream(), freshStream(), freshStream()];
      await store().append(left, 'none', newEvents(2));
      await store().append(right, 'none', newEvents(3));
      const read = await store().readStreams([right, none, left, right]);
      expect(read.map((events) => events.length)).toEqual([3, 0, 2, 3]);
      expect(read[2]?.[0]?.stream).toBe(left);
    });
  });

  payloadContract({ store, second });
  upcastingContract({ store, second });
  logContract({ store, second });
  categoryContract({ store, second });
}

function payloadContract({ store, second }: Opened): void {
  describe('an event', () => {
    it.each<[string, JsonObject]>([
      ['nothing', {}],
      ['unicode', { name: 'Zoë 李小龍 🧑‍💻 \u202e', ключ: 'значение' }],
      ['lone surrogates', { high: 'a\ud800', low: '\udc00b' }],
      ['the character U+0000', { text: 'a\u0000b', 'na\u0000me': 1 }],
      ['a member named __proto__', JSON.parse('{"__proto__":{"admin":true},"constructor":1}') as JsonObject],
      ['what is nested and empty', { object: {}, list: [], deep: [[[{ a: [null, true, 0.1, -0.5] }]]] }],
      ['big numbers as text', { id: '9007199254740993', amount: '123456789012345678901234567890.01' }],
      [
        'numbers at the edge',
        { max: Number.MAX_SAFE_INTEGER, min: -Number.MAX_SAFE_INTEGER, tiny: 5e-324, huge: 1.7e308 },
      ],
      ['quotes, backslashes and braces', { text: '"\\"{}[],\n\t\r\'$1 NULL' }],
      ['a deep chain', Array.from({ length: 200 }).reduce<JsonObject>((inner) => ({ inner }), {})],
    ])('keeps %s', async (_, data) => {
      const stream = freshStream();
      const event = newEvent(data);
      await store().append(stream, 'none', [event, newEvent(data)]);
      const [read] = await second().readStream(stream);
      expect(JSON.stringify(read?.data)).toBe(JSON.stringify(data));
      expect(read).toMatchObject({ id: event.id, type: event.type, metadata: event.metadata });
    });

    it('may be nearly a megabyte', async () => {
      const stream = freshStream();
      const data = { text: `${'x'.repeat(300_000)}${'ü'.repeat(340_000)}` };
      await store().append(stream, 'none', [newEvent(data)]);
      expect((await store().readStream(stream))[0]?.data).toEqual(data);
    });

    it('is not changed by what a reader does to it', async () => {
      const stream = freshStream();
      await store().append(stream, 'none', [newEvent({ name: 'Ada' })]);
      const [read] = await store().readStream(stream);
      (read!.data as Record<string, unknown>)['name'] = 'Mallory';
      expect((await store().readStream(stream))[0]?.data).toEqual({ name: 'Ada' });
    });
  });
}

function logContract({ store, second }: Opened): void {
  describe('the log', () => {
    it('reads after a position, exclusive, in pages, in the order of the appends', async () => {
      const before = await store().head();
      const streams = [freshStream(), freshStream()];
      for (let round = 0; round < 5; round += 1) {
        for (const stream of streams) await store().append(stream, round === 0 ? 'none' : round * 2 - 1, newEvents(2));
      }
      const last = (await store().readStream(streams[1]!)).at(-1)!;
      await readable(second(), last.position);
      const all = await readAllAfter(second(), before, 3);
      expectOrdered(all);
      const ours = all.filter(({ stream }) => streams.includes(stream));
      expect(ours.map(({ stream, revision }) => [streams.indexOf(stream), revision])).toEqual(
        Array.from({ length: 20 }, (_, index) => [Math.floor(index / 2) % 2, Math.floor(index / 4) * 2 + (index % 2)]),
      );
      const after = await readAllAfter(store(), ours[4]!.position);
      expect(after.filter(({ stream }) => streams.includes(stream))).toEqual(ours.slice(5));
      expect(await store().readAll(last.position, 10)).not.toContainEqual(last);
    });

    it('gives what is recorded at once to a caller who asks for that, whatever readers of the log are shown', async () => {
      const before = await store().head();
      const stream = freshStream();
      const { position } = await store().append(stream, 'none', newEvents(3));
      const recorded: RecordedEvent[] = [];
      for (let after = before; ; after = recorded.at(-1)!.position) {
        const page = await second().readRecorded(after, 2);
        recorded.push(...page);
        if (page.length < 2) break;
      }
      expectOrdered(recorded);
      expect(recorded.filter((event) => event.stream === stream).map(({ revision }) => revision)).toEqual([0, 1, 2]);
      expect(await store().readRecorded(position, 10)).toEqual(
        (await store().readRecorded(before, 1_000)).filter((event) => event.position > position),
      );
    });

    it('gives nothing where nothing is asked for', async () => {
      const { position } = await store().append(freshStream(), 'none', newEvents(2));
      for (const after of [null, position]) expect(await store().readAll(after, 0)).toEqual([]);
    });

    it('begins at its beginning where no position is given', async () => {
      const { position } = await store().append(freshStream(), 'none', newEvents(1));
      await readable(store(), position);
      const [first] = await store().readAll(null, 1);
      const [next] = await store().readAll(first!.position, 1);
      expect(next!.position > first!.position).toBe(true);
    });

    it('has a head that can be read, and before which nothing appears', async () => {
      const stream = freshStream();
      const { position } = await store().append(stream, 'none', newEvents(3));
      const head = await eventually(async () => {
        const now = await store().head();
        return now !== null && now >= position ? now : null;
      });
      const known = (await readAllAfter(store(), null)).filter((event) => event.position <= head);
      expect(known.at(-1)?.position).toBe(head);
      await store().append(stream, 2, newEvents(3));
      expect((await readAllAfter(store(), null)).filter((event) => event.position <= head)).toEqual(known);
    });
  });
}

function categoryContract({ store, second }: Opened): void {
  describe('a category', () => {
    it('is scanned stream by stream, in byte order of the names, each from its beginning', async () => {
      const category = `scan-${freshName()}`;
      const entities = ['B', 'a', '_', '-', 'Z9', 'ab', 'aB', '0'];
      const streams = entities.map((entity) => `${category}-org_x.${entity}`);
      // More than ten events: revisions must not be ordered as text.
      for (const stream of streams) await store().append(stream, 'none', newEvents(11));
      for (const stream of streams) await store().append(stream, 10, newEvents(1));
      const revisions = Array.from({ length: 12 }, (_, revision) => revision);
      await store().append(`${category}-more-org_x.a`, 'none', newEvents(1));
      await store().append(`${category}x-org_x.a`, 'none', newEvents(1));
      const { position } = await store().append(freshStream(), 'none', newEvents(1));
      await readable(second(), position);
      for (const batchSize of [3, 1_000]) {
        const batches: (readonly RecordedEvent[])[] = [];
        for await (const batch of second().scanCategory(category, position, { batchSize })) batches.push(batch);
        expect(batches.every((batch) => batch.length > 0 && batch.length <= batchSize)).toBe(true);
        expect(batches.flat().map((event) => `${event.stream}@${event.revision}`)).toEqual(
          [...streams].sort().flatMap((stream) => revisions.map((revision) => `${stream}@${revision}`)),
        );
        expect(batches.flat().slice(0, revisions.length)).toEqual(await store().readStream([...streams].sort()[0]!));
      }
    });

    it('is scanned up to a position, inclusive', async () => {
      const category = `scan-${freshName()}`;
      const [early, late] = [`${category}-org_x.b`, `${category}-org_x.a`];
      await store().append(early, 'none', newEvents(2));
      const { position } = await store().append(early, 1, newEvents(1));
      await store().append(late, 'none', newEvents(1));
      await readable(store(), (await store().append(early, 2, newEvents(2))).position);
      const scanned: RecordedEvent[] = [];
      for await (const batch of store().scanCategory(category, position)) scanned.push(...batch);
      expect(scanned.map((event) => [event.stream, event.revision])).toEqual(
        [0, 1, 2].map((revision) => [early, revision]),
      );
    });

    it('is scanned after the key of an entity, exclusive', async () => {
      const category = `scan-${freshName()}`;
      const keys = ['org_x.a', 'org_x.aa', 'org_x.b', 'org_y.a'];
      for (const key of keys) await store().append(`${category}-${key}`, 'none', newEvents(3));
      const { position } = await store().append(`${category}-org_x.a`, 2, newEvents(1));
      await readable(store(), position);
      for (const [after, expected] of [
        ['org_x.a', keys.slice(1)],
        ['org_x.ab', keys.slice(2)],
        ['org_y.a', []],
        [null, keys],
      ] as const) {
        const scanned: string[] = [];
        for await (const batch of store().scanCategory(category, position, { batchSize: 2, after }))
          scanned.push(...batch.map((event) => event.stream));
        expect([...new Set(scanned)]).toEqual(expected.map((key) => `${category}-${key}`));
      }
    });

    it('yields nothing where no stream is of it', async () => {
      const { position } = await store().append(freshStream(), 'none', newEvents(1));
      await readable(store(), position);
      for await (const batch of store().scanCategory(`none-${freshName()}`, position)) expect(batch).toBeUndefined();
    });

    it('can be left in the middle', async () => {
      const category = `scan-${freshName()}`;
      const { position } = await store().append(`${category}-org_x.a`, 'none', newEvents(10));
      await readable(store(), position);
      for await (const batch of store().scanCategory(category, position, { batchSize: 2 })) {
        expect(batch).toHaveLength(2);
        break;
      }
    });
  });
}

/** Events in an older format than the latest. */
function upcastingContract({ store, second }: Opened): void {
  it('hands out events in their latest shape, however they are read, and keeps them as recorded', async () => {
    const [category, type] = [`kind${freshName()}`, `named_${freshName()}`];
    const stream = freshStream(category);
    const { id, data, metadata } = newEvent({ name: 'Ada' });
    const { hash: _, previous_hash: __, ...unchained } = metadata;
    await store().append(stream, 'none', chain(stream, null, [{ id, type, data, metadata: unchained }]));
    await store().append(stream, 0, [
      { ...newEvent({ first_name: 'Grace' }), type, metadata: { ...metadata, schema_version: 2 } },
    ]);
    const [stored] = await second().readStream(stream);
    const takeBack = registerUpcaster(type, 1, ({ name, ...others }) => ({ ...others, first_name: name! }));
    try {
      const latest = [{ first_name: 'Ada' }, { first_name: 'Grace' }];
      const read = await second().readStream(stream);
      expect(read.map((event) => [event.data, event.metadata.schema_version])).toEqual(
        latest.map((shape) => [shape, 2]),
      );
      expect((await second().readStreams([stream]))[0]!.map((event) => event.data)).toEqual(latest);
      const { position } = read.at(-1)!;
      await readable(second(), position);
      const logged = await readAllAfter(second(), null);
      expect(logged.filter((event) => event.stream === stream).map((event) => event.data)).toEqual(latest);
      const scanned: RecordedEvent[] = [];
      for await (const batch of second().scanCategory(category, position)) scanned.push(...batch);
      expect(scanned.map((event) => event.data)).toEqual(latest);
      expect(asStored(read[0]!)).toEqual(stored);
      expect(hasItsOwnHash(read[0]!)).toBe(true);
    } finally {
      takeBack();
    }
    expect((await second().readStream(stream))[0]).toEqual(stored);
  });
}
