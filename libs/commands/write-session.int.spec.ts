import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { type EventStore, type RecordedEvent, WrongExpectedRevisionError } from '#event-store/event-store.js';
import { forwardCalls } from '#event-store/forward-calls.js';
import { MemoryEventStore } from '../../test/support/memory-event-store.js';
import { IdMint } from '#identifiers/id-mint.js';
import { type DomainEvent, foldRecorded } from '#kernel/aggregate.js';
import { testEventStore } from '../../test/support/event-store.js';
import { createTestDatabase, type TestDatabase } from '../../test/support/postgres.js';
import type { CommandContext } from './command-context.js';
import { handleCommand, type StreamCommand } from './handle-command.js';
import { type Recording, SafeOrderRecorder } from './write-session.js';
import { Receipts } from './receipts/receipts.js';
import { readRow, type WriteSession } from './write-session.js';
import { type BegunWrite, WriteSessions } from './write-sessions.js';

type Added = DomainEvent<'Added', { number: number }>;

const ORGANISATION = 'org_AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA';
const ANSWER = { status: 200, body: '{"data":1}', entityTag: 'tag' };

let database: TestDatabase;
let store: EventStore;
/** How many times a stream was read separately. */
let reads: number;
let sessions: WriteSessions;
let recordings: Recording[];

beforeAll(async () => {
  database = await createTestDatabase({ migrated: true });
});
beforeEach(() => (recordings = []));
afterAll(() => database.drop());

/** Sessions over a store. They preload where its events are in the same database. */
function useStore(events: EventStore): void {
  reads = 0;
  store = {
    ...forwardCalls(events),
    readStream: (...call) => {
      reads += 1;
      return events.readStream(...call);
    },
  };
  const receipts = new Receipts(database.pool, { number: 1 });
  const recorder = new SafeOrderRecorder({ store, executor: database.pool, receipts });
  const record = (recording: Recording): ReturnType<typeof recorder.record> => {
    recordings.push(recording);
    return recorder.record(recording);
  };
  const streams = store.capabilities.streamQuery?.(database.pool) ?? null;
  sessions = new WriteSessions({
    receipts,
    recorder: { record },
    streams,
    mint: new IdMint(Buffer.alloc(32, 7)),
  });
}

const streamOf = (key: string): string => `sum-${ORGANISATION}.${key}`;
const ROW = { name: 'test-row', text: 'select $1::text as word', values: ['one'] };

function begin(key: string, onLostReceipt: (error: unknown) => void = () => undefined, row = ROW): Promise<BegunWrite> {
  return sessions.begin({
    receiptKey: { organisationId: ORGANISATION, environment: 'live', keyId: 'key_1', idempotencyKey: key },
    fingerprint: 'print',
    requestId: 'req',
    seal: null,
    preload: { row, stream: streamOf(key) },
    onLostReceipt,
  });
}

async function sessionOf(key: string, ...rest: [((error: unknown) => void)?, typeof ROW?]): Promise<WriteSession> {
  const begun = await begin(key, ...rest);
  if (begun.stored !== null) throw new Error('the answer is stored already');
  return begun.session;
}

function contextOf(key: string, session?: WriteSession): CommandContext {
  return {
    organisationId: ORGANISATION,
    actor: { type: 'api_key', id: 'key_1' },
    requestId: 'req',
    idempotencyKey: key,
    fingerprint: 'print',
    seed: [key],
    today: '2026-01-01',
    ...(session === undefined ? {} : { session }),
  };
}

/** Adds numbers, which are stored with the opposite sign. Records the states that it decides on and the events that it opens. */
class Adding {
  readonly decidedOn: { readonly state: readonly number[]; readonly revision: number | null }[] = [];
  readonly opened: number[] = [];

  constructor(private readonly key: string) {}

  command(
    numbers: readonly number[],
    more: Partial<StreamCommand<readonly number[], Added>> = {},
  ): StreamCommand<readonly number[], Added> {
    return {
      stream: streamOf(this.key),
      initial: [],
      evolve: (all, event) => [...all, event.data.number],
      sealed: {
        seal: ({ type, data }) => ({ type, data: { number: -data.number } }),
        open: ({ data, revision }) => {
          this.opened.push(revision);
          return { type: 'Added', data: { number: -(data['number'] as number) } };
        },
      },
      decide: (state, revision) => {
        this.decidedOn.push({ state, revision });
        return { events: numbers.map((number) => ({ type: 'Added', data: { number } })) };
      },
      onConflict: 'decide_again',
      ...more,
    };
  }

  /** The state of the stream up to a revision. */
  stateAt(events: readonly RecordedEvent[], revision: number | null): readonly number[] {
    const { initial, evolve, sealed } = new Adding(this.key).command([]);
    return foldRecorded({ initial, evolve, sealed: sealed! }, events.slice(0, (revision ?? -1) + 1));
  }
}

const numbers = (shape: { minLength?: number; maxLength: number }) => fc.array(fc.integer({ min: 1, max: 99 }), shape);

describe.each([
  ['the database of tables and receipts', () => testEventStore(database.pool)],
  ['another place', () => new MemoryEventStore()],
])('a write whose events rest in %s', (_, open) => {
  beforeEach(() => useStore(open()));

  it('lets a command decide on the state that the stream itself has, whoever appends after it was preloaded', async () => {
    const property = fc.asyncProperty(
      numbers({ maxLength: 6 }),
      fc.array(numbers({ minLength: 1, maxLength: 2 }), { maxLength: 3 }),
      numbers({ maxLength: 3 }),
      fc.constantFrom('refuse' as const, 'decide_again' as const),
      async (history, others, own, onConflict) => {
        const key = randomUUID();
        if (history.length > 0) await handleCommand(store, contextOf(`${key} before`), new Adding(key).command(history));
        const session = await sessionOf(key);
        for (const [index, other] of others.entries())
          await handleCommand(store, contextOf(`${key} ${index}`), new Adding(key).command(other));
        const adding = new Adding(key);
        const isPreloaded = store.capabilities.streamQuery !== undefined;
        const before = reads;
        const result = await handleCommand(store, contextOf(key, session), adding.command(own, { onConflict })).catch(
          (error: unknown) => error,
        );
        const isOvertaken = isPreloaded && others.length > 0 && own.length > 0;
        expect(reads - before).toBe(isPreloaded ? (isOvertaken && onConflict === 'decide_again' ? 1 : 0) : 1);
        const events = await store.readStream(streamOf(key));
        // Each decision used a state that the stream had; the last one used the state that the events were appended to.
        for (const { state, revision } of adding.decidedOn) expect(state).toEqual(adding.stateAt(events, revision));
        if (isOvertaken && onConflict === 'refuse') {
          expect(result).toBeInstanceOf(WrongExpectedRevisionError);
          expect(events).toHaveLength(history.length + others.flat().length);
        } else {
          const seen = isPreloaded && !isOvertaken ? history : [...history, ...others.flat()];
          expect(result).toMatchObject({
            state: [...seen, ...own],
            revision: seen.length + own.length === 0 ? null : seen.length + own.length - 1,
          });
          expect(adding.decidedOn).toHaveLength(isOvertaken ? 2 : 1);
          expect(adding.decidedOn.at(-1)!.state).toEqual(seen);
        }
        // Each loaded event is opened once for each decision; events that were just decided are never opened.
        if (adding.decidedOn.length === 1) expect(adding.opened).toEqual(adding.decidedOn[0]!.state.map((_, index) => index));
        await session.complete(ANSWER);
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  describe('has a session that', () => {
    it('gives its preloaded stream once: the next command of the request sees what was appended meanwhile', async () => {
      const [key, other] = [randomUUID(), randomUUID()];
      const session = await sessionOf(key);
      const adding = new Adding(key);
      await handleCommand(store, contextOf(key, session), adding.command([1], { part: 'first' }));
      await handleCommand(store, contextOf(other), new Adding(key).command([2]));
      await handleCommand(store, contextOf(key, session), adding.command([3], { part: 'second' }));
      expect(adding.decidedOn.map(({ state }) => state)).toEqual([[], [1, 2]]);
      await session.release();
    });

    it('is not asked by a command that has taken a turn since', async () => {
      const [key, other] = [randomUUID(), randomUUID()];
      const session = await sessionOf(key);
      await handleCommand(store, contextOf(other), new Adding(key).command([1]));
      const adding = new Adding(key);
      await handleCommand(store, contextOf(key, session), adding.command([], { isLoadedAnew: true }));
      expect(adding.decidedOn).toEqual([{ state: [1], revision: 0 }]);
      await session.release();
    });

    it('gives a preloaded row for its statement, as long as it counts, and reads it otherwise', async () => {
      const session = await sessionOf(randomUUID());
      const now = { ...ROW, values: ['now'] };
      const isPreloaded = store.capabilities.streamQuery !== undefined;
      expect(await readRow(database.pool, { session }, now)).toMatchObject({ word: isPreloaded ? 'one' : 'now' });
      expect(await readRow(database.pool, { session }, now, () => false)).toEqual({ word: 'now' });
      expect(await readRow(database.pool, { session }, { ...now, name: 'other' })).toEqual({ word: 'now' });
      expect(await readRow(database.pool, {}, now)).toEqual({ word: 'now' });
      await session.release();
    });

    it('says that there is no row, and loads the stream then', async () => {
      const key = randomUUID();
      await handleCommand(store, contextOf(randomUUID()), new Adding(key).command([1]));
      const none = { name: 'test-none', text: 'select $1::text as word where false', values: ['one'] };
      const session = await sessionOf(key, undefined, none);
      expect(await readRow(database.pool, { session }, none)).toBeUndefined();
      const adding = new Adding(key);
      await handleCommand(store, contextOf(key, session), adding.command([2]));
      expect(adding.decidedOn).toEqual([{ state: [1], revision: 0 }]);
      await session.release();
    });

    it('records events, then rows, then the receipt with the last of them, and gives the stored answer from then on', async () => {
      const key = randomUUID();
      const table = `rows_${key.replaceAll('-', '')}`;
      await database.pool.query(`create table ${table} (place serial, word text)`);
      const insert = (word: string) => ({
        name: `test-insert-${key}`,
        text: `with written as (insert into ${table} (word) values ($1) returning 1) select count(*) from written`,
        values: [word],
      });
      const session = await sessionOf(key);
      await handleCommand(store, contextOf(key, session), new Adding(key).command([1]));
      session.addRows([insert('first')]);
      session.addRows([insert('last')]);
      expect((await database.pool.query(`select from ${table}`)).rowCount).toBe(0);
      await session.complete(ANSWER);
      expect(
        recordings.map(({ appends, rows, receipt }) => [
          appends.flatMap(({ events }) => events).length,
          rows.length,
          receipt?.isDurable ?? null,
        ]),
      ).toEqual([
        [1, 0, null],
        [0, 2, false],
      ]);
      expect((await database.pool.query(`select word from ${table} order by place`)).rows).toEqual([{ word: 'first' }, { word: 'last' }]);
      expect(await begin(key)).toEqual({ stored: { ...ANSWER, requestId: 'req' } });
    });

    it('stays open where its rows cannot be written, and gives its key up when it is released', async () => {
      const key = randomUUID();
      const session = await sessionOf(key);
      session.addRows([{ name: `test-broken-${key}`, text: 'select 1 / $1::int as x from (select 1) one', values: [0] }]);
      await expect(session.complete(ANSWER)).rejects.toThrow('division by zero');
      await session.release();
      await (await sessionOf(key)).release();
    });

    it('keeps a refusal durably and without rows, and ends once', async () => {
      const key = randomUUID();
      const session = await sessionOf(key);
      session.addRows([{ name: `test-broken-${key}`, text: 'select 1 / $1::int as x from (select 1) one', values: [0] }]);
      await session.refuse({ ...ANSWER, status: 409 });
      await session.release();
      expect(recordings).toMatchObject([{ appends: [], rows: [], receipt: { isDurable: true } }]);
      expect(await begin(key)).toMatchObject({ stored: { status: 409 } });
    });

    it('tells of a receipt that cannot be kept, and of nothing else: the work is done', async () => {
      const lost: unknown[] = [];
      const session = await sessionOf(randomUUID(), (error) => lost.push(error));
      await session.complete({ ...ANSWER, body: '\0' });
      expect(lost).toMatchObject([{ code: '22021' }]);
    });
  });
});
